//! A program that is spoken with, line by line.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::wait_until;

/// A program that runs, with its standard input open. Dropping it ends it.
pub struct Conversation {
    child: Child,
    shown: String,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Arc<Mutex<Vec<u8>>>,
    timeout: Duration,
}

impl Conversation {
    pub(super) fn new(mut child: Child, shown: String, timeout: Duration) -> Self {
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (send, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let stderr: Arc<Mutex<Vec<u8>>> = Arc::default();
        let (mut errors, heard) = (child.stderr.take().unwrap(), Arc::clone(&stderr));
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = errors.read(&mut buffer) {
                heard.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        Self { child, shown, input, lines, stderr, timeout }
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Says a line.
    pub fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap_or_else(|| panic!("{}: its input is closed", self.shown));
        writeln!(input, "{line}")
            .unwrap_or_else(|error| panic!("{}: {error}\n{}", self.shown, self.stderr()));
    }

    /// The next line that it says, within the bound; none where its output has ended.
    pub fn hear(&self) -> Option<String> {
        let heard = self.lines.recv_timeout(self.timeout);
        match heard {
            Ok(line) => Some(line),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(error) => panic!("{} says nothing ({error})\n{}", self.shown, self.stderr()),
        }
    }

    /// What it has written to standard error so far.
    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr.lock().unwrap()).into_owned()
    }

    /// Sends it a signal.
    pub fn signal(&self, name: &str) {
        let id = self.id().to_string();
        assert!(Command::new("kill").args(["-s", name, "--", &id]).status().unwrap().success());
    }

    /// Closes its input, and waits for its end: its exit code, and the lines that nobody has heard.
    pub fn close(mut self) -> (Option<i32>, Vec<String>) {
        drop(self.input.take());
        self.ended()
    }

    /// Waits for its end.
    pub fn ended(&mut self) -> (Option<i32>, Vec<String>) {
        let (started, mut status) = (Instant::now(), None);
        wait_until(&format!("the end of {}", self.shown), self.timeout, || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        let left = self.timeout.saturating_sub(started.elapsed());
        let mut lines = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(left) {
            lines.push(line);
        }
        (status.and_then(|status| status.code()), lines)
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // One that has ended already is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
