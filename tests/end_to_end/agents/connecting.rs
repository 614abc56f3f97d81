//! `prevet connect` on the configurations of five agents.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use prevet_testkit::stub::closed_port;
use prevet_testkit::world::{World, every_file, snapshot};
use serde_json::Value;

use super::scene::{ROUNDS, SERVER};

const SKILLS: [&str; 5] = ["inspect", "review-impl", "review-plan", "review-pr", "review-think"];
const JSON: &str = "{\n  // mine, and it stays\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" } /* kept */\n  }\n}\n";
const STRICT_JSON: &str = "{\"numStartups\":3,\"mcpServers\":{\"other\":{\"type\":\"stdio\",\"command\":\"x\"}},\"projects\":{\"/p\":{}}}";
const JSONC: &str = "{\r\n\t\"$schema\": \"https://opencode.ai/config.json\", // checked\r\n\t\"mcp\": {\r\n\t\t\"other\": {\"type\": \"local\", \"command\": [\"x\"]},\r\n\t},\r\n}\r\n";
const TOML: &str = "model = 'gpt-5.5'   # mine\n\n[mcp_servers.other]\ncommand = \"x\" # kept\nargs = [ \"a\",\n  \"b\" ]\n\n[tui]\ntheme = \"night\"\n# the end";

/// An agent, its configuration in a home, and what people have in it.
const AGENTS: [(&str, &str, &str, &str); 5] = [
    ("claude-code", ".claude.json", ".claude/skills", STRICT_JSON),
    ("codex", ".codex/config.toml", ".codex/skills", TOML),
    ("cursor", ".cursor/mcp.json", ".cursor/skills", STRICT_JSON),
    ("opencode", "config/opencode/opencode.jsonc", "config/opencode/skills", JSONC),
    ("gemini", ".gemini/settings.json", ".gemini/skills", JSON),
];

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_prevet"))
}

