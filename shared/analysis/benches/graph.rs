//! How fast the graph is, and whom it finds: `cargo bench -p prevet-analysis --bench graph -- DIRECTORY [NAME@PATH…]`
//! prints the places that use each definition.
#![expect(clippy::print_stdout, clippy::expect_used, reason = "a program that prints numbers and places")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use prevet_analysis::convention;
use prevet_analysis::graph::{Graph, Names, State, Wanted, WantedSymbol, family, is_covered, read};
use prevet_analysis::language::{Language, TextKind, detect};
use prevet_domain::path::RepoPath;

/// Larger files are no source code.
const FILE_BYTES_MAX: u64 = 512 << 10;

struct SourceFile {
    path: String,
    language: Language,
    text: Vec<u8>,
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let root = PathBuf::from(arguments.next().expect("name a directory"));
    let asked: Vec<(String, String)> =
        arguments.filter_map(|it| it.split_once('@').map(|(a, b)| (a.to_owned(), b.to_owned()))).collect();
    let mut files = Vec::new();
    read_all(&root, &root, &mut files);
    let bytes: usize = files.iter().map(|file| file.text.len()).sum();
    let (graph, took) = timed(|| whole(&files, |_| true));
    println!("graph of everything: {} files, {:.2} MB, {}", files.len(), mega(bytes), rate(bytes, took));
    drop(graph);
    for (name, path) in &asked {
        one(&files, name, path, bytes);
    }
}

fn one(files: &[SourceFile], name: &str, path: &str, bytes: usize) {
    let language =
        files.iter().find(|file| file.path == *path).map_or(Language::Python, |file| file.language);
    let symbol = WantedSymbol {
        name: name.to_owned(),
        qualified: name.to_owned(),
        file: path.to_owned(),
        language: family(language),
        state: State::Changed,
    };
    let names = Names::of(&Wanted { changed: vec![symbol], called: Vec::new() });
    let (hits, scanning) =
        timed(|| files.iter().filter(|file| !names.find(&file.text).is_empty()).collect::<Vec<_>>());
    let parsed: usize = hits.iter().map(|file| file.text.len()).sum();
    let (graph, parsing) = timed(|| whole(hits.iter().copied(), |it| it == name));
    println!(
        "{name}@{path}: scan {}, parse {} files {}, all in {:?}",
        rate(bytes, scanning),
        hits.len(),
        rate(parsed, parsing),
        scanning + parsing
    );
    for definition in graph.definitions(name).iter().filter(|it| graph.path(it.file) == path) {
        for (place, by) in graph.users(*definition) {
            let Some(it) = graph.reference(place) else { continue };
            let inside = graph.inside(place).map_or("-", |it| it.qualified.as_str());
            println!("  {}:{} {:?} in {inside} by {by:?}", graph.path(place.file), it.line, it.kind);
        }
    }
}

fn whole<'a>(files: impl IntoIterator<Item = &'a SourceFile>, wanted: impl Fn(&str) -> bool + Copy) -> Graph {
    let mut graph = Graph::default();
    for file in files {
        if let Some(symbols) = read(file.language, &file.text, wanted) {
            graph.add(&file.path, file.language, symbols);
        }
    }
    graph
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (work(), start.elapsed())
}

#[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
fn mega(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn rate(bytes: usize, took: Duration) -> String {
    format!("{:.1} MB/s", mega(bytes) / took.as_secs_f64())
}

fn read_all(root: &Path, folder: &Path, files: &mut Vec<SourceFile>) {
    for entry in fs::read_dir(folder).expect("no such directory").flatten() {
        let (path, kind) = (entry.path(), entry.file_type().expect("no type"));
        if kind.is_dir() && entry.file_name() != ".git" {
            read_all(root, &path, files);
        }
        let size = entry.metadata().map_or(u64::MAX, |it| it.len());
        if !kind.is_file() || size > FILE_BYTES_MAX {
            continue;
        }
        let shown = path.strip_prefix(root).expect("not below the root").to_string_lossy().into_owned();
        let Ok(repository_path) = RepoPath::parse(shown.as_bytes()) else { continue };
        let text = fs::read(&path).expect("cannot be read");
        match detect(&repository_path, &text) {
            TextKind::Known(language)
                if is_covered(language) && convention::by_name(&repository_path).is_none() =>
            {
                files.push(SourceFile { path: shown, language, text });
            }
            _ => {}
        }
    }
}
