//! One run of the `git` program: clean environment, no terminal, bounded time and output.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::GitError;
use super::environment::{self, GitEnvironment};

/// How long a command may take that only reads what is on this machine.
const LOCAL_TIMEOUT_SECONDS: u64 = 600;
/// How long a command that is stopped may take to tidy up.
const GRACE_SECONDS: u64 = 1;
/// The largest output that is held in memory.
const OUTPUT_BYTES_MAX: usize = 512 << 20;
/// What is kept of a command's messages.
const MESSAGE_BYTES_MAX: usize = 64 << 10;

/// A `git` command being put together.
pub(super) struct Git {
    command: Command,
    shown: String,
    input: Option<Vec<u8>>,
    timeout_seconds: u64,
}

/// What a command printed, and how it ended.
pub(super) struct Output {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    shown: String,
}

impl Git {
    /// A command that runs in `folder`.
    pub(super) fn new(environment: &GitEnvironment, folder: &Path) -> Self {
        let mut command = Command::new("git");
        environment::apply(&mut command, environment);
        command.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { command, shown: "git".into(), input: None, timeout_seconds: LOCAL_TIMEOUT_SECONDS }
    }

    /// Adds settings (`-c name=value`), which messages leave out.
    pub(super) fn settings<S: AsRef<OsStr>>(mut self, settings: impl IntoIterator<Item = S>) -> Self {
        for setting in settings {
            self.command.arg("-c").arg(setting);
        }
        self
    }

    /// Adds an option that messages leave out.
    pub(super) fn quietly(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Adds options that messages leave out.
    pub(super) fn all_quietly(self, arguments: &[&str]) -> Self {
        arguments.iter().fold(self, Git::quietly)
    }

    /// Adds an argument.
    pub(super) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.shown.push(' ');
        self.shown.push_str(&argument.as_ref().to_string_lossy());
        self.command.arg(argument);
        self
    }

    /// Adds arguments.
    pub(super) fn args<S: AsRef<OsStr>>(self, arguments: impl IntoIterator<Item = S>) -> Self {
        arguments.into_iter().fold(self, Git::arg)
    }

    /// Sets a variable.
    pub(super) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.command.env(name, value.into());
        self
    }

    /// What the command reads.
    pub(super) fn input(mut self, bytes: Vec<u8>) -> Self {
        self.input = Some(bytes);
        self
    }

    /// Another bound than the one for local commands.
    pub(super) fn timeout_seconds(mut self, seconds: u64) -> Self {
        self.timeout_seconds = seconds;
        self
    }

    /// Runs it to its end, whatever it says.
    pub(super) fn run(self) -> Result<Output, GitError> {
        let (shown, seconds) = (self.shown.clone(), self.timeout_seconds);
        let mut child = self.spawn()?;
        let stdout = collect(child.stdout.take(), OUTPUT_BYTES_MAX, Excess::ClosesPipe);
        let stderr = collect(child.stderr.take(), MESSAGE_BYTES_MAX, Excess::IsDropped);
        let deadline = Instant::now() + Duration::from_secs(seconds);
        let outcome = (|| {
            let stdout = receive(&stdout, deadline)?;
            let stderr = receive(&stderr, deadline)?;
            Some((wait(&mut child, deadline)?, stdout, stderr))
        })();
        let Some((status, stdout, stderr)) = outcome else {
            terminate(&mut child);
            return Err(GitError::TimedOut { command: shown, seconds });
        };
        if stdout.len() > OUTPUT_BYTES_MAX {
            return Err(GitError::TooLarge { command: shown, limit_bytes: OUTPUT_BYTES_MAX });
        }
        Ok(Output { status: status.map_err(GitError::NoGit)?, stdout, stderr, shown })
    }

    /// Runs it and takes what it printed; any failure is an error.
    pub(super) fn read(self) -> Result<Vec<u8>, GitError> {
        self.run()?.success().map(|output| output.stdout)
    }

    /// Runs it and takes its only line; `None` where it fails or prints nothing.
    pub(super) fn line(self) -> Result<Option<String>, GitError> {
        let output = self.run()?;
        let text = String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned();
        Ok((output.status.success() && !text.is_empty()).then_some(text))
    }

    /// Starts it; what it prints is read as it comes.
    pub(super) fn spawn(mut self) -> Result<Child, GitError> {
        self.command.stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() });
        let mut child = self.command.spawn().map_err(GitError::NoGit)?;
        if let (Some(input), Some(stdin)) = (self.input, child.stdin.take()) {
            feed(stdin, input);
        }
        Ok(child)
    }

    /// The command as messages show it.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }
}