fn write(world: &World, path: &str, text: &str) -> PathBuf {
    let path = world.path("home").join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn connected_and_removed_every_home_is_as_it_was() {
    for (agent, config, skills, text) in AGENTS {
        for text in [Some(text), Some(""), None] {
            let world = world();
            let home = world.path("home");
            fs::create_dir(home.join("config")).unwrap();
            if let Some(text) = text {
                write(&world, config, text);
            }
            let (before, folders) = (snapshot(&home), every_file(&home));
            let connected = world.prevet(&["connect", agent]).succeeds();
            let said = &connected.stderr;
            assert!(said.contains(&format!("cross-review answers: {}", ROUNDS.join(", "))), "{connected}");
            assert!(said.contains(&format!("prevet answers: {}", SERVER.join(", "))), "{connected}");
            for skill in SKILLS {
                assert!(home.join(skills).join(skill).join("SKILL.md").is_file(), "{agent} lacks {skill}");
            }
            let now = fs::read_to_string(home.join(config)).unwrap();
            assert!(now.contains("cross-review") && now.contains("REVIEW_WAIT_DEFAULT_S"), "{now}");
            let again = world.prevet(&["connect", agent]).succeeds();
            assert!(again.stderr.contains("was connected already"), "{again}");
            assert_eq!(fs::read_to_string(home.join(config)).unwrap(), now);
            world.prevet(&["connect", agent, "--remove"]).succeeds();
            assert_eq!(snapshot(&home), before, "{agent} with {text:?}");
            assert_eq!(every_file(&home), folders, "{agent} left a folder behind");
            let nothing = world.prevet(&["connect", agent, "--remove"]).succeeds();
            assert!(nothing.stderr.contains("was not connected"), "{nothing}");
        }
    }
}

#[test]
fn foreign_entries_and_comments_stay() {
    for (agent, config, _, text) in AGENTS {
        let world = world();
        let path = write(&world, config, text);
        world.prevet(&["connect", agent]).succeeds();
        let now = fs::read_to_string(&path).unwrap();
        let mut bytes = now.bytes();
        assert!(text.bytes().all(|byte| bytes.any(|it| it == byte)), "{agent}: {now}");
        let backup =
            path.with_file_name(format!("{}.before-prevet", path.file_name().unwrap().to_str().unwrap()));
        assert_eq!(fs::read_to_string(&backup).unwrap(), text);
        // What the agent or its user writes later is kept.
        let later = now.replacen("\"x\"", "\"changed\"", 1);
        fs::write(&path, &later).unwrap();
        let removed = world.prevet(&["connect", agent, "--remove"]).succeeds();
        assert!(removed.stderr.contains("before-prevet"), "{removed}");
        assert_eq!(
            fs::read_to_string(&path).unwrap().trim_end(),
            text.replacen("\"x\"", "\"changed\"", 1).trim_end()
        );
    }
}

#[test]
fn print_shows_and_changes_nothing() {
    for (agent, config, _, text) in AGENTS {
        let world = world();
        let path = write(&world, config, text);
        let before = snapshot(&world.root());
        let printed = world.prevet(&["connect", agent, "--print"]).succeeds().text();
        assert_eq!(snapshot(&world.root()), before);
        for expected in
            ["cross-review", "REVIEW_WAIT_DEFAULT_S", "review-think/SKILL.md", path.to_str().unwrap()]
        {
            assert!(printed.contains(expected), "{agent}: {printed} lacks {expected}");
        }
        world.prevet(&["connect", agent]).succeeds();
        let printed = world.prevet(&["connect", agent, "--remove", "--print"]).succeeds().text();
        assert!(printed.contains(&format!("edit {}", path.display())), "{printed}");
        assert!(fs::read_to_string(&path).unwrap().contains("cross-review"));
    }
}

#[test]
fn homes_that_the_environment_names() {
    let world = world();
    let (codex, claude) = (world.path("c"), world.path("d"));
    world.prevet(&["connect", "codex"]).env("CODEX_HOME", &codex).succeeds();
    world.prevet(&["connect", "claude-code"]).env("CLAUDE_CONFIG_DIR", &claude).succeeds();
    assert!(codex.join("config.toml").is_file() && codex.join("skills/inspect/SKILL.md").is_file());
    assert!(claude.join(".claude.json").is_file() && claude.join("skills/inspect/SKILL.md").is_file());
    assert!(every_file(&world.path("home")).is_empty());
    let none = world.prevet(&["connect", "cursor"]).without_env("HOME").exits(2);
    assert!(none.stderr.contains("HOME"), "{none}");
}

#[test]
fn a_link_stays_a_link_and_a_mode_stays() {
    let world = world();
    let real = world.path("dotfiles.toml");
    fs::write(&real, TOML).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    let link = world.path("home/.codex/config.toml");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(&real, &link).unwrap();
    world.prevet(&["connect", "codex"]).succeeds();
    assert!(link.is_symlink() && fs::read_to_string(&real).unwrap().contains("cross-review"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    world.prevet(&["connect", "codex", "--remove"]).succeeds();
    assert_eq!(fs::read_to_string(&real).unwrap(), TOML);
    assert!(link.is_symlink());
}

#[test]
fn a_broken_configuration_is_left_alone() {
    let world = world();
    let path = write(&world, ".claude.json", "{ \"mcpServers\": ");
    let before = snapshot(&world.root());
    for arguments in [&["connect", "claude-code"][..], &["connect", "claude-code", "--remove"]] {
        let outcome = world.prevet(arguments).exits(2);
        assert!(outcome.stderr.contains(path.to_str().unwrap()), "{outcome}");
    }
    assert_eq!(snapshot(&world.root()), before);
}

#[test]
fn what_does_not_answer_is_said() {
    let world = world();
    let url = closed_port();
    let connect = |arguments: &[&str]| {
        let call = world.prevet(&[&["connect", "gemini"], arguments].concat());
        call.env("PREVET_API_URL", &url).env("PREVET_API_KEY", "k").env("PREVET_TENANT_KEY", "t")
    };
    let outcome = connect(&[]).exits(2);
    assert!(outcome.stderr.contains("cross-review answers: review_begin"), "{outcome}");
    assert!(
        outcome.stderr.contains("the configured server does not answer") && outcome.stderr.contains(&url),
        "{outcome}"
    );
    let outcome = connect(&["--http"]).exits(2);
    assert!(outcome.stderr.contains("prevet does not answer"), "{outcome}");
    let text = fs::read_to_string(world.path("home/.gemini/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(settings["mcpServers"]["prevet"]["url"], url);
    assert_eq!(settings["mcpServers"]["prevet"]["headers"]["X-Product-API-Key"], "$PREVET_API_KEY");
    connect(&["--remove"]).succeeds();
    assert!(!world.path("home/.gemini").exists());
}

#[test]
fn http_needs_a_server_and_shows_no_key() {
    let world = world();
    let outcome = world.prevet(&["connect", "codex", "--http"]).exits(2);
    assert!(outcome.stderr.contains("prevet login"), "{outcome}");
    write(
        &world,
        "config/prevet/config.toml",
        "[server]\nurl = \"https://h.example/mcp\"\ntenant_key = \"t\"\nkey_file = \"key\"\n",
    );
    write(&world, "config/prevet/key", "a-secret-key\n");
    let printed = world.prevet(&["connect", "codex", "--http", "--print"]).succeeds();
    assert!(
        printed.text().contains("https://h.example/mcp") && !printed.to_string().contains("a-secret-key"),
        "{printed}"
    );
}
