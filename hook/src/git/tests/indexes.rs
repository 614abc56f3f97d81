//! What an index may hold, and the formats that it may have.

use std::fs;

use super::scene::Scene;
use super::states;

states! {
    staged_then_edited => |scene| {
        scene.edit("a.txt", 3);
        scene.git(&["add", "a.txt"]);
        scene.edit("a.txt", 30);
        scene.write("s.txt", "x\n");
        scene.git(&["add", "s.txt"]);
        scene.write("s.txt", "y\n");
    };
    staged_then_deleted => |scene| {
        scene.write("s.txt", "x\n");
        scene.git(&["add", "s.txt"]);
        scene.remove("s.txt");
    };
    removed_from_the_index_only => |scene| {
        scene.git(&["rm", "-q", "--cached", "a.txt", "b.txt"]);
        scene.edit("b.txt", 4);
    };
    intent_to_add_of_the_user => |scene| {
        scene.write("i.txt", "x\n");
        scene.write("gone.txt", "x\n");
        scene.git(&["add", "--intent-to-add", "i.txt", "gone.txt"]);
        scene.remove("gone.txt");
        scene.write("j.txt", "y\n");
    };
    assumed_unchanged => |scene| {
        scene.git(&["update-index", "--assume-unchanged", "a.txt"]);
        scene.edit("a.txt", 3);
        scene.edit("b.txt", 3);
        scene.write("n", "1\n");
    };
    skipped => |scene| {
        scene.git(&["update-index", "--skip-worktree", "a.txt", "b.txt"]);
        scene.edit("a.txt", 3);
        scene.remove("b.txt");
        scene.write("n", "1\n");
    };
    version_4 => |scene| {
        scene.git(&["update-index", "--index-version", "4"]);
        scene.edit("a.txt", 3);
        scene.write("dir/n", "1\n");
        scene.write("zz/n", "1\n");
    };
    version_4_and_a_folder_where_a_file_was => |scene| {
        scene.git(&["update-index", "--index-version", "4"]);
        scene.remove("a.txt");
        scene.write("a.txt/n", "1\n");
    };
    without_checksum => |scene| {
        scene.config("index.skipHash", "true");
        scene.git(&["update-index", "--force-write-index"]);
        scene.edit("a.txt", 3);
        scene.write("n", "1\n");
    };
    split => |scene| {
        scene.git(&["update-index", "--split-index"]);
        scene.edit("a.txt", 3);
        scene.write("n", "1\n");
        scene.write("staged", "1\n");
        scene.git(&["add", "staged"]);
    };
    sparse => |scene| {
        scene.git(&["sparse-checkout", "set", "--sparse-index", "dir"]);
        scene.edit("dir/d.txt", 3);
        scene.write("dir/n", "1\n");
    };
    outside_the_sparse_checkout => |scene| {
        scene.git(&["sparse-checkout", "set", "dir"]);
        scene.edit("dir/d.txt", 3);
        scene.write("other/n", "1\n");
    };
    cache_of_untracked_files => |scene| {
        scene.git(&["update-index", "--force-untracked-cache"]);
        scene.git(&["status"]);
        scene.edit("a.txt", 3);
        scene.write("dir/n", "1\n");
    };
    file_system_monitor => |scene| {
        scene.write(".git/monitor", "#!/bin/sh\nprintf 'token\\0/\\0'\n");
        scene.chmod(".git/monitor", 0o755);
        scene.config("core.fsmonitor", ".git/monitor");
        scene.git(&["status"]);
        scene.edit("a.txt", 3);
        scene.write("n", "1\n");
    };
    case_ignored => |scene| {
        scene.config("core.ignoreCase", "true");
        scene.rename("a.txt", "A.txt");
        scene.write("NEW", "1\n");
        scene.write("dir/NEW", "1\n");
    };
    case_of_a_folder_ignored => |scene| {
        scene.config("core.ignoreCase", "true");
        scene.write("DIR/new", "1\n");
        scene.write("dir/new", "2\n");
    };
    missing => |scene| scene.remove(".git/index");
    without_commits_in_folders_of_the_tree => |scene| {
        // The cache of trees is whole here, and a new file makes some of it stale.
        scene.git(&["read-tree", "HEAD"]);
        scene.git(&["update-index", "-q", "--refresh"]);
        scene.write("dir/new", "1\n");
    };
}

/// Same size and time as staged, so that only the index's own time tells that the file must be read.
#[test]
fn edit_within_the_clock_tick_of_the_index() {
    let scene = Scene::standard();
    let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let set =
        |name: &str| fs::File::options().append(true).open(scene.path(name)).unwrap().set_modified(time);
    scene.write("racy", "aaaa\n");
    set("racy").unwrap();
    scene.commit_as_base();
    scene.write("racy", "bbbb\n");
    set("racy").unwrap();
    scene.git(&["add", "racy"]);
    set(".git/index").unwrap();
    scene.write("racy", "cccc\n");
    set("racy").unwrap();
    let captured = scene.check();
    assert!(String::from_utf8(captured.patch).unwrap().contains("+cccc"));
}

#[test]
fn works_beside_a_locked_index() {
    let scene = Scene::standard();
    scene.write(".git/index.lock", "");
    scene.edit("a.txt", 1);
    scene.write("n", "1\n");
    let before = scene.snapshot();
    let captured = scene.repository().capture_work_tree(&scene.base()).unwrap();
    assert_eq!(scene.snapshot(), before);
    assert!(String::from_utf8(captured.patch).unwrap().contains("diff --git a/n b/n"));
}

/// Intent-to-add entries that stay in the index would break `git stash`.
#[test]
fn stash_works_afterwards() {
    let scene = Scene::standard();
    scene.write("new.txt", "hi\n");
    scene.edit("a.txt", 1);
    scene.check();
    assert_eq!(scene.git(&["status", "--short"]), "M a.txt\n?? new.txt");
    scene.git(&["stash"]);
}
