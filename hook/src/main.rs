//! `prevet diff [--base REV]`.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use prevet::git::{GitEnvironment, GitError, Repository};
use prevet_domain::kind::Kind;

/// Vets a change before it leaves this machine.
#[derive(Parser)]
enum Arguments {
    /// Prints the patch that would be uploaded.
    Diff {
        /// What to compare with.
        #[arg(long)]
        base: Option<String>,
    },
}

#[expect(clippy::disallowed_methods, reason = "this is where the program reads its environment")]
fn environment() -> GitEnvironment {
    GitEnvironment {
        git_dir: std::env::var_os("GIT_DIR"),
        git_work_tree: std::env::var_os("GIT_WORK_TREE"),
        ..GitEnvironment::new(
            std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            std::env::temp_dir(),
        )
    }
}

fn diff(base: Option<String>) -> Result<(), GitError> {
    let repository = Repository::discover(&environment())?;
    let base = match base {
        Some(base) => base,
        None => repository.work_tree_base(None, None)?.commit,
    };
    let captured = repository.capture_work_tree(&base)?;
    let mut stderr = std::io::stderr().lock();
    for left_out in &captured.left_out {
        let _ = writeln!(stderr, "left out: {} ({})", left_out.path, left_out.reason);
    }
    let _ = std::io::stdout().lock().write_all(&captured.patch);
    Ok(())
}

/// A signal drops nothing, so what lies in the temporary folder is removed here.
fn clean_up_on_signal() {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    std::thread::spawn(move || {
        let code = runtime.block_on(async {
            use tokio::signal::unix::{SignalKind, signal};
            let (Ok(mut interrupt), Ok(mut terminate)) =
                (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
            else {
                return std::future::pending().await;
            };
            tokio::select! {
                _ = interrupt.recv() => 130,
                _ = terminate.recv() => 143,
            }
        });
        prevet::git::remove_private_folders();
        std::process::exit(code);
    });
}

fn main() -> ExitCode {
    let Arguments::Diff { base } = Arguments::parse();
    clean_up_on_signal();
    match diff(base) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let kind: Kind = error.kind();
            let _ = writeln!(std::io::stderr().lock(), "prevet: {error}");
            ExitCode::from(kind.exit_code())
        }
    }
}
