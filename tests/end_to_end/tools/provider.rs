//! Files after a change from the repository's provider: GitHub as its published API answers, and everything that goes
//! wrong, for uploads that bring no context.

use std::time::{Duration, Instant};

use prevet_testkit::scripted_model::{Reply, ScriptedModel};
use prevet_testkit::server::{Assembled, Client, Multipart, patch};
use prevet_testkit::server::{GitHubSettings, Settings};
use prevet_testkit::stub::{Answer, Stub};
use serde_json::{Value, json};

/// What the test kit's uploads were taken against.
const BASE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const TREE: &str = "/mcp/repos/acme/shop/git/trees/4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const BLOB: &str = "/mcp/repos/acme/shop/git/blobs/b10b";
const QUESTION: &str = "why?";

/// The file before: what the hunk below does not show is only known from here.
const BEFORE: &str = "import sys\n\n\ndef total(items):\n    kept = [item for item in items if item]\n    if not kept:\n        \
                      return 0\n    checked = list(kept)\n    first = checked[0]\n    return sum(kept)\n\n\ndef other():\n    return 1\n";

fn change() -> String {
    format!(
        "diff --git a/src/shop.py b/src/shop.py\nindex 1111111..2222222 100644\n--- a/src/shop.py\n+++ b/src/shop.py\n\
         @@ -9,2 +9,2 @@ def total(items):\n-    first = checked[0]\n+    first = checked[-1]\n     return sum(kept)\n{}",
        patch::added("src/fresh.py", "def fresh():\n    return 2\n")
    )
}

fn entry(path: &str, kind: &str, sha: &str, size: usize) -> Value {
    let mode = if kind == "tree" { "040000" } else { "100644" };
    let url = format!("https://api.github.com/repos/acme/shop/git/{kind}s/{sha}");
    json!({ "path": path, "mode": mode, "type": kind, "sha": sha, "size": size, "url": url })
}

fn tree(entries: &[Value], truncated: bool) -> Answer {
    Answer::json(
        200,
        &json!({ "sha": BASE, "url": "https://api.github.com/x", "tree": entries, "truncated": truncated }),
    )
}

fn whole_tree() -> Answer {
    tree(&[entry("src", "tree", "5e", 0), entry("src/shop.py", "blob", "b10b", BEFORE.len())], false)
}

fn raw(text: &str) -> Answer {
    let kind = "application/vnd.github.raw+json; charset=utf-8".to_owned();
    Answer::Status(200, vec![("Content-Type", kind)], text.to_owned())
}

fn message(status: u16, text: &str) -> Answer {
    Answer::json(status, &json!({ "message": text, "status": status.to_string() }))
}

fn moved(status: u16, location: &str) -> Answer {
    Answer::Status(status, vec![("Location", location.to_owned())], String::new())
}

fn later(status: u16, seconds: u64) -> Answer {
    let headers = vec![("Retry-After", seconds.to_string()), ("Content-Type", "application/json".to_owned())];
    Answer::Status(status, headers, json!({ "message": "slow down" }).to_string())
}

/// GitHub with the file, but for what `other` answers.
fn github(other: impl Fn(&str) -> Option<Answer> + Send + Sync + 'static) -> Stub {
    Stub::by_path(move |path| {
        other(path).unwrap_or_else(|| match path.split('?').next().unwrap() {
            TREE => whole_tree(),
            BLOB => raw(BEFORE),
            "/mcp/repos/acme/shop" => Answer::json(200, &json!({ "id": 77, "full_name": "acme/shop" })),
            _ => message(404, "Not Found"),
        })
    })
}

fn settings(stub: &Stub) -> Settings {
    let github = GitHubSettings::new(Some(&stub.url()), Some("github-word".to_owned())).unwrap();
    Settings { github, jira: None }
}

struct Asking {
    server: Assembled,
    model: ScriptedModel,
}

impl Asking {
    async fn start() -> Self {
        let server = Assembled::start().await;
        server.integrate("acme/shop", "main").await;
        Self { server, model: ScriptedModel::start(|_| Reply::nothing()) }
    }

    async fn of(&mut self, stub: &Stub) -> Client {
        self.server.with(&self.model, Some(settings(stub))).await
    }

    /// Asks about the change as that GitHub lets it be seen.
    async fn ask(&mut self, stub: &Stub) -> Value {
        let client = self.of(stub).await;
        let id = client.open_with("acme/shop", change()).await;
        client.tool_answer("ask", &json!({ "session_id": id, "question": QUESTION })).await.tool()
    }

    async fn status(&mut self, stub: &Stub, status: &str, words: &[&str]) {
        let result = self.ask(stub).await;
        let reason = result["context_refresh"]["reason"].as_str().unwrap_or_default();
        assert_eq!(result["context_refresh"]["status"], status, "{result}");
        assert!(words.iter().all(|word| reason.contains(word)), "{reason}");
        // The diff is read whatever happens.
        assert!(result["files_visited"].as_array().unwrap().contains(&json!("src/shop.py")), "{result}");
    }

