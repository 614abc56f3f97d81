//! What a model is shown around a change: the real binary in real repositories, down to the bytes that the model's
//! endpoint receives.

use prevet_testkit::scripted_model::{Reply, ScriptedModel};
use prevet_testkit::world::{Call, WorkRepository, World};
use serde_json::{Value, json};

use crate::{AFTER, BEFORE, token};

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_prevet"))
}

fn with(call: Call, model: &ScriptedModel) -> Call {
    let call = call.env("PREVET_MODEL", "scripted").env("PREVET_MODEL_URL", model.url());
    call.env("PREVET_MODEL_API_KEY", "sk-test-0123456789abcdef").env("PREVET_MODEL_INPUT_TOKENS", "60000")
}

/// A file that is too long to be shown whole, with a token and a key of several lines before the call.
fn caller() -> String {
    let body = "MIIEowIBAAKCAQEA7bq1Zx0vT9kLm3nRsYw8uJ2hF5dGc6XoP4iQeVtA1zBrNlKy\n".repeat(3);
    let key =
        format!("KEY = \"\"\"-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\"\"\"\n");
    let padding = "# one line among many, so that the file is not a small one\n".repeat(80);
    format!(
        "from shop import total\n{key}{padding}def page(items):\n    seen = '{}'\n    return total(items)\n",
        token()
    )
}

/// The line of the call in [`caller`].
const CALL_LINE: usize = 89;

/// A repository whose `shop.py` is changed in the work tree. `total` is called where a reader should see it, and where
/// nobody should look.
fn changed(world: &World) -> WorkRepository<'_> {
    let repository = world.repository("shop");
    let call = "from shop import total\n\n\ndef hidden():\n    return total([])\n";
    repository.write("shop.py", BEFORE);
    repository.write("app/caller.py", caller());
    repository.write(
        "profiles.py",
        "def unrelated():\n    return 1\n\n\ndef greet_all(profile):\n    return profile\n",
    );
    repository.write("third_party/vendored.py", call);
    repository.write("out/excluded.py", call);
    repository.write("generated.py", call);
    repository.write(".cross-review/round.py", call);
    repository.write("web/total.js", "function total() { return total() }\n");
    repository.write(".gitignore", "ignored/\n");
    repository.write(".gitattributes", "generated.py linguist-generated\n");
    repository.write(".prevet.toml", "exclude = [\"out/**\"]\n");
    repository.commit("shop");
    repository.git(&["push", "-q", "origin", "HEAD:main"]);
    repository.write("shop.py", AFTER);
    repository.write("untracked.py", "import shop\n\n\ndef fresh():\n    return shop.total([1])\n");
    repository.write("ignored/ignored.py", call);
    std::fs::write(world.path("outside.py"), call).unwrap();
    std::os::unix::fs::symlink(world.path("outside.py"), repository.path("link.py")).unwrap();
    repository.git(&["init", "-q", "inner"]);
    repository.write("inner/inner.py", call);
    repository
}

/// What nobody should look at.
const UNSEEN: &[&str] = &[
    "vendored.py",
    "excluded.py",
    "generated.py (",
    "ignored.py",
    "round.py",
    "outside.py",
    "inner.py",
    "total.js",
];

#[test]
fn ask_shows_the_callers_and_names_what_it_showed() {
    let (world, line) = (world(), CALL_LINE);
    let repository = changed(&world);
    let model = ScriptedModel::start(move |_| {
        Reply::Text(format!("`page` calls it (`app/caller.py:{line}`), and `app/caller.py:2` does not."))
    });
    let asked = ["ask", "Who calls total?", "--format", "json"];
    let outcome = with(repository.prevet(&asked), &model).succeeds();
    let result: Value = serde_json::from_slice(&outcome.stdout).unwrap();
    assert_eq!(
        result["files_visited"],
        json!(["app/caller.py", "link.py", "shop.py", "untracked.py"]),
        "{outcome}"
    );
    let answer = format!(
        "`page` calls it (`app/caller.py:{line}`), and `app/caller.py (not a line that was read)` does not."
    );
    assert_eq!(result["answer"], answer, "{outcome}");
    assert!(result.get("context_refresh").is_none(), "{outcome}");
    let [question] = model.asked().try_into().unwrap();
    let user = &question.user;
    let title = "file: app/caller.py (not part of the change; calls total() in page; imports total)\n";
    assert!(user.contains(title), "{user}");
    let lines = format!(
        "{:>7}   def page(items):\n{:>7}       seen = '[masked]'\n{line:>7}       return total(items)\n",
        line - 2,
        line - 1
    );
    assert!(user.contains(&lines), "{user}");
    assert!(!user.contains("MIIEow") && !user.contains(&token()), "{user}");
    assert!(user.contains("5 +     return shop.total([1])"), "{user}");
    let around = user.split("code around the change").nth(1).unwrap();
    assert!(UNSEEN.iter().all(|name| !around.contains(name)), "{around}");
}

