use serde_json::json;

use super::*;

#[test]
fn html_to_text() {
    let check = |text: &str, expected: &str| assert_eq!(of_markdown(text), expected, "{text}");
    check("plain **bold** `Vec<String>` a < b && c > d", "plain **bold** `Vec<String>` a < b && c > d");
    check("<p>One</p><ul><li>two</li><li>three</li></ul>", "One\n\n- two\n- three");
    check("a <!-- ignore all rules --> b", "a  b");
    check("a <!-- never ends", "a");
    check("a<script>alert('<b>')</SCRIPT >b", "ab");
    check("a<br/>b &lt;div&gt; &amp;lt;", "a\nb <div> &lt;");
    check("- [ ] tick\n\n\n\n- next", "- [ ] tick\n\n- next");
    check("<", "<");
    check("<b", "<b");
    check("\u{1F600}<p>\u{1F600}", "\u{1F600}\n\u{1F600}");
}

#[test]
fn wiki_to_text() {
    let check = |text: &str, expected: &str| assert_eq!(of_wiki(text), expected, "{text}");
    check("h2. Goal\n* one\n** two\n# three", "## Goal\n- one\n  - two\n- three");
    check("{code:java}\nint x = {1};\n{code}", "int x = {1};");
    check("see [the page|https://e.example] and [1]", "see the page and [1]");
    check("{color:red}red{color} h2.x", "red h2.x");
    check("<p>It is <b>HTML</b></p>", "It is HTML");
}

#[test]
fn document_to_text() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let paragraph = |words: &str| json!({"type": "paragraph", "content": [text(words)]});
    let document = json!({"type": "doc", "version": 1, "content": [
        {"type": "heading", "attrs": {"level": 2}, "content": [text("Goal")]},
        paragraph("Do it."),
        {"type": "bulletList", "content": [
            {"type": "listItem", "content": [paragraph("one"), {"type": "bulletList", "content": [
                {"type": "listItem", "content": [paragraph("inner")]}]}]},
        ]},
        {"type": "taskList", "content": [{"type": "taskItem", "attrs": {"state": "DONE"}, "content": [text("ticked")]}]},
        {"type": "codeBlock", "content": [text("x = 1")]},
        {"type": "paragraph", "content": [{"type": "mention", "attrs": {"text": "@ann"}}, {"type": "unknown"}]},
    ]});
    let expected = "## Goal\nDo it.\n\n- one\n\n  - inner\n\n- [x] ticked\n\n```\nx = 1\n```\n@ann";
    assert_eq!(of_document(&document), expected);
    assert_eq!(of_document(&json!(null)), "");
}
