//! Plans as tables: what a configuration becomes, and that it becomes what it was again.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::document::Document;
use super::*;

const BINARY: &str = "/opt/prevet/bin/prevet";

fn homes() -> Homes {
    Homes { home: Some("/home/me".into()), config_home: Some("/home/me/.config".into()), ..Homes::default() }
}

fn facts(harness: Harness, text: Option<&str>) -> Facts {
    let places = harness.places(&homes()).unwrap();
    let skill = |skill: skills::Skill| SkillFile {
        path: places.skills.join(skill.name).join("SKILL.md"),
        skill,
        text: None,
    };
    Facts {
        harness,
        config: places.configs[0].clone(),
        text: text.map(str::to_owned),
        backup: None,
        skills: skills::ALL.into_iter().map(skill).collect(),
        places,
    }
}

fn registration() -> Action {
    Action::Connect(Registration::new(Path::new(BINARY), None).unwrap())
}

/// What is there once `plan` was carried out.
fn after(facts: &Facts, plan: &Plan) -> Facts {
    let mut facts = facts.clone();
    let backup = facts::backup_of(&facts.config);
    for step in &plan.steps {
        let (path, text) = match step {
            Step::Edit { path, before, text, .. } => {
                assert_eq!(*before, facts.text);
                (path, Some(text.clone()))
            }
            Step::Write { path, text, .. } => (path, Some(text.clone())),
            Step::Delete { path, .. } => (path, None),
            Step::Tell(_) => continue,
        };
        if *path == facts.config {
            facts.text = text;
        } else if *path == backup {
            facts.backup = text;
        } else {
            let file = facts.skills.iter_mut().find(|file| file.path == *path).unwrap();
            file.text = text;
        }
    }
    facts
}

const EVERY: [Harness; 5] =
    [Harness::ClaudeCode, Harness::Codex, Harness::Cursor, Harness::Opencode, Harness::Gemini];

/// Configurations as people and agents leave them.
fn texts(harness: Harness) -> Vec<&'static str> {
    match harness {
        Harness::Codex => vec![
            "",
            "model = \"gpt-5.5\"   # mine\n",
            "# only a comment\n",
            "model = \"m\"",
            "[mcp_servers.other]\ncommand = 'x' # kept\nargs = [\n  \"a\", # one\n]\n\n[profiles.p]\nmodel='q'\n# the end\n",
            "mcp_servers = { other = { command = \"x\" } }  # inline\n[tui]\ntheme = \"a\"\n",
            "a = 1\r\n[mcp_servers.other]\r\ncommand = \"x\"\r\n",
            "[mcp_servers]\n\n[mcp_servers.\"a b\"]\nurl = \"http://127.0.0.1\"\n",
        ],
        _ => vec![
            "",
            "\u{feff}{ \"theme\": \"dark\" }\n",
            "{\"mcpServers\": {\"o\": {\"command\": \"x\"} /* , */ }}",
            "{}",
            "{ }\n",
            "{\n}\n",
            "{\"a\":1}",
            "{\"mcpServers\":{},\"mcp\":{}}",
            "{\"mcpServers\":{\"x\":{\"command\":\"y\"}},\"mcp\":{\"x\":{}}}\n",
            "{\n  // mine\n  \"theme\": \"dark\", // said of it\n  /* below */\n}\n",
            "{\n\t\"mcpServers\": {\n\t\t\"other\": { \"command\": \"x\" } // other's\n\t},\n\t\"z\": [1,2 ,3]\n}",
            "{\r\n    \"mcp\": {\r\n        \"other\": {\"type\": \"local\"},\r\n    },\r\n    \"n\": 1e3\r\n}\r\n",
            "{ \"mcpServers\": {\n    \"a\": {},\n\n    // last\n    \"b\": {\"args\": [\"}\"]}\n  }}",
        ],
    }
}