    /// What the model was shown last.
    fn shown(&self) -> String {
        self.model.asked().last().unwrap().user.clone()
    }
}

#[tokio::test]
async fn the_diff_is_applied_to_the_base() {
    let mut asking = Asking::start().await;
    let stub = github(|_| None);
    let result = asking.ask(&stub).await;
    let reason = "2 file(s) as of the base from 127.0.0.1, with the diff applied";
    assert_eq!(result["context_refresh"], json!({ "status": "provider", "reason": reason }));
    let shown = asking.shown();
    assert!(
        shown.contains("8     checked = list(kept)\n9     first = checked[-1]\n10     return sum(kept)\n"),
        "{shown}"
    );
    let asked = [format!("GET {TREE}?recursive=1"), format!("GET {BLOB}")];
    assert_eq!(stub.requests(), asked);
    // The content is kept by its id: another diff of the same file needs the tree alone.
    asking.ask(&stub).await;
    assert_eq!(stub.requests().len(), 3);
}

#[tokio::test]
async fn an_inspection_says_where_files_came_from() {
    let mut asking = Asking::start().await;
    let stub = github(|_| None);
    let client = asking.of(&stub).await;
    let id = client.open_with("acme/shop", change()).await;
    let first = client.inspect(&json!({ "session_id": id })).await;
    assert_eq!(first["context_refresh"]["status"], "provider", "{first}");
    assert!(first.get("compiler_check").is_none(), "{first}");
    asking.server.take_calls();
    let again = client.inspect(&json!({ "session_id": id })).await;
    assert_eq!(
        (&again["cached"], &again["context_refresh"]["status"]),
        (&json!(true), &json!("provider")),
        "{again}"
    );
    assert!(asking.server.take_calls().len() <= 3);
    assert_eq!(stub.requests().len(), 2);
    let described = client.tool_answer("describe_change", &json!({ "session_id": id })).await.tool();
    assert_eq!(described["context_refresh"]["status"], "provider", "{described}");
}

#[tokio::test]
async fn what_is_not_there() {
    let mut asking = Asking::start().await;
    let gone = |path: &str| path.starts_with(TREE).then(|| message(404, "Not Found"));
    asking
        .status(&github(gone), "base_not_found", &["acme/shop has no commit 4b825dc642cb", "diff alone"])
        .await;
    let odd = |path: &str| path.starts_with(TREE).then(|| message(422, "Unprocessable"));
    asking.status(&github(odd), "base_not_found", &["no commit"]).await;
    asking.status(&Stub::always(message(404, "Not Found")), "provider_failed", &["does not exist"]).await;
    asking
        .status(&Stub::always(message(401, "Bad credentials")), "provider_failed", &["PREVET_GITHUB_TOKEN"])
        .await;
    asking.status(&Stub::always(message(403, "Forbidden")), "provider_failed", &["forbids"]).await;
    asking.status(&Stub::always(message(500, "Server Error")), "provider_failed", &["500"]).await;
    asking.status(&Stub::always(Answer::HangUp), "provider_failed", &["broke off"]).await;
    let page = Answer::Status(200, vec![("Content-Type", "text/html".to_owned())], "<html>".to_owned());
    asking.status(&Stub::always(page), "provider_failed", &["sign-in"]).await;
    asking
        .status(&Stub::always(Answer::json(200, &json!([]))), "provider_failed", &["not what was asked for"])
        .await;
}

#[tokio::test]
async fn waiting_is_bounded() {
    let mut asking = Asking::start().await;
    let started = Instant::now();
    asking.status(&Stub::always(later(429, 629)), "provider_failed", &["629"]).await;
    asking.status(&Stub::always(later(403, 629)), "provider_failed", &["629"]).await;
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    let times = std::sync::atomic::AtomicUsize::new(0);
    let busy = move |path: &str| {
        let first = path.starts_with(TREE) && times.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
        first.then(|| later(503, 1))
    };
    asking.status(&github(busy), "provider", &["2 file(s)"]).await;
}

#[tokio::test]
async fn moves_are_followed_within_the_host() {
    let mut asking = Asking::start().await;
    let renamed = |path: &str| match path {
        _ if path.starts_with(TREE) => Some(moved(301, "/mcp/repositories/77/git/trees/x?recursive=1")),
        BLOB => Some(moved(307, "/mcp/repositories/77/git/blobs/b10b")),
        "/mcp/repositories/77/git/trees/x?recursive=1" => Some(whole_tree()),
        "/mcp/repositories/77/git/blobs/b10b" => Some(raw(BEFORE)),
        _ => None,
    };
    asking.status(&github(renamed), "provider", &["2 file(s)"]).await;
    let foreign =
        |path: &str| path.starts_with(TREE).then(|| moved(307, "http://127.0.0.1:9/latest/meta-data"));
    asking.status(&github(foreign), "provider_failed", &["not called"]).await;
    let round = |path: &str| path.starts_with(TREE).then(|| moved(302, TREE));
    asking.status(&github(round), "provider_failed", &["leads on more than"]).await;
}

