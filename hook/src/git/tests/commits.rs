//! Pushed ranges: the whole of it, and commit by commit.

use super::scene::Scene;

const LIMIT_BYTES: usize = 1 << 20;

fn patches(scene: &Scene, base: &str, limit_bytes: usize) -> Vec<(String, String, Vec<String>)> {
    let repository = scene.repository();
    let read = repository.commit_patches(base, "HEAD", limit_bytes).unwrap();
    read.map(Result::unwrap)
        .map(|part| {
            let left_out = part.left_out.into_iter().map(|left_out| left_out.path).collect();
            let subject = scene.git(&["log", "-1", "--format=%s", &part.commit]);
            (subject, String::from_utf8_lossy(&part.patch).into_owned(), left_out)
        })
        .collect()
}

fn commit(scene: &Scene, subject: &str) {
    scene.git(&["add", "--all"]);
    scene.git(&["commit", "-q", "-m", subject]);
}

#[test]
fn a_range_as_committed() {
    let scene = Scene::standard();
    scene.edit("a.txt", 3);
    scene.commit();
    let expected = scene.git(&["diff", "main", "HEAD"]) + "\n";
    scene.write("not committed", "x\n");
    scene.config("diff.external", "true");
    scene.config("diff.noprefix", "true");
    let captured = scene.repository().capture_commits("main", "HEAD").unwrap();
    assert_eq!(String::from_utf8(captured.patch).unwrap(), expected);
    assert!(scene.repository().capture_commits("HEAD", "HEAD").unwrap().patch.is_empty());
}

/// `-diff` in the change itself, or in the work tree, would show "Binary files differ".
#[test]
fn a_change_does_not_hide_itself() {
    let scene = Scene::standard();
    scene.write(".gitattributes", "* -diff\n");
    scene.write("secret.txt", "token\n");
    commit(&scene, "hidden");
    let captured = scene.repository().capture_commits("main", "HEAD").unwrap();
    assert!(String::from_utf8(captured.patch).unwrap().contains("+token"));
    let found = patches(&scene, "main", LIMIT_BYTES);
    assert!(
        found.iter().any(|(subject, patch, _)| subject == "hidden" && patch.contains("+token")),
        "{found:?}"
    );
}

#[test]
fn every_commit_not_only_the_end() {
    let scene = Scene::standard();
    scene.write("key", "SECRET\n");
    scene.write("bytes", b"\0binary SECRET2\n");
    commit(&scene, "in");
    scene.remove("key");
    scene.remove("bytes");
    commit(&scene, "out");
    scene.git(&["commit", "-q", "--allow-empty", "-m", "empty"]);
    let found = patches(&scene, "main", LIMIT_BYTES);
    let subjects: Vec<&str> = found.iter().map(|(subject, ..)| subject.as_str()).collect();
    assert_eq!(subjects, ["commit", "in", "out"]);
    assert!(found[1].1.contains("+SECRET\n") && found[1].1.contains("SECRET2"), "{}", found[1].1);
    let empty_tree = scene.git(&["hash-object", "-t", "tree", "/dev/null"]);
    let all = patches(&scene, &empty_tree, LIMIT_BYTES);
    assert_eq!(all.len(), 4);
    assert!(all[0].1.contains("+++ b/a.txt"));
}

/// What a merge itself brings in stands in no other commit.
#[test]
fn merges_that_add_something_of_their_own() {
    let scene = Scene::standard();
    scene.git(&["checkout", "-q", "-b", "side", "main"]);
    scene.edit("a.txt", 3);
    commit(&scene, "side");
    scene.git(&["checkout", "-q", "feature"]);
    scene.edit("a.txt", 30);
    commit(&scene, "mine");
    scene.git(&["merge", "-q", "--no-commit", "side"]);
    let merged = String::from_utf8(scene.read("a.txt")).unwrap();
    scene.write("a.txt", merged + "SLIPPED IN\n");
    scene.write("new.txt", "NEW HERE\n");
    commit(&scene, "merge");
    let found = patches(&scene, "main", LIMIT_BYTES);
    let (_, patch, _) = found.iter().find(|(subject, ..)| subject == "merge").unwrap();
    assert!(patch.contains("+SLIPPED IN") && patch.contains("+NEW HERE"), "{patch}");
    let change = prevet_domain::change::parse(&patch.clone().into_bytes().into()).unwrap();
    let added: usize = change.files.iter().map(|file| file.added_lines().count()).sum();
    assert_eq!((change.files.len(), added), (2, 2));
}

#[test]
fn parts_stay_within_the_limit() {
    let scene = Scene::standard();
    for number in 0..5 {
        scene.write(format!("n{number}"), "line of text\n".repeat(50));
    }
    scene.write("huge", "x".repeat(5000));
    commit(&scene, "many");
    let found = patches(&scene, "HEAD~1", 2000);
    let left_out: Vec<&String> = found.iter().flat_map(|(.., left_out)| left_out).collect();
    assert_eq!(left_out, ["huge"]);
    assert!(found.len() > 2 && found.iter().all(|(_, patch, _)| patch.len() <= 2000));
    let joined: String = found.iter().map(|(_, patch, _)| patch.as_str()).collect();
    let change = prevet_domain::change::parse(&joined.into_bytes().into()).unwrap();
    assert_eq!(change.files.len(), 5);
}

#[test]
fn unknown_commits_are_an_error() {
    let scene = Scene::standard();
    assert!(scene.repository().commit_patches("nothing", "HEAD", LIMIT_BYTES).is_err());
    assert!(scene.repository().commit_patches("main", &"1".repeat(40), LIMIT_BYTES).is_err());
}