#[test]
fn connected_and_removed_is_as_it_was() {
    for harness in EVERY {
        for text in texts(harness).into_iter().map(Some).chain([None]) {
            let before = facts(harness, text);
            let connected = after(&before, &plan(&before, &registration()).unwrap());
            let entries = connected.document().entries(&NAMES).unwrap();
            assert_eq!(entries.len(), 2, "{harness:?} {text:?}");
            assert!(connected.skills.iter().all(|file| file.text.as_deref() == Some(file.skill.text)));
            let again = plan(&connected, &registration()).unwrap();
            assert!(!again.changes_anything(), "{harness:?} {text:?}: {again:?}");
            let removed = after(&connected, &plan(&connected, &Action::Remove).unwrap());
            assert_eq!(removed, before, "{harness:?}");
            assert!(!plan(&removed, &Action::Remove).unwrap().changes_anything());
        }
    }
}

#[test]
fn foreign_bytes_stay() {
    for harness in EVERY {
        for text in texts(harness) {
            let before = facts(harness, Some(text));
            let connected = after(&before, &plan(&before, &registration()).unwrap()).text.unwrap();
            let mut bytes = connected.bytes();
            // Every byte is there still, and in the same order.
            assert!(
                text.trim_end().bytes().all(|byte| bytes.any(|it| it == byte)),
                "{harness:?}: {connected}"
            );
        }
    }
}

#[test]
fn what_changed_meanwhile_stays() {
    for (harness, text, later) in [
        (Harness::ClaudeCode, "{\n  \"a\": 1\n}\n", ("\"a\": 1", "\"a\": 2")),
        (Harness::Gemini, "{\n  // c\n  \"mcpServers\": { \"o\": {} }\n}\n", ("// c", "// changed")),
        (Harness::Codex, "a = 1\n", ("a = 1", "a = 2 # changed")),
    ] {
        let before = facts(harness, Some(text));
        let mut connected = after(&before, &plan(&before, &registration()).unwrap());
        connected.text = connected.text.map(|it| it.replace(later.0, later.1));
        let plan = plan(&connected, &Action::Remove).unwrap();
        let removed = after(&connected, &plan);
        assert_eq!(removed.text.unwrap(), text.replace(later.0, later.1));
        assert_eq!(removed.backup.as_deref(), Some(text));
        assert!(plan.steps.iter().any(|step| matches!(step, Step::Tell(it) if it.contains("before-prevet"))));
    }
}

#[test]
fn an_entry_of_another_time_is_replaced() {
    for harness in EVERY {
        let before = facts(harness, None);
        let old = Action::Connect(Registration::new(Path::new("/old/prevet"), None).unwrap());
        let connected = after(&before, &plan(&before, &old).unwrap());
        let moved = after(&connected, &plan(&connected, &registration()).unwrap());
        let text = moved.text.clone().unwrap();
        assert!(text.contains(BINARY) && !text.contains("/old/prevet"), "{text}");
        let http = HttpServer { url: "https://h/mcp".to_owned(), api_key: None };
        let http = Action::Connect(Registration::new(Path::new(BINARY), Some(http)).unwrap());
        let by_http = after(&moved, &plan(&moved, &http).unwrap());
        let servers = by_http.document().entries(&NAMES).unwrap();
        let url = Transport::Http { url: "https://h/mcp".to_owned() };
        assert_eq!(Server::of(&servers[1]).unwrap().transport, url, "{harness:?}");
        let removed = after(&by_http, &plan(&by_http, &Action::Remove).unwrap());
        assert_eq!(removed, before);
    }
}

#[test]
fn another_programs_server_of_the_name_is_left_alone() {
    for harness in EVERY {
        let foreign = json!({ "command": "/opt/other/cross-review", "args": ["serve"], "url": null });
        let foreign = match harness {
            Harness::Opencode => json!({ "type": "local", "command": ["/opt/other/cross-review"] }),
            Harness::Codex => json!({ "command": "/opt/other/cross-review", "args": ["serve"] }),
            _ => foreign,
        };
        let empty = facts(harness, None);
        let text = empty.document_of("").with(&[("cross-review".to_owned(), foreign)]).unwrap();
        let there = facts(harness, Some(&text));
        let error = plan(&there, &registration()).unwrap_err().to_string();
        assert!(
            error.contains("cross-review is another program's") && error.contains("nothing was changed"),
            "{error}"
        );
        let removed = plan(&there, &Action::Remove).unwrap();
        assert!(!removed.changes_anything(), "{removed:?}");
        assert!(matches!(&removed.steps[..], [Step::Tell(told)] if told.contains("stays")), "{removed:?}");
    }
}