#[tokio::test]
async fn a_file_is_whole_or_not_there() {
    let mut asking = Asking::start().await;
    let other =
        |path: &str| (path == BLOB).then(|| raw(&BEFORE.replace("first = checked[0]", "first = None")));
    asking.status(&github(other), "patch_failed", &["1 file(s)", "does not apply", "src/shop.py"]).await;
    assert!(!asking.shown().contains("first = None"));
    // Each of them has its own id: what was fetched once is kept.
    let with = |id: &'static str, size: usize, answer: Answer| {
        let blob = format!("/mcp/repos/acme/shop/git/blobs/{id}");
        github(move |path| match path {
            _ if path == blob => Some(answer.clone()),
            _ if path.starts_with(TREE) => Some(tree(&[entry("src/shop.py", "blob", id, size)], false)),
            _ => None,
        })
    };
    let cut = with("c0", BEFORE.len(), Answer::Cut(BEFORE.len(), BEFORE[..100].to_owned()));
    asking.status(&cut, "partial", &["src/shop.py", "broke off"]).await;
    let large = with("c1", 10 << 20, raw("never asked for"));
    asking.status(&large, "partial", &["src/shop.py (10485760 bytes; the limit is 1048576)"]).await;
    assert!(!large.requests().iter().any(|it| it.contains("blobs")), "{:?}", large.requests());
    let liar = with("c2", 10, raw(&"x = 1\n".repeat(1 << 20)));
    asking.status(&liar, "partial", &["larger than 1048576 bytes"]).await;
    let absent = github(|path| path.starts_with(TREE).then(|| tree(&[], false)));
    asking.status(&absent, "patch_failed", &["src/shop.py"]).await;
}

#[tokio::test]
async fn what_failed_is_tried_again() {
    let mut asking = Asking::start().await;
    let times = std::sync::atomic::AtomicUsize::new(0);
    let first = move |path: &str| {
        let first = path.starts_with(TREE) && times.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
        first.then(|| message(502, "Bad Gateway"))
    };
    let client = asking.of(&github(first)).await;
    let id = client.open_with("acme/shop", change()).await;
    let failed = client.inspect(&json!({ "session_id": id })).await;
    assert_eq!(failed["context_refresh"]["status"], "provider_failed", "{failed}");
    assert_eq!(failed["compiler_check"]["status"], "skipped", "{failed}");
    let again = client.inspect(&json!({ "session_id": id })).await;
    assert_eq!(
        (&again["context_refresh"]["status"], &again["cached"]),
        (&json!("provider"), &Value::Null),
        "{again}"
    );
}

#[tokio::test]
async fn a_tree_that_is_too_large_is_read_by_folders() {
    let mut asking = Asking::start().await;
    let stub = github(|path| match path {
        _ if path == format!("{TREE}?recursive=1") => Some(tree(&[entry("a", "blob", "1", 1)], true)),
        TREE => Some(tree(&[entry("src", "tree", "5e", 0)], false)),
        "/mcp/repos/acme/shop/git/trees/5e" => {
            Some(tree(&[entry("shop.py", "blob", "b10b", BEFORE.len())], false))
        }
        _ => None,
    });
    asking.status(&stub, "provider", &["2 file(s)"]).await;
}

#[tokio::test]
async fn nobody_is_asked_in_vain() {
    let mut asking = Asking::start().await;
    let stub = github(|_| None);
    let client = asking.of(&stub).await;
    for repository in ["else/where", "shop2"] {
        let id = client.open_with(repository, change()).await;
        let result =
            client.tool_answer("ask", &json!({ "session_id": id, "question": QUESTION })).await.tool();
        assert_eq!(result["context_refresh"]["status"], "diff_only", "{result}");
    }
    let id = client.open("acme/shop").await;
    let pack = patch::pack(&[("src/shop.py", &BEFORE.replace("[0]", "[-1]"))]).to_string();
    client.upload_parts(&id, &Multipart::diff(change()).part("context", pack)).await.expect(200);
    let result = client.inspect(&json!({ "session_id": id })).await;
    assert_ne!(result["context_refresh"]["status"], "provider", "{result}");
    client.upload(&id, patch::added("only.py", "x = 1\n")).await.expect(200);
    let result = client.inspect(&json!({ "session_id": id })).await;
    assert_eq!(result["context_refresh"]["status"], "provider", "{result}");
    assert_eq!(stub.requests(), Vec::<String>::new());
}
