//! Patches, as git writes them.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// The patch that adds a file with `text`, which ends in a newline.
pub fn added(path: &str, text: &str) -> String {
    let count = text.lines().count();
    let mut patch = format!(
        "diff --git a/{path} b/{path}\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/{path}\n\
         @@ -0,0 +1,{count} @@\n"
    );
    for line in text.lines() {
        let _ = writeln!(patch, "+{line}");
    }
    patch
}

/// The patch that puts `after` in the place of the whole text `before`.
pub fn replaced(path: &str, before: &str, after: &str) -> String {
    let (old, new) = (before.lines().count(), after.lines().count());
    let mut patch = format!(
        "diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\n--- a/{path}\n+++ b/{path}\n\
         @@ -1,{old} +1,{new} @@\n"
    );
    for line in before.lines() {
        let _ = writeln!(patch, "-{line}");
    }
    for line in after.lines() {
        let _ = writeln!(patch, "+{line}");
    }
    patch
}

/// A context pack of these files.
pub fn pack(files: &[(&str, &str)]) -> Value {
    let files: Vec<Value> = files.iter().map(|(path, text)| json!({ "path": path, "text": text })).collect();
    json!({ "version": 1, "files": files })
}