#[test]
fn a_configuration_with_a_key_is_its_owners_alone() {
    let http = |api_key| {
        Registration::new(Path::new(BINARY), Some(HttpServer { url: "https://h/mcp".to_owned(), api_key }))
            .unwrap()
    };
    for (api_key, expected) in [(None, false), (Some("pvk".to_owned()), true)] {
        let action = Action::Connect(http(api_key));
        for harness in EVERY {
            let steps = plan(&facts(harness, None), &action).unwrap().steps;
            assert!(
                steps.iter().any(|step| matches!(step, Step::Edit { private, .. } if *private == expected))
            );
        }
    }
}

#[test]
fn broken_configurations_are_left_alone() {
    let check = |harness, text: &str, expected: &str| {
        let error = plan(&facts(harness, Some(text)), &registration()).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("nothing was changed"), "{error}");
    };
    check(Harness::ClaudeCode, "{", "/home/me/.claude.json");
    check(Harness::Cursor, "[]", "no JSON object");
    check(Harness::Gemini, "{\"mcpServers\": []}", "mcpServers is no object");
    check(Harness::Opencode, "{'mcp': {}}", "opencode.jsonc");
    check(Harness::Codex, "mcp_servers = 1\n", "mcp_servers is no table");
    check(Harness::Codex, "a = \n", "/home/me/.codex/config.toml");
}

#[test]
fn foreign_skills_stay() {
    let mut before = facts(Harness::Codex, None);
    before.skills[0].text = Some("---\nname: inspect\n---\nsomebody else's\n".to_owned());
    let planned = plan(&before, &registration()).unwrap();
    assert!(
        planned.steps.iter().any(|step| matches!(step, Step::Tell(it) if it.contains("inspect/SKILL.md")))
    );
    let connected = after(&before, &planned);
    assert_eq!(connected.skills[0].text, before.skills[0].text);
    assert_eq!(after(&connected, &plan(&connected, &Action::Remove).unwrap()), before);
}

#[test]
fn entries_as_each_agent_wants_them() {
    let entries = |harness: Harness| {
        let registration = Registration::new(Path::new(BINARY), None).unwrap();
        registration.entries(harness, &["SCRIPTED_KEY".to_owned()])
    };
    assert_eq!(
        entries(Harness::ClaudeCode)[0],
        (
            "cross-review".to_owned(),
            json!({
                "type": "stdio", "command": BINARY, "args": ["mcp", "--only", "review"],
                "env": { "REVIEW_WAIT_DEFAULT_S": "270" }, "timeout": 300_000
            })
        )
    );
    let codex = &entries(Harness::Codex)[0].1;
    assert_eq!(codex["tool_timeout_sec"], 300);
    assert!(codex["env_vars"].as_array().unwrap().contains(&json!("SCRIPTED_KEY")));
    let opencode = &entries(Harness::Opencode)[1].1;
    assert_eq!(opencode["command"], json!([BINARY, "mcp", "--only", "server"]));
    assert_eq!((&opencode["type"], &opencode["timeout"]), (&json!("local"), &json!(330_000)));
    for harness in EVERY {
        for entry in entries(harness) {
            let Some(Server { transport: Transport::Stdio { command, variables }, .. }) = Server::of(&entry)
            else {
                panic!("{entry:?}")
            };
            assert_eq!(command[..3], [BINARY, "mcp", "--only"].map(str::to_owned));
            assert_eq!(variables.len(), usize::from(entry.0 == "cross-review"));
        }
    }
}

