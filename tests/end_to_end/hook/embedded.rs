//! The embedded server, and `prevet serve` on the same folder.

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use prevet_testkit::world::{Running, World, every_file, wait_until};

use crate::material::{CLEAN, FLAW, FLAW_RULE, Pushed, hooked, world};
use crate::served::Served;

const PATIENCE: Duration = Duration::from_secs(30);

/// Whether anything of the world still listens or lies about that a server leaves while it runs.
fn leaves_nothing_behind(world: &World) {
    assert!(!world.data_dir().join("server.json").exists());
    assert!(world.temporary_files().is_empty());
    // The folder can be taken at once: no process and no lock is left.
    Served::start(world).stop();
}

#[test]
fn a_push_leaves_no_server_behind() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", CLEAN);
    repository.push(&["origin", "topic"]).run().is_clean();
    leaves_nothing_behind(&world);
}

#[test]
fn a_server_on_the_folder_is_used_by_the_hook() {
    let world = world();
    let repository = hooked(&world);
    let served = Served::start(&world);
    assert!(served.field("url").ends_with("/mcp"));
    repository.commit_file("f.py", FLAW);
    repository.push(&["origin", "topic"]).run().is_stopped_by(&[FLAW_RULE]);
    repository.commit_file("f.py", CLEAN);
    repository.push(&["origin", "topic"]).run().is_clean();
    assert!(world.data_dir().join("server.json").exists(), "it serves on");
    served.stop();
    leaves_nothing_behind(&world);
}

#[test]
fn a_second_server_on_the_folder_is_refused() {
    let world = world();
    let served = Served::start(&world);
    let outcome = world.prevet(&["serve"]).within(Duration::from_secs(90)).exits(3);
    outcome.says(&["in use", &world.data_dir().display().to_string()]);
    served.stop();
}

#[test]
fn ctrl_c_ends_the_server_cleanly() {
    let world = world();
    let served = Served::start(&world);
    served.running.signal("INT");
    assert_eq!(served.running.end().code, 0);
    leaves_nothing_behind(&world);
}

#[test]
fn a_killed_server_is_not_waited_for() {
    let world = world();
    let repository = hooked(&world);
    let served = Served::start(&world);
    served.running.signal("KILL");
    served.running.end();
    assert!(world.data_dir().join("server.json").exists(), "it could not tidy up");
    repository.commit_file("f.py", CLEAN);
    repository.push(&["origin", "topic"]).run().is_clean();
    leaves_nothing_behind(&world);
}

/// Two pushes from two clones of one repository by one developer, side by side: both are reviewed.
fn two_pushes_at_once(served: bool) {
    let world = world();
    let first = hooked(&world);
    let server = served.then(|| Served::start(&world));
    let second = world.clone_of("w.git", "second", &[]);
    second.install_hook();
    first.commit_file("one.py", CLEAN);
    second.git(&["checkout", "-q", "-b", "other"]);
    second.commit_file("two.py", FLAW);
    let pushes: Vec<Running> = vec![
        first.push(&["origin", "topic"]).start(),
        second.push(&["origin", "other"]).start(),
        first.push(&["origin", "topic:again"]).start(),
    ];
    let outcomes: Vec<_> = pushes.into_iter().map(Running::end).collect();
    outcomes[0].is_clean();
    outcomes[1].is_stopped_by(&["two.py:2"]);
    outcomes[2].is_clean();
    if let Some(server) = server {
        server.stop();
    }
    leaves_nothing_behind(&world);
}

#[test]
fn two_pushes_at_once_over_the_embedded_server() {
    two_pushes_at_once(false);
}

#[test]
fn two_pushes_at_once_over_one_server() {
    two_pushes_at_once(true);
}

#[test]
fn a_server_killed_in_the_middle_of_an_upload_keeps_no_half_of_it() {
    let world = world();
    let repository = hooked(&world);
    let served = Served::start(&world);
    repository.commit_file("f.py", FLAW);
    let json = repository.prevet(&["inspect", "--format", "json"]).exits(1).json();
    let session = json["session_id"].as_str().unwrap();
    let address = served.field("url").strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
    let mut upload = TcpStream::connect(address).unwrap();
    let head = format!(
        "POST /upload/{session} HTTP/1.1\r\nHost: {address}\r\nX-Product-API-Key: {}\r\n\
         Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 4000000\r\n\r\n\
         --b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n",
        served.field("agent_key")
    );
    upload.write_all(head.as_bytes()).unwrap();
    upload.write_all(&vec![b'x'; 2_000_000]).unwrap();
    let before = every_file(&world.data_dir());
    served.running.signal("KILL");
    served.running.end();
    assert_eq!(every_file(&world.data_dir()), before, "no half of the body is kept");
    let again = repository.prevet(&["inspect", "--format", "json"]).exits(1).json();
    assert_eq!(again["session_id"], json["session_id"]);
    assert_eq!(again["findings"][0]["status"], "persisting");
    repository.commit_file("f.py", CLEAN);
    repository.push(&["origin", "topic"]).run().is_clean();
}

#[test]
fn a_server_killed_while_a_push_uses_it_costs_that_review_alone() {
    let world = world();
    let repository = hooked(&world);
    for number in 0..40 {
        let lines: Vec<String> = (0..500).map(|line| format!("v{line} = {number} + {line}\n")).collect();
        repository.write(format!("m{number}.py"), lines.concat());
    }
    repository.commit("many");
    let served = Served::start(&world);
    let before = every_file(&world.data_dir()).len();
    let push = repository.push(&["origin", "topic"]).start();
    wait_until("something stored", PATIENCE, || every_file(&world.data_dir()).len() > before);
    served.running.signal("KILL");
    served.running.end();
    let outcome = push.end();
    assert_eq!(outcome.code, 0, "{outcome}");
    outcome.never_says(&["panicked", "the push is stopped"]);
    repository.commit_file("f.py", FLAW);
    repository.push(&["-f", "origin", "topic"]).run().is_stopped_by(&["f.py:2"]);
}

#[test]
fn the_data_folder_is_its_owner_s_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = world();
    let served = Served::start(&world);
    let mode = |name: &str| fs::metadata(world.data_dir().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("."), 0o700);
    for name in ["keys.json", "store.json", "server.json", "lock"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    served.stop();
}

#[test]
fn a_data_folder_that_cannot_be_used_is_named_and_the_push_goes_on() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", CLEAN);
    fs::write(world.path("file"), "").unwrap();
    let folder = world.path("file/data");
    let outcome = repository.push(&["origin", "topic"]).env("PREVET_DATA_DIR", &folder).run();
    outcome.went_on_unreviewed(&[&folder.display().to_string()]);
}

#[test]
fn damaged_keys_are_named_with_the_way_out() {
    let world = world();
    let repository = hooked(&world);
    Served::start(&world).stop();
    let keys = world.data_dir().join("keys.json");
    fs::write(&keys, "{").unwrap();
    repository.commit_file("f.py", CLEAN);
    let outcome = repository.push(&["--dry-run", "origin", "topic"]).run();
    outcome.went_on_unreviewed(&["keys.json is damaged; remove it"]);
    fs::remove_file(&keys).unwrap();
    repository.push(&["origin", "topic"]).run().is_clean();
}
