//! The developer's side from end to end: the real binary, real repositories, real `git push`.

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
