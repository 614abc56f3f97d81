//! A round's runner: a process of its own that starts the reviewer, keeps what it prints, and stops it when its time
//! is over, whoever has gone in the meantime.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use prevet_domain::review::watch::{Limits, Observation, StopCause, Watch};
use prevet_wire::review_files::{EndFile, ProcessRecord, RunnerFile, VERSION};
use rustix::process::Signal;
use tokio::io::{AsyncReadExt as _, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::clock::Clock;
use super::error::{Code, ReviewError};
use super::folder::{SessionFolder, Stored, write_json};
use super::launch::Launched;
use super::process;
use super::reviewer::{Order, Reviewer, os, withhold};
use super::stream_reader::{Lines, OUTPUT_BYTES_MAX};

/// How long a reviewer may be silent outside of a command of its own. Models think for minutes without a word.
pub const SILENCE_SECONDS_DEFAULT: u64 = 30 * 60;
/// How long a process may stay after its turn has ended.
const LINGER_SECONDS: u64 = 10;
/// How long a reviewer that is asked to end may take.
const GRACE_SECONDS: u64 = 5;
/// How long its output may stay open after it has ended.
const DRAIN_SECONDS: u64 = 2;
/// How long the runner of the round before may take to be gone.
const LOCK_SECONDS_MAX: u64 = 10;
const TICK_MILLISECONDS: u64 = 200;
const PIECE_BYTES: usize = 64 << 10;
/// What is kept of standard error for `error.log`, and what of it for people.
const ERROR_BYTES_MAX: usize = 256 << 10;
const SAID_LINES_MAX: usize = 3;
const SAID_BYTES_MAX: usize = 1000;

/// Runs the last round of the session in `directory` to its end. `silence` is how long the reviewer may be silent.
pub async fn run(
    directory: &Path,
    program: &Path,
    silence: Duration,
    clock: &dyn Clock,
) -> Result<(), ReviewError> {
    process::detach();
    let started = start(directory, program, silence).await;
    let launched = Launched { error: started.as_ref().err().map(|error| error.message.clone()) };
    let mut stdout = std::io::stdout().lock();
    // Whoever started this may be gone already; the round goes on.
    let _ = serde_json::to_writer(&mut stdout, &launched).map(|()| writeln!(stdout));
    let _ = stdout.flush();
    drop(stdout);
    let round = started?;
    let folder = round.folder.clone();
    // Nobody reads this process's standard error.
    round.watch(clock).await.inspect_err(|error| folder.note(&error.message))
}

struct Round {
    folder: SessionFolder,
    number: u32,
    reviewer: Reviewer,
    limits: Limits,
    child: Child,
    record: ProcessRecord,
    output: File,
    // Held until the end: it says that this runner lives.
    _lock: super::folder::Lock,
}

async fn start(directory: &Path, program: &Path, silence: Duration) -> Result<Round, ReviewError> {
    let folder = SessionFolder::open(directory)?;
    let number = folder.load()?.session.round();
    let taken = || ReviewError::new(Code::LaunchFailed, "another runner has this round");
    let lock = folder.lock_round(number, LOCK_SECONDS_MAX).await?.ok_or_else(taken)?;
    // Read again: while this waited, somebody may have taken the round for dead.
    let stored = folder.load()?;
    if stored.session.round() != number || !stored.session.is_running() {
        return Err(ReviewError::new(Code::LaunchFailed, "the round has ended already"));
    }
    let reviewer = Reviewer::parse(&stored.state.reviewer)
        .ok_or_else(|| ReviewError::new(Code::SessionBroken, "the session's reviewer is not known"))?;
    // An attempt that failed may have left files of this number.
    for path in [folder.output(number), folder.end(number), folder.seen(number)] {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(ReviewError::io("remove", &path, &error));
            }
            _ => {}
        }
    }
    let path = folder.output(number);
    let output = File::options().create_new(true).append(true).open(&path);
    let output = output.map_err(|error| ReviewError::io("open", &path, &error))?;
    let child = spawn(&folder, &stored, reviewer, program)?;
    let record = child.id().and_then(process::identify);
    let own = process::identify(std::process::id());
    let gone = || ReviewError::new(Code::LaunchFailed, format!("{} ended at once", program.display()));
    let record = record.ok_or_else(gone)?;
    let processes = RunnerFile { version: VERSION, runner: own.ok_or_else(gone)?, reviewer: record.clone() };
    write_json(&folder.runner(number), &processes)
        .inspect_err(|_| process::signal_group(&record, Signal::KILL))?;
    let limits = Limits {
        deadline: Duration::from_secs(stored.state.timeout_seconds),
        silence,
        linger: Duration::from_secs(LINGER_SECONDS),
    };
    Ok(Round { folder, number, reviewer, limits, child, record, output, _lock: lock })
}

