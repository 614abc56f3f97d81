//! What the tests push: worlds with the hook installed, and content that is clean or flawed on purpose.

use prevet_testkit::world::{Outcome, WorkRepository, World};

/// A rule of high severity, and what it finds on line 2.
pub const FLAW_RULE: &str = "python.or-with-constant";
/// Code with one finding of high severity.
pub const FLAW: &str = "def f(x):\n    if x == 1 or 2:\n        return x\n";
/// A rule of medium severity.
pub const DOUBT_RULE: &str = "python.mutable-default-changed";
/// Code with one finding of medium severity, which by default stops nothing.
pub const DOUBT: &str = "def f(x, seen=[]):\n    seen.append(x)\n    return seen\n";
/// Code with no finding.
pub const CLEAN: &str = "def f(x):\n    return x + 1\n";
/// What is said of a push without findings.
pub const NOTHING_FOUND: &str = "reviewed, nothing found";
/// What is said of a push that findings stop.
pub const STOPPED: &str = "the push is stopped: mend the findings";
/// What is said of a push without a review.
pub const NOT_REVIEWED: &str = "not reviewed: ";
/// What is said of a push that goes on without a review.
pub const GOES_ON: &str = "; the push goes on";

/// A key that is none, put together here so that no file of this repository holds one.
pub fn secret() -> String {
    ["AKIA", "Z7QH3M2X", "LD4KTV5R"].concat()
}

/// A line with a secret.
pub fn secret_line() -> String {
    format!("key = \"{}\"\n", secret())
}

/// An empty world.
pub fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_prevet"))
}

/// The common repository, with the hook installed and a branch `topic` checked out.
pub fn hooked(world: &World) -> WorkRepository<'_> {
    let repository = world.repository("w");
    repository.install_hook();
    repository.git(&["checkout", "-q", "-b", "topic"]);
    repository
}

/// What the tests say about a push.
pub trait Pushed {
    /// It went through after a review that found nothing.
    fn is_clean(&self);
    /// It was stopped by findings of these rules or with these words.
    fn is_stopped_by(&self, parts: &[&str]);
    /// It went through without a review, and one line says so and why.
    fn went_on_unreviewed(&self, parts: &[&str]);
}

impl Pushed for Outcome {
    #[track_caller]
    fn is_clean(&self) {
        assert_eq!(self.code, 0, "{self}");
        self.says(&[NOTHING_FOUND]).never_says(&[NOT_REVIEWED, STOPPED, "panicked"]);
    }

    #[track_caller]
    fn is_stopped_by(&self, parts: &[&str]) {
        assert_eq!(self.code, 1, "{self}");
        self.says(&[STOPPED]).says(parts).never_says(&[NOT_REVIEWED, "panicked", &secret()]);
    }

    #[track_caller]
    fn went_on_unreviewed(&self, parts: &[&str]) {
        assert_eq!(self.code, 0, "{self}");
        self.says(&[NOT_REVIEWED, GOES_ON]).says(parts).never_says(&[STOPPED, NOTHING_FOUND, "panicked"]);
        assert_eq!(self.own_lines().len(), 1, "{self}");
    }
}
