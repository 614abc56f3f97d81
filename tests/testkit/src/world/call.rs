//! A program's run: prepared, started, waited for within a bound.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::conversation::Conversation;

/// How long a program may run if the test does not say otherwise: a slow machine with other work to do.
const TIMEOUT_SECONDS: u64 = 60;
const POLL_MILLISECONDS: u64 = 5;
/// How long a program may be held open by another child that is just being started.
const BUSY_MAX: Duration = Duration::from_secs(10);

/// A program about to be run.
#[must_use]
pub struct Call {
    command: Command,
    stdin: Vec<u8>,
    timeout: Duration,
}

/// How a program ended.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Its exit code; minus the signal that ended it.
    pub code: i32,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error, as text.
    pub stderr: String,
    /// How long it took.
    pub elapsed: Duration,
}

/// A program that runs. Dropping it ends it and what it started.
pub struct Running {
    child: Child,
    shown: String,
    stdout: Arc<Mutex<Vec<u8>>>,
    stderr: Arc<Mutex<Vec<u8>>>,
    readers: Vec<thread::JoinHandle<()>>,
    started: Instant,
    timeout: Duration,
}

impl Call {
    pub(super) fn new(program: &Path, cwd: &Path) -> Self {
        let mut command = Command::new(program);
        command.env_clear().current_dir(cwd);
        Self { command, stdin: Vec::new(), timeout: Duration::from_secs(TIMEOUT_SECONDS) }
    }

    /// With further arguments.
    pub fn args(mut self, arguments: &[&str]) -> Self {
        self.command.args(arguments);
        self
    }

    /// With a variable in its environment.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Without a variable in its environment.
    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// With something on its standard input.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// With another bound on how long it may run.
    pub fn within(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Starts it, in a process group of its own as a terminal would.
    pub fn start(mut self) -> Running {
        let shown = format!("{:?}", self.command);
        let pipes = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = spawn(pipes.process_group(0)).unwrap_or_else(|error| panic!("{shown}: {error}"));
        let mut stdin = child.stdin.take().unwrap();
        let input = self.stdin;
        // A program that ends early closes the pipe; what it did is for the test to judge.
        thread::spawn(move || stdin.write_all(&input));
        let (stdout, stderr) = (Arc::default(), Arc::default());
        let readers = vec![
            collect(child.stdout.take().unwrap(), Arc::clone(&stdout)),
            collect(child.stderr.take().unwrap(), Arc::clone(&stderr)),
        ];
        Running { child, shown, stdout, stderr, readers, started: Instant::now(), timeout: self.timeout }
    }

    /// Starts it, to speak with it line by line.
    pub fn converse(mut self) -> Conversation {
        let shown = format!("{:?}", self.command);
        let pipes = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = pipes.process_group(0).spawn().unwrap_or_else(|error| panic!("{shown}: {error}"));
        Conversation::new(child, shown, self.timeout)
    }

    /// Runs it to its end.
    pub fn run(self) -> Outcome {
        self.start().end()
    }

    /// Runs it to its end, which must be a success.
    pub fn succeeds(self) -> Outcome {
        self.exits(0)
    }

    /// Runs it to its end, which must have this exit code.
    pub fn exits(self, code: i32) -> Outcome {
        let running = self.start();
        let shown = running.shown.clone();
        let outcome = running.end();
        assert_eq!(outcome.code, code, "{shown}\n{outcome}");
        outcome
    }
}

impl Running {
    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has written to standard output so far.
    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.stdout.lock().unwrap()).into_owned()
    }

    /// What it has written to standard error so far.
    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr.lock().unwrap()).into_owned()
    }

    /// Whether it runs.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Sends a signal to the program alone.
    pub fn signal(&self, name: &str) {
        kill(name, &self.id().to_string());
    }

    /// Sends a signal to the program and all that it started, as a terminal does.
    pub fn signal_group(&self, name: &str) {
        kill(name, &format!("-{}", self.id()));
    }

    /// Waits for its end, within the bound.
    pub fn end(mut self) -> Outcome {
        let deadline = self.started + self.timeout;
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if Instant::now() > deadline => {
                    self.signal_group("KILL");
                    panic!("{} did not end within {:?}\n{}", self.shown, self.timeout, self.stderr());
                }
                None => pause(),
            }
        };
        let elapsed = self.started.elapsed();
        for reader in std::mem::take(&mut self.readers) {
            while !reader.is_finished() {
                assert!(Instant::now() < deadline, "{}: something holds its output open", self.shown);
                pause();
            }
        }
        let code = status.code().unwrap_or_else(|| -status.signal().unwrap());
        let stdout = std::mem::take(&mut *self.stdout.lock().unwrap());
        Outcome { code, stdout, stderr: self.stderr(), elapsed }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal_group("KILL");
            let _ = self.child.wait();
        }
    }
}

impl Outcome {
    /// Standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard output as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{self}"))
    }

    /// Fails unless standard error has each of `parts`.
    #[track_caller]
    pub fn says(&self, parts: &[&str]) -> &Self {
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is missing\n{self}");
        }
        self
    }

    /// Fails if standard error or output has one of `parts`.
    #[track_caller]
    pub fn never_says(&self, parts: &[&str]) -> &Self {
        for part in parts {
            let there = self.stderr.contains(part) || self.text().contains(part);
            assert!(!there, "{part:?} ought not to be there\n{self}");
        }
        self
    }

    /// The lines that Prevet itself says, and not git.
    pub fn own_lines(&self) -> Vec<&str> {
        self.stderr.lines().filter(|line| line.starts_with("prevet: ")).collect()
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit code {} after {:?}", self.code, self.elapsed)?;
        write!(f, "\n--- stdout\n{}\n--- stderr\n{}", self.text(), self.stderr)
    }
}

/// Waits until `state` holds; fails after `timeout`.
#[track_caller]
pub fn wait_until(what: &str, timeout: Duration, mut state: impl FnMut() -> bool) {
    let started = Instant::now();
    while !state() {
        assert!(started.elapsed() < timeout, "waited {timeout:?} for: {what}");
        pause();
    }
}

fn pause() {
    thread::sleep(Duration::from_millis(POLL_MILLISECONDS));
}

/// A process that has ended already is as good.
fn kill(signal: &str, process: &str) {
    let _ = Command::new("kill").args(["-s", signal, "--", process]).stderr(Stdio::null()).status();
}

/// Starts a program that this process may have written a moment ago: another thread's child holds it open for writing
/// until it has become a program itself, and until then the system starts it for nobody.
fn spawn(command: &mut Command) -> io::Result<Child> {
    let started = Instant::now();
    loop {
        match command.spawn() {
            Err(error)
                if error.kind() == io::ErrorKind::ExecutableFileBusy && started.elapsed() < BUSY_MAX =>
            {
                thread::yield_now();
            }
            outcome => return outcome,
        }
    }
}

fn collect(mut pipe: impl Read + Send + 'static, into: Arc<Mutex<Vec<u8>>>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            into.lock().unwrap().extend_from_slice(&buffer[..count]);
        }
    })
}