fn spawn(
    folder: &SessionFolder,
    stored: &Stored,
    reviewer: Reviewer,
    program: &Path,
) -> Result<Child, ReviewError> {
    let prompt = folder.prompt(stored.session.round());
    let prompt = File::open(&prompt).map_err(|error| ReviewError::io("open", &prompt, &error))?;
    let order = Order {
        model: stored.state.model.as_deref(),
        effort: &stored.state.effort,
        thread: stored.session.thread.as_deref().filter(|_| stored.session.round() > 1),
    };
    let mut command = Command::new(program);
    command.args(os(reviewer.arguments(&order))).current_dir(&stored.state.working_dir);
    withhold(&mut command);
    command.stdin(prompt).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    command.spawn().map_err(|error| {
        ReviewError::new(Code::LaunchFailed, format!("cannot run {} ({error})", program.display()))
    })
}

/// What the loop knows beside the machine's state.
struct Course {
    started: Instant,
    limits: Limits,
    watch: Watch,
    stopped: Option<(StopCause, Instant)>,
    asked: bool,
    /// How it ended, where the system tells, and when.
    exit: Option<(Option<ExitStatus>, Instant)>,
    open: bool,
    lines: Lines,
    kept_bytes: u64,
    /// A piece of the output was not kept, and so is nothing that follows: the end of a turn whose middle is missing is
    /// no end of it.
    is_cut: bool,
}

impl Round {
    async fn watch(mut self, clock: &dyn Clock) -> Result<(), ReviewError> {
        let said = Arc::default();
        let errors = self.child.stderr.take().map(|pipe| tokio::spawn(keep_errors(pipe, Arc::clone(&said))));
        let stdout = self.child.stdout.take();
        let mut course = Course {
            started: Instant::now(),
            limits: self.limits,
            watch: Watch::start(self.limits),
            stopped: None,
            asked: false,
            exit: None,
            open: stdout.is_some(),
            lines: Lines::default(),
            kept_bytes: 0,
            is_cut: false,
        };
        self.follow(&mut course, stdout).await?;
        process::kill_descendants(&[]).await;
        if let Some(errors) = errors {
            let _ = tokio::time::timeout(Duration::from_secs(DRAIN_SECONDS), errors).await;
        }
        let text = std::mem::take(&mut *said.lock().unwrap_or_else(PoisonError::into_inner));
        let text = String::from_utf8_lossy(&text).into_owned();
        if !text.trim().is_empty() {
            self.folder.note(&format!(
                "round {}, standard error of the reviewer:\n{}",
                self.number,
                text.trim_end()
            ));
        }
        let status = course.exit.and_then(|(status, _)| status);
        let how = status.map_or_else(|| "no exit status".to_owned(), how);
        let stopped = course.stopped.map(|(cause, _)| cause);
        // An output that could not be kept does not stop the record of the end from being kept.
        let _ = self.output.sync_all();
        write_json(
            &self.folder.end(self.number),
            &EndFile::new(stopped, how, last_lines(&text), clock.now().to_string()),
        )
    }