impl Output {
    /// The output of a command that succeeded.
    pub(super) fn success(self) -> Result<Self, GitError> {
        if self.status.success() { Ok(self) } else { Err(self.failure()) }
    }

    /// The error that a failed command stands for.
    pub(super) fn failure(&self) -> GitError {
        GitError::Failed { command: self.shown.clone(), message: message(&self.stderr) }
    }

    /// What it said, line by line.
    pub(super) fn messages(&self) -> Vec<String> {
        String::from_utf8_lossy(&self.stderr).lines().map(str::to_owned).collect()
    }
}

/// A command's messages in one line, without the user and password of an address.
pub(super) fn message(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() { "it said nothing".into() } else { without_credentials(&lines.join("; ")) }
}

/// `text` with `user:password@` of every address masked.
fn without_credentials(text: &str) -> String {
    let mut parts = text.split("://");
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| c == '/' || c == '\'' || c.is_whitespace()).unwrap_or(part.len());
        let host = part[..end].rfind('@').map_or(0, |at| at + 1);
        masked.push_str(if host == 0 { "://" } else { "://***@" });
        masked.push_str(&part[host..]);
    }
    masked
}

/// What becomes of output over the limit.
#[derive(Clone, Copy, PartialEq)]
enum Excess {
    /// It ends the child.
    ClosesPipe,
    /// The child does not notice.
    IsDropped,
}

/// Reads in a thread of its own: a child that fills one pipe while we read the other would never end.
fn collect(
    pipe: Option<impl Read + Send + 'static>,
    limit_bytes: usize,
    excess: Excess,
) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let limit = u64::try_from(limit_bytes).unwrap_or(u64::MAX).saturating_add(1);
            let _ = pipe.by_ref().take(limit).read_to_end(&mut bytes);
            if excess == Excess::IsDropped {
                let _ = io::copy(&mut pipe, &mut io::sink());
            }
        }
        let _ = sender.send(bytes);
    });
    receiver
}

fn receive(bytes: &Receiver<Vec<u8>>, deadline: Instant) -> Option<Vec<u8>> {
    match bytes.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(bytes) => Some(bytes),
        Err(RecvTimeoutError::Disconnected) => Some(Vec::new()),
        Err(RecvTimeoutError::Timeout) => None,
    }
}

/// Waits for the end of a child whose pipes are closed, which is a matter of milliseconds.
fn wait(child: &mut Child, deadline: Instant) -> Option<io::Result<ExitStatus>> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(Ok(status)),
            Err(error) => return Some(Err(error)),
            Ok(None) if Instant::now() >= deadline => return None,
            Ok(None) => thread::sleep(Duration::from_micros(200)),
        }
    }
}

fn feed(mut stdin: ChildStdin, input: Vec<u8>) {
    // A child that ends early closes the pipe; its exit status says why.
    thread::spawn(move || stdin.write_all(&input));
}

/// Asks a child to end, so that it ends its own children too, and kills it if it does not.
fn terminate(child: &mut Child) {
    let asked = Command::new("kill").arg(child.id().to_string()).stderr(Stdio::null()).status();
    let deadline = Instant::now() + Duration::from_secs(GRACE_SECONDS);
    if asked.is_err() || wait(child, deadline).is_none() {
        stop(child);
    }
}

/// Kills a child and takes its exit status, so that nothing of it is left.
pub(super) fn stop(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_stopped_in_time() {
        let folder = tempfile::tempdir().unwrap();
        let environment = GitEnvironment::new(folder.path(), folder.path());
        let waiting = Git::new(&environment, folder.path()).settings(["alias.wait=!sleep 30"]).arg("wait");
        let started = Instant::now();
        let error = waiting.timeout_seconds(1).run().err().unwrap();
        assert_eq!(error.to_string(), "`git wait` did not end within 1 seconds and was stopped");
        assert!(started.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn masks_credentials() {
        let check = |text: &str, expected: &str| assert_eq!(without_credentials(text), expected);
        check("no 'https://me:pw@host/x' here", "no 'https://***@host/x' here");
        check("https://host/a@b", "https://host/a@b");
        check("plain", "plain");
    }
}
