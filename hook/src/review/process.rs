//! Processes: which one a number stands for, what it has started, and ending all of it.

use std::collections::BTreeSet;
use std::time::Duration;

use prevet_wire::review_files::ProcessRecord;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};
use tokio::time::{Instant, sleep};

/// How long what was killed may take to be gone.
const REAP_SECONDS_MAX: u64 = 5;
const REAP_POLL_MILLISECONDS: u64 = 10;

/// A process as the system shows it.
struct Shown {
    start: String,
    /// It has ended, and only its parent has not asked yet.
    ended: bool,
}

/// What tells the process `pid` from a later one of its number; none where there is no such process. One that has
/// ended, and was not waited for, is there.
pub(super) fn identify(pid: u32) -> Option<ProcessRecord> {
    shown(pid).map(|shown| ProcessRecord { pid, start: shown.start })
}

/// Whether the process lives, and is the one that was recorded.
pub(super) fn is_alive(record: &ProcessRecord) -> bool {
    shown(record.pid).is_some_and(|shown| shown.start == record.start && !shown.ended)
}

/// Sends a signal to the process, if it is still the one that was recorded.
pub(super) fn signal(record: &ProcessRecord, signal: Signal) {
    if let Some(pid) = pid(record.pid).filter(|_| is_alive(record)) {
        // It may end by itself at the same time.
        let _ = kill_process(pid, signal);
    }
}

/// Sends a signal to the process group that it leads, if it is still the one that was recorded.
pub(super) fn signal_group(record: &ProcessRecord, signal: Signal) {
    if let Some(pid) = pid(record.pid).filter(|_| is_alive(record)) {
        let _ = kill_process_group(pid, signal);
    }
}

/// All that `ancestor` has started, and all that those have; nothing where it is not the process that was recorded.
pub(super) fn descendants(ancestor: &ProcessRecord) -> Vec<ProcessRecord> {
    if is_alive(ancestor) { descendants_of(ancestor.pid) } else { Vec::new() }
}

fn descendants_of(ancestor: u32) -> Vec<ProcessRecord> {
    let processes = parents();
    let mut found = BTreeSet::from([ancestor]);
    loop {
        let before = found.len();
        found.extend(
            processes
                .iter()
                .filter(|(_, parent)| found.contains(parent))
                .map(|(pid, _)| *pid)
                .collect::<Vec<_>>(),
        );
        if found.len() == before {
            break;
        }
    }
    let others = found.into_iter().filter(|pid| *pid != ancestor);
    others.filter_map(identify).filter(is_alive).collect()
}

/// Kills all that this process has started, adopted processes and those of `known` included, until nothing is left.
pub(super) async fn kill_descendants(known: &[ProcessRecord]) {
    let deadline = Instant::now() + Duration::from_secs(REAP_SECONDS_MAX);
    while Instant::now() < deadline {
        let of_ours = descendants_of(std::process::id());
        let left: Vec<_> = of_ours.iter().chain(known.iter().filter(|it| is_alive(it))).collect();
        for record in &left {
            signal(record, Signal::KILL);
        }
        for pid in of_ours.iter().filter_map(|record| pid(record.pid)) {
            // Those that are not our own children are their parents' to wait for.
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
        if left.is_empty() {
            return;
        }
        sleep(Duration::from_millis(REAP_POLL_MILLISECONDS)).await;
    }
}

/// Leaves the caller's session and process group, and adopts what its descendants leave behind, where the system can.
pub(super) fn detach() {
    // The leader of a group cannot leave it, and then has left its parent's already.
    let _ = rustix::process::setsid();
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::set_child_subreaper(pid(std::process::id()));
    }
}

fn pid(number: u32) -> Option<Pid> {
    // 0 and 1 are whole groups, and the system's first process.
    i32::try_from(number).ok().filter(|number| *number > 1).and_then(Pid::from_raw)
}

/// When a process was started: its time since boot, and the boot.
#[cfg(target_os = "linux")]
fn shown(pid: u32) -> Option<Shown> {
    let stat = stat(pid)?;
    let fields: Vec<&str> = stat.split(' ').collect();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    // Fields 3 and 22 of proc_pid_stat(5), counted from the one behind the name.
    let ended = matches!(*fields.first()?, "Z" | "X");
    Some(Shown { start: format!("{}@{}", fields.get(19)?, boot.trim()), ended })
}

/// The fields of `/proc/PID/stat` from the third on: the second, the name, may hold anything.
#[cfg(target_os = "linux")]
fn stat(pid: u32) -> Option<String> {
    let bytes = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    text.rsplit_once(") ").map(|(_, fields)| fields.to_owned())
}

#[cfg(target_os = "linux")]
fn parents() -> Vec<(u32, u32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return vec![] };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| Some((pid, stat(pid)?.split(' ').nth(1)?.parse().ok()?))).collect()
}

#[cfg(not(target_os = "linux"))]
fn shown(pid: u32) -> Option<Shown> {
    let listed = ps(&["-o", "stat=,lstart=", "-p", &pid.to_string()])?;
    let line = listed.lines().find(|line| !line.trim().is_empty())?.trim().to_owned();
    let (state, start) = line.split_once(' ')?;
    Some(Shown { start: start.trim().to_owned(), ended: state.starts_with('Z') })
}

#[cfg(not(target_os = "linux"))]
fn parents() -> Vec<(u32, u32)> {
    let listed = ps(&["-A", "-o", "pid=,ppid="]).unwrap_or_default();
    let pair = |line: &str| {
        let mut numbers = line.split_whitespace().map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    listed.lines().filter_map(pair).collect()
}

#[cfg(not(target_os = "linux"))]
fn ps(arguments: &[&str]) -> Option<String> {
    let output = std::process::Command::new("ps").args(arguments).env("LC_ALL", "C").output().ok()?;
    String::from_utf8(output.stdout).ok()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_number_is_not_enough() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap();
        let record = identify(child.id()).unwrap();
        assert!(is_alive(&record));
        assert!(descendants(&identify(std::process::id()).unwrap()).contains(&record));
        let reused = ProcessRecord { start: "1@another-boot".into(), ..record.clone() };
        signal(&reused, Signal::KILL);
        signal_group(&reused, Signal::KILL);
        assert!(child.try_wait().unwrap().is_none() && !is_alive(&reused));
        let own = identify(std::process::id()).unwrap();
        assert_eq!(descendants(&ProcessRecord { start: "1@another-boot".into(), ..own }), []);
        signal(&record, Signal::KILL);
        assert!(!child.wait().unwrap().success());
        assert!(!is_alive(&record) && identify(child.id()).is_none());
    }
}