#[test]
fn the_review_sees_them_and_reports_nothing_in_them() {
    let world = world();
    let repository = changed(&world);
    let finding = |file: &str, quote: &str| json!({ "file": file, "quote": quote, "severity": "high", "confidence": "high", "title": file, "message": "m" });
    let findings = json!({ "findings": [
        finding("app/caller.py", "return total(items)"),
        finding("shop.py", "return sum(item.price for item in items)"),
    ] });
    let model = ScriptedModel::start(
        move |asked| {
            if asked.is_test() { Reply::nothing() } else { Reply::json(&findings) }
        },
    );
    let outcome =
        with(repository.prevet(&["inspect", "--profile", "inspect", "--format", "json"]), &model).run();
    let result: Value = serde_json::from_slice(&outcome.stdout).unwrap();
    let files: Vec<&Value> = result["findings"].as_array().unwrap().iter().map(|it| &it["file"]).collect();
    assert_eq!(files, ["shop.py"], "{outcome}");
    let asked = model.asked();
    assert_eq!(asked.iter().filter(|it| it.is_test()).count(), 1);
    for question in &asked {
        let (change, around) = question.user.split_once("code around the change").unwrap();
        assert!(around.contains("calls total() in page"), "{around}");
        assert!(
            !change.contains("caller.py") && UNSEEN.iter().all(|name| !around.contains(name)),
            "{around}"
        );
    }
}

#[test]
fn a_push_shows_them_as_committed() {
    let world = world();
    let repository = world.repository("shop");
    repository.write("shop.py", BEFORE);
    repository.write("committed.py", "from shop import total\n\n\ndef kept():\n    return total([])\n");
    repository.commit("shop");
    repository.git(&["push", "-q", "origin", "HEAD:main"]);
    repository.git(&["checkout", "-q", "-b", "topic"]);
    repository.commit_file("shop.py", AFTER);
    repository.git(&["checkout", "-q", "main"]);
    repository.write("committed.py", "nothing = 1\n");
    let id = repository.id("topic");
    let line = format!("refs/heads/topic {id} refs/heads/topic {}\n", "0".repeat(40));
    let model = ScriptedModel::start(|_| Reply::nothing());
    let push =
        repository.prevet(&["hook", "pre-push", "origin", &repository.git(&["remote", "get-url", "origin"])]);
    with(push.stdin(line), &model).succeeds();
    let asked = model.asked();
    assert!(!asked.is_empty());
    assert!(
        asked
            .iter()
            .all(|it| it.user.contains("file: committed.py (not part of the change; calls total() in kept"))
    );
}

#[test]
fn what_the_change_removes_and_what_it_calls() {
    let world = world();
    let repository = world.repository("shop");
    repository.write(
        "lib/money.go",
        "package lib\n\ntype Money struct{ Cents int }\n\nfunc NewMoney(c int) Money { return Money{c} }\n",
    );
    repository.write("cmd/old.go", "package cmd\n\nfunc Old() int { return 1 }\n");
    repository.write("cmd/user.go", "package cmd\n\nfunc Use() int { return Old() }\n");
    repository.commit("go");
    repository.git(&["push", "-q", "origin", "HEAD:main"]);
    repository.write(
        "cmd/old.go",
        "package cmd\n\nimport \"example.test/shop/lib\"\n\nfunc New() lib.Money { return lib.NewMoney(2) }\n",
    );
    let model = ScriptedModel::start(|_| Reply::Text("It is called there.".to_owned()));
    with(repository.prevet(&["ask", "why?"]), &model).succeeds();
    let user = &model.asked()[0].user;
    assert!(
        user.contains(
            "file: cmd/user.go (not part of the change; calls Old(), which the change removes in Use)"
        ),
        "{user}"
    );
    assert!(
        user.contains("file: lib/money.go (not part of the change; defines Money; defines NewMoney)"),
        "{user}"
    );
}
