//! How fast secrets are looked for: `cargo bench -p prevet-analysis --bench secrets [-- DIRECTORY]`.
#![expect(clippy::print_stdout, clippy::expect_used, reason = "a program that prints a number")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use prevet_analysis::secrets::{mask, scan};
use prevet_analysis::source::Source;

/// Larger files are no source code.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// Text to measure on, where no directory is given.
const TEXT_BYTES: usize = 16 << 20;
const LINES: &str = "fn find(name: &str, at: usize) -> Option<Range<usize>> { text[at..].get(name) }\n\
    // The session is read from the database, and its token is checked against the tenant's key.\n\
    const user = await client.users.get({ id: params.id, fields: ['name', 'mail'] });\n\
    integrity sha512-q8Zt2LmX0vB7nR4kYd1Wq8Zt2LmX0vB7nR4kYd1Wq8Zt2LmX0vB7nR4kYd1W==\n";

fn main() {
    let directory = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let mut files = Vec::new();
    match directory {
        Some(directory) => read_all(Path::new(&directory), &mut files),
        None => files.push((PathBuf::from("a.txt"), LINES.repeat(TEXT_BYTES / LINES.len()).into_bytes())),
    }
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    let _ = scan(&Source::new("warm", None, b"", true));
    let (hits, took) = timed(&files, |path, text| scan(&Source::new(path, None, text, true)).len());
    println!("scan: {hits} hits in {} files, {:.1} MB/s", files.len(), rate(bytes, took));
    let (changed, took) = timed(&files, |_, text| usize::from(mask(text) != text));
    println!("mask: {changed} files changed, {:.1} MB/s", rate(bytes, took));
}

fn timed(files: &[(PathBuf, Vec<u8>)], work: impl Fn(&str, &[u8]) -> usize) -> (usize, Duration) {
    let start = Instant::now();
    let total = files.iter().map(|(path, text)| work(&path.to_string_lossy(), text)).sum();
    (total, start.elapsed())
}

fn rate(bytes: usize, took: Duration) -> f64 {
    let megabytes = f64::from(u32::try_from(bytes >> 10).unwrap_or(u32::MAX)) / 1024.0;
    megabytes / took.as_secs_f64()
}

fn read_all(directory: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(directory).expect("a readable directory") {
        let path = entry.expect("a readable entry").path();
        let details = fs::symlink_metadata(&path).expect("a readable file");
        if details.is_dir() && !path.ends_with(".git") {
            read_all(&path, files);
        } else if details.is_file() && details.len() <= FILE_BYTES_MAX {
            let text = fs::read(&path).expect("a readable file");
            files.push((path, text));
        }
    }
}
