//! The developer's side from end to end: the real binary, real repositories, real `git push`.

mod material;
mod pushes;
