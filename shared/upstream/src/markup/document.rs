//! Atlassian's document format (ADF), in which Jira's version 3 gives descriptions, to text.

use serde_json::Value;

/// Deeper nodes are left out; what parsed as JSON is not much deeper.
const DEPTH_MAX: usize = 128;

/// The text of `document`, with headings, lists and boxes to tick as in Markdown.
pub fn of_document(document: &Value) -> String {
    let mut out = String::new();
    write(document, &mut out, "", 0);
    super::tidy(&out)
}

fn write(node: &Value, out: &mut String, indent: &str, depth: usize) {
    if depth > DEPTH_MAX {
        return;
    }
    let kind = node.get("type").and_then(Value::as_str).unwrap_or_default();
    let attribute = |name: &str| node.pointer(&format!("/attrs/{name}"));
    let text_of = |name: &str| attribute(name).and_then(Value::as_str).unwrap_or_default();
    match kind {
        "text" => out.push_str(node.get("text").and_then(Value::as_str).unwrap_or_default()),
        "hardBreak" => out.push('\n'),
        "mention" | "status" | "placeholder" => out.push_str(text_of("text")),
        "emoji" => out.push_str(text_of("shortName")),
        "inlineCard" | "blockCard" | "embedCard" => out.push_str(text_of("url")),
        "rule" => out.push_str("\n---\n"),
        "heading" => {
            let level = attribute("level").and_then(Value::as_u64).unwrap_or(1).clamp(1, 6);
            out.push('\n');
            (0..level).for_each(|_| out.push('#'));
            out.push(' ');
        }
        "listItem" => out.extend(["\n", indent, "- "]),
        "taskItem" => {
            let tick = if text_of("state") == "DONE" { "x" } else { " " };
            out.extend(["\n", indent, "- [", tick, "] "]);
        }
        "codeBlock" => out.push_str("\n```\n"),
        _ => {}
    }
    let deeper = if kind == "listItem" { format!("{indent}  ") } else { indent.to_owned() };
    for child in node.get("content").and_then(Value::as_array).into_iter().flatten() {
        write(child, out, &deeper, depth + 1);
    }
    match kind {
        "paragraph" | "heading" | "blockquote" | "panel" | "tableRow" | "bulletList" | "orderedList"
        | "taskList" | "expand" => out.push('\n'),
        "codeBlock" => out.push_str("\n```\n"),
        "tableCell" | "tableHeader" => out.push_str(" | "),
        _ => {}
    }
}
