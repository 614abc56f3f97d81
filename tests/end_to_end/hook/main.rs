//! The developer's side from end to end: the real binary, real repositories, real `git push`.

mod diffs;
mod history;
mod material;
mod outages;
mod pushes;
