//! Tests with the real git, each in a folder of its own.

mod attributes;
mod bases;
mod commits;
mod configured;
mod conflicts;
mod contents;
mod files;
mod ignored;
mod indexes;
mod names;
mod pushes;
mod renames;
mod repositories;
mod scene;
mod special;
mod submodules;

/// One test for each state of a work tree: it is built in a standard repository, and then the capture must be
/// what git prints on a copy of it.
macro_rules! states {
    ($($name:ident => $build:expr;)+) => {
        $(
            #[test]
            fn $name() {
                let scene = $crate::git::tests::scene::Scene::standard();
                let build: fn(&$crate::git::tests::scene::Scene) = $build;
                build(&scene);
                scene.check();
            }
        )+
    };
}
use states;
