//! The developer's side from end to end: the real binary, real repositories, real `git push`.

#![expect(clippy::unwrap_used, reason = "what fails in a test's helper fails the test")]

mod binaries;
mod diffs;
mod embedded;
mod history;
mod interruption;
mod material;
mod outages;
mod places;
mod policy;
mod pushes;
mod reports;
mod served;
mod setup;
