//! Hooks in and out, servers and keys, and what `doctor` says of them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use prevet_testkit::stub::closed_port;
use prevet_testkit::world::{Outcome, WorkRepository, snapshot, wait_until};

use crate::material::{CLEAN, FLAW, FLAW_RULE, Pushed, hooked, world};
use crate::served::Served;

fn executable(repository: &WorkRepository<'_>, path: &str, content: &str) {
    repository.write(path, content);
    fs::set_permissions(repository.path(path), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_hook_goes_in_once_and_out_without_a_trace() {
    let world = world();
    let repository = world.repository("w");
    let before = snapshot(&repository.path(".git/hooks"));
    repository.install_hook().says(&["the pre-push hook is installed"]);
    let installed = snapshot(&repository.path(".git"));
    repository.install_hook().says(&["was installed already"]);
    assert_eq!(snapshot(&repository.path(".git")), installed);
    repository.commit_file("f.py", FLAW);
    repository.push(&["origin", "main"]).run().is_stopped_by(&[FLAW_RULE]);
    repository.prevet(&["init", "--remove"]).succeeds().says(&["the pre-push hook is removed"]);
    assert_eq!(snapshot(&repository.path(".git/hooks")), before);
    repository.push(&["origin", "main"]).succeeds().never_says(&["prevet: "]);
    repository.prevet(&["init", "--remove"]).succeeds().says(&["there was no pre-push hook"]);
}

#[test]
fn a_hook_that_is_there_runs_on_with_its_arguments_and_lines() {
    let world = world();
    let repository = world.repository("w");
    let own = "#!/bin/sh\necho \"own: $1\" >&2\ncat >own-lines\nexit \"${OWN_CODE:-0}\"\n";
    executable(&repository, ".git/hooks/pre-push", own);
    repository.install_hook();
    repository.commit_file("f.py", CLEAN);
    let outcome = repository.push(&["origin", "main"]).env("OWN_CODE", "7").exits(1);
    outcome.says(&["own: origin", "reviewed, nothing found"]);
    let lines = fs::read_to_string(repository.path("own-lines")).unwrap();
    assert!(lines.contains(&repository.id("main")), "{lines:?}");
    repository.push(&["origin", "main"]).succeeds().says(&["own: origin"]);
    repository.commit_file("f.py", FLAW);
    repository.push(&["origin", "main"]).exits(1).never_says(&["own: origin"]);
    repository.prevet(&["init", "--remove"]).succeeds();
    assert_eq!(fs::read_to_string(repository.path(".git/hooks/pre-push")).unwrap(), own);
}

#[test]
fn hooks_in_a_folder_of_their_own_are_respected() {
    let world = world();
    let repository = world.repository("w");
    repository.git(&["config", "core.hooksPath", ".hooks"]);
    executable(&repository, ".hooks/pre-push", "#!/bin/sh\ncat >/dev/null\necho team >&2\n");
    repository.install_hook();
    assert!(!repository.path(".git/hooks/pre-push").exists());
    repository.commit_file("f.py", FLAW);
    repository.push(&["origin", "main"]).run().is_stopped_by(&[FLAW_RULE]);
    repository.prevet(&["init", "--remove"]).succeeds();
    repository.push(&["origin", "main"]).succeeds().says(&["team"]).never_says(&["prevet: "]);
}

#[test]
fn a_hook_whose_program_is_gone_holds_nothing_up() {
    let world = world();
    let repository = world.repository("w");
    let copy = world.path("bin/prevet");
    fs::create_dir(world.path("bin")).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_prevet"), &copy).unwrap();
    world.call(&copy, repository.root()).args(&["init"]).succeeds();
    fs::remove_file(&copy).unwrap();
    repository.commit_file("f.py", FLAW);
    let outcome = repository.push(&["origin", "main"]).env("PATH", "/usr/bin:/bin").succeeds();
    outcome.says(&["this push goes out without a review"]);
}

fn login(repository: &WorkRepository<'_>, served: &Served, key: &str, code: i32) -> Outcome {
    let arguments = ["login", "--url", served.field("url"), "--tenant", served.field("tenant_key")];
    repository.prevet(&arguments).stdin(format!("{key}\n")).exits(code)
}

#[test]
fn logging_in_and_out() {
    let world = world();
    let repository = hooked(&world);
    let served = Served::elsewhere(&world, &world.path("elsewhere"));
    fs::create_dir_all(world.config_file().parent().unwrap()).unwrap();
    fs::write(world.config_file(), "# mine\n[review]\neffort = \"low\"\n").unwrap();
    login(&repository, &served, served.field("agent_key"), 0).says(&[served.field("url")]);
    let key_file = world.config_file().with_file_name("key");
    assert_eq!(fs::metadata(&key_file).unwrap().permissions().mode() & 0o777, 0o600);
    let config = fs::read_to_string(world.config_file()).unwrap();
    assert!(config.contains("# mine") && config.contains("effort = \"low\""), "{config}");
    assert!(!config.contains(served.field("agent_key")));
    repository.commit_file("f.py", FLAW);
    repository.push(&["origin", "topic"]).run().is_stopped_by(&[FLAW_RULE]);
    assert!(!world.data_dir().exists(), "the embedded server is not started beside it");
    repository.prevet(&["doctor"]).succeeds();
    repository.prevet(&["logout"]).succeeds().says(&["forgotten"]);
    assert!(!key_file.exists());
    assert_eq!(fs::read_to_string(world.config_file()).unwrap(), "# mine\n[review]\neffort = \"low\"\n");
    repository.prevet(&["logout"]).succeeds().says(&["no server was set"]);
    repository.push(&["origin", "topic"]).run().is_stopped_by(&[FLAW_RULE]);
    assert!(world.data_dir().exists());
    served.stop();
}

#[test]
fn a_login_that_does_not_work_keeps_nothing() {
    let world = world();
    let repository = world.repository("w");
    let served = Served::elsewhere(&world, &world.path("elsewhere"));
    login(&repository, &served, "pvk_agent_wrong", 2).says(&["401"]).never_says(&["pvk_agent_wrong"]);
    login(&repository, &served, "", 2).says(&["no API key was given"]);
    let other = ["login", "--url", served.field("url"), "--tenant", "ten_other"];
    let key = served.field("agent_key").to_owned();
    repository.prevet(&other).stdin(key.clone()).exits(2).says(&["403"]);
    let nobody = closed_port();
    let unreachable = ["login", "--url", &nobody, "--tenant", "t"];
    repository.prevet(&unreachable).stdin(key).exits(3).says(&["cannot be reached"]);
    assert!(!world.config_file().exists());
    served.stop();
}

#[test]
fn a_key_is_never_sent_in_the_clear_to_another_machine() {
    let world = world();
    let repository = hooked(&world);
    let arguments = ["login", "--url", "http://prevet.example/mcp", "--tenant", "t"];
    repository.prevet(&arguments).stdin("key\n").exits(2).says(&["plain http", "https"]);
    repository.commit_file("f.py", CLEAN);
    let call = repository.push(&["origin", "topic"]).env("PREVET_API_URL", "http://10.0.0.1/mcp");
    let outcome = call.env("PREVET_API_KEY", "k").env("PREVET_TENANT_KEY", "t").run();
    outcome.went_on_unreviewed(&["plain http"]);
}

#[test]
fn a_server_without_a_key_is_named_by_its_variable() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", CLEAN);
    let url = "https://prevet.example/mcp";
    let inspect = repository.prevet(&["inspect"]).env("PREVET_API_URL", url).env("PREVET_TENANT_KEY", "t");
    inspect.exits(2).says(&["PREVET_API_URL is set but PREVET_API_KEY is not"]);
    let inspect = repository.prevet(&["inspect"]).env("PREVET_API_URL", url).env("PREVET_API_KEY", "k");
    inspect.exits(2).says(&["PREVET_TENANT_KEY is not"]);
    let push = repository.push(&["origin", "topic"]).env("PREVET_API_URL", url).run();
    push.went_on_unreviewed(&["PREVET_TENANT_KEY is not"]);
}

#[test]
fn a_broken_configuration_file_is_named_with_its_key() {
    let world = world();
    let repository = hooked(&world);
    fs::create_dir_all(world.config_file().parent().unwrap()).unwrap();
    fs::write(world.config_file(), "[server]\nurl = 1\n").unwrap();
    let parts = ["config.toml", "url"];
    for arguments in [&["inspect"][..], &["logout"], &["diff"]] {
        repository.prevet(arguments).exits(2).says(&parts);
    }
    let outcome = repository.prevet(&["doctor"]).exits(2);
    assert!(outcome.text().contains("bad   ") && outcome.text().contains("config.toml"), "{outcome}");
    repository.commit_file("f.py", CLEAN);
    repository.push(&["origin", "topic"]).run().went_on_unreviewed(&parts);
}

#[test]
fn doctor_says_what_is_set_up_and_what_is_not() {
    let world = world();
    let repository = world.repository("w");
    let shows = |code: i32, parts: &[&str]| {
        let outcome = repository.prevet(&["doctor"]).exits(code);
        parts.iter().for_each(|part| assert!(outcome.text().contains(part), "{part}: {outcome}"));
    };
    shows(0, &["note  the pre-push hook is not installed: `prevet init`", "ok    no server is set"]);
    repository.install_hook();
    shows(0, &["ok    the pre-push hook is installed", "refs/remotes/origin/main"]);
    repository.commit_file(".prevet.toml", "gates = 1\n");
    shows(2, &["bad   .prevet.toml", "gates"]);
    let served = Served::elsewhere(&world, &world.path("elsewhere"));
    let wrong = served.used_with(repository.prevet(&["doctor"]), "pvk_agent_wrong").exits(2);
    assert!(wrong.text().contains("bad   ") && wrong.text().contains("401"), "{wrong}");
    let right = served.used_by(world.prevet(&["doctor"])).succeeds();
    assert!(right.text().contains(served.field("url")), "{right}");
    served.stop();
}

fn admin(world: &prevet_testkit::world::World, arguments: &[&str]) -> serde_json::Value {
    let folder = world.path("elsewhere").display().to_string();
    world.prevet(&[&["admin"], arguments, &["--data", &folder]].concat()).succeeds().json()
}

#[test]
fn administration_works_beside_a_server_and_without_one() {
    let world = world();
    let repository = world.repository("w");
    repository.write("f.py", FLAW);
    let tenant = admin(&world, &["tenant", "create", "Team"])["tenant_key"].as_str().unwrap().to_owned();
    let served = Served::elsewhere(&world, &world.path("elsewhere"));
    let create = ["key", "create", "--tenant", &tenant, "--role", "agent", "--product", "code-review"];
    let made = admin(&world, &create);
    let key = made["key"].as_str().unwrap();
    let inspect = |code: i32| {
        let call = served.used_with(repository.prevet(&["inspect"]), key);
        call.env("PREVET_TENANT_KEY", &tenant).exits(code)
    };
    inspect(1);
    admin(&world, &["repo", "add", "--tenant", &tenant, "team/w", "--target", "main"]);
    inspect(1);
    let listed = admin(&world, &["key", "list", "--tenant", &tenant]);
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert!(!listed.to_string().contains(key), "a key is shown once");
    admin(&world, &["key", "revoke", made["id"].as_str().unwrap()]);
    inspect(2).says(&["401"]);
    served.stop();
    let listed = admin(&world, &["key", "list", "--tenant", &tenant]);
    assert_eq!(listed[0]["revoked"], true);
    let folder = world.path("elsewhere").display().to_string();
    for bad in [
        &["key", "revoke", "key_none"][..],
        &["key", "list", "--tenant", "ten_none"],
        &["repo", "add", "--tenant", &tenant, "w", "--target", "main"],
        &["repo", "add", "--tenant", &tenant, "team/w", "--target=--upload-pack=x"],
        &["tenant", "create", ""],
    ] {
        world.prevet(&[&["admin"], bad, &["--data", &folder]].concat()).exits(2);
    }
}

#[test]
fn the_integration_s_target_branch_is_what_changes_are_compared_with() {
    let world = world();
    let repository = hooked(&world);
    let served = Served::elsewhere(&world, &world.path("elsewhere"));
    let tenant = served.field("tenant_key").to_owned();
    admin(&world, &["repo", "add", "--tenant", &tenant, "team/w", "--target", "next"]);
    repository.commit_file("next.py", FLAW);
    repository.git(&["push", "-q", "--no-verify", "origin", "HEAD:next"]);
    repository.git(&["update-ref", "-d", "refs/remotes/origin/next"]);
    repository.commit_file("f.py", CLEAN);
    served.used_by(repository.push(&["origin", "topic"])).run().is_clean();
    let patch = served.used_by(repository.prevet(&["diff"])).succeeds().text();
    assert!(patch.contains("f.py") && !patch.contains("next.py"), "{patch}");
    repository.push(&["origin", "topic:again"]).run().is_stopped_by(&["next.py:2"]);
    served.stop();
}

#[test]
fn a_key_that_has_expired_is_told_as_such() {
    let world = world();
    let repository = hooked(&world);
    repository.commit_file("f.py", CLEAN);
    let served = Served::elsewhere(&world, &world.path("elsewhere"));
    let tenant = served.field("tenant_key").to_owned();
    let create = ["key", "create", "--tenant", &tenant, "--role", "agent", "--product", "code-review"];
    let made = admin(&world, &[&create[..], &["--expires", "1s"]].concat());
    let key = made["key"].as_str().unwrap();
    let doctor = || served.used_with(repository.prevet(&["doctor"]), key).run().code;
    wait_until("the key's end", Duration::from_secs(20), || doctor() == 2);
    let outcome = served.used_with(repository.push(&["origin", "topic"]), key).run();
    outcome.went_on_unreviewed(&["401", "expired"]);
    outcome.never_says(&[key]);
    served.stop();
}

#[test]
fn the_demo_goes_as_told_whatever_surrounds_it() {
    let world = world();
    let mut demo = world.prevet(&["demo"]).env("PREVET_API_URL", closed_port());
    for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE", "GIT_COMMON_DIR"] {
        demo = demo.env(name, world.path("nowhere"));
    }
    let outcome = demo.env("GIT_CONFIG_PARAMETERS", "'core.hooksPath=/dev/null'").succeeds();
    assert!(outcome.text().contains("passed once mended: true"), "{outcome}");
    assert!(world.temporary_files().is_empty());
    assert!(!world.data_dir().exists());
}