    async fn follow(
        &mut self,
        course: &mut Course,
        mut stdout: Option<ChildStdout>,
    ) -> Result<(), ReviewError> {
        let mut ticks = interval(Duration::from_millis(TICK_MILLISECONDS));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let failed = |error| ReviewError::io("watch", self.folder.path(), &error);
        let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        let mut hang_up = signal(SignalKind::hangup()).map_err(failed)?;
        let mut piece = vec![0; PIECE_BYTES];
        while !course.is_over() {
            let seen = tokio::select! {
                read = read(&mut stdout, &mut piece), if course.open => {
                    course.open = read > 0;
                    self.keep(course, &piece[..read])
                }
                status = self.child.wait(), if course.exit.is_none() => {
                    course.exit = Some((status.ok(), Instant::now()));
                    vec![]
                }
                _ = terminate.recv() => vec![Observation::StopAsked],
                _ = interrupt.recv() => vec![Observation::StopAsked],
                // The terminal is not this process's any more.
                _ = hang_up.recv() => vec![],
                _ = ticks.tick() => vec![Observation::Tick],
            };
            for seen in &seen {
                course.step(seen);
            }
            self.press(course);
        }
        let rest = std::mem::take(&mut course.lines).rest();
        course.step(&self.observation(&rest));
        Ok(())
    }

    /// Keeps a piece of output, and says what is in it.
    fn keep(&mut self, course: &mut Course, piece: &[u8]) -> Vec<Observation> {
        if piece.is_empty() || course.is_cut {
            return vec![];
        }
        course.kept_bytes = course.kept_bytes.saturating_add(piece.len() as u64);
        if course.kept_bytes > OUTPUT_BYTES_MAX {
            course.is_cut = true;
            return vec![Observation::TooMuchOutput];
        }
        if self.output.write_all(piece).is_err() {
            course.is_cut = true;
            return vec![Observation::OutputLost];
        }
        course.lines.feed(piece).iter().map(|line| self.observation(line)).collect()
    }

    fn observation(&self, line: &[u8]) -> Observation {
        self.reviewer.event(line).map_or(Observation::Noise, Observation::Event)
    }

    /// Makes the reviewer end, politely at first.
    fn press(&self, course: &mut Course) {
        let Some((_, since)) = course.stopped.filter(|_| course.exit.is_none()) else { return };
        if since.elapsed() >= Duration::from_secs(GRACE_SECONDS) {
            process::signal_group(&self.record, Signal::KILL);
        } else if !course.asked {
            course.asked = true;
            process::signal_group(&self.record, Signal::TERM);
        }
    }
}

impl Course {
    fn step(&mut self, seen: &Observation) {
        let watch = std::mem::replace(&mut self.watch, Watch::start(self.limits));
        let (watch, effect) = watch.step(self.started.elapsed(), seen);
        self.watch = watch;
        if let Some(cause) = effect.filter(|_| self.stopped.is_none() && self.exit.is_none()) {
            self.stopped = Some((cause, Instant::now()));
        }
    }

    /// The process has ended, and so has its output, or something else holds that open.
    fn is_over(&self) -> bool {
        let drained = |since: Instant| !self.open || since.elapsed() >= Duration::from_secs(DRAIN_SECONDS);
        self.exit.is_some_and(|(_, since)| drained(since))
    }
}

async fn read(stdout: &mut Option<ChildStdout>, piece: &mut [u8]) -> usize {
    match stdout {
        Some(stdout) => stdout.read(piece).await.unwrap_or(0),
        None => 0,
    }
}

/// Keeps the end of what a reviewer says on standard error; a pipe that nobody reads would stop it.
async fn keep_errors(pipe: ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    let (mut pipe, mut piece) = (BufReader::new(pipe), vec![0; PIECE_BYTES]);
    while let Ok(count @ 1..) = pipe.read(&mut piece).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&piece[..count]);
        let excess = kept.len().saturating_sub(ERROR_BYTES_MAX);
        kept.drain(..excess);
    }
}

fn how(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}

/// The last lines of a program's messages, on one line.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let shown = lines[lines.len().saturating_sub(SAID_LINES_MAX)..].join("; ");
    shown[..shown.floor_char_boundary(SAID_BYTES_MAX)].to_owned()
}