#[test]
fn keys_come_from_the_environment_where_they_are_there() {
    let entry = |harness: Harness, api_key: Option<&str>| {
        let http = HttpServer { url: "https://h/mcp".to_owned(), api_key: api_key.map(str::to_owned) };
        Registration::new(Path::new(BINARY), Some(http)).unwrap().entries(harness, &[])[1].1.clone()
    };
    assert_eq!(entry(Harness::ClaudeCode, None)["headers"]["X-Product-API-Key"], "${PREVET_API_KEY}");
    assert_eq!(entry(Harness::Codex, None)["env_http_headers"]["X-Product-API-Key"], "PREVET_API_KEY");
    assert_eq!(entry(Harness::Codex, Some("k"))["http_headers"]["X-Product-API-Key"], "k");
    assert_eq!(entry(Harness::Cursor, None)["headers"]["X-Product-API-Key"], "${env:PREVET_API_KEY}");
    assert_eq!(entry(Harness::Opencode, None)["headers"]["X-Product-API-Key"], "{env:PREVET_API_KEY}");
    assert_eq!(entry(Harness::Gemini, Some("k"))["headers"]["X-Product-API-Key"], "k");
}

#[test]
fn places() {
    let check = |harness: Harness, homes: &Homes, config: &str, skills: &str| {
        let places = harness.places(homes).unwrap();
        assert_eq!(
            (places.configs[0].as_path(), places.skills.as_path()),
            (Path::new(config), Path::new(skills))
        );
    };
    check(Harness::ClaudeCode, &homes(), "/home/me/.claude.json", "/home/me/.claude/skills");
    check(Harness::Codex, &homes(), "/home/me/.codex/config.toml", "/home/me/.codex/skills");
    check(Harness::Cursor, &homes(), "/home/me/.cursor/mcp.json", "/home/me/.cursor/skills");
    check(
        Harness::Opencode,
        &homes(),
        "/home/me/.config/opencode/opencode.jsonc",
        "/home/me/.config/opencode/skills",
    );
    check(Harness::Gemini, &homes(), "/home/me/.gemini/settings.json", "/home/me/.gemini/skills");
    let named = Homes { codex: Some(PathBuf::from("/c")), claude: Some(PathBuf::from("/d")), ..homes() };
    check(Harness::ClaudeCode, &named, "/d/.claude.json", "/d/skills");
    check(Harness::Codex, &named, "/c/config.toml", "/c/skills");
    for harness in EVERY {
        let error = harness.places(&Homes::default()).unwrap_err().to_string();
        assert!(error.contains("HOME") && error.contains(harness.name()), "{error}");
    }
}

#[test]
fn json_is_spliced() {
    let check = |text: &str, expected: &str| {
        let document = Document { format: Format::Json, container: "s", text };
        let with = document.with(&[("n".to_owned(), json!({ "k": [1] }))]).unwrap();
        assert_eq!(with, expected);
        assert_eq!(Document { text: &with, ..document }.entries(&["n"]).unwrap()[0].1, json!({ "k": [1] }));
    };
    check("", "{\n  \"s\": {\n    \"n\": {\n      \"k\": [\n        1\n      ]\n    }\n  }\n}\n");
    check("{\"a\":1}", "{\"a\":1, \"s\": {\"n\":{\"k\":[1]}}}");
    check(
        "{\n \"s\": {\n  \"o\": 1, // of o\n  // below\n },\n}",
        "{\n \"s\": {\n  \"o\": 1, // of o\n  // below\n  \"n\": {\n   \"k\": [\n    1\n   ]\n  },\n },\n}",
    );
    check(
        "{\n  \"s\": {\n    \"o\": 1 // of o, and so on\n  }\n}",
        "{\n  \"s\": {\n    \"o\": 1, // of o, and so on\n    \"n\": {\n      \"k\": [\n        1\n      ]\n    }\n  }\n}",
    );
    check("{\"s\":{\"n\":5}}", "{\"s\":{\"n\":{\n  \"k\": [\n    1\n  ]\n}}}");
}
