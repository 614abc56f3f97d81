use super::*;

fn names(text: &str) -> Vec<String> {
    names_with(text, &[])
}

fn names_with(text: &str, projects: &[&str]) -> Vec<String> {
    let projects: Vec<String> = projects.iter().map(|it| (*it).to_owned()).collect();
    let around = Surroundings { repository: Some("acme/shop"), projects: &projects };
    recognise(text, around).tickets.iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_a_ticket() {
    let check = |text: &str, expected: &[&str]| assert_eq!(names(text), expected, "{text}");
    check("[BETA-5225, #42]", &["BETA-5225", "acme/shop#42"]);
    check("BETA-5225", &["BETA-5225"]);
    check("octo/app.js#7", &["octo/app.js#7"]);
    check("GH-12", &["acme/shop#12"]);
    check("https://github.com/octo/app/issues/9", &["octo/app#9"]);
    check("see <https://github.com/octo/app/issues/9#issuecomment-12>.", &["octo/app#9"]);
    check("[it](https://ghe.acme.example/octo/app/issues/9)", &["octo/app#9"]);
    check("https://acme.atlassian.net/browse/OPS-31?focusedId=4", &["OPS-31"]);
    check("https://acme.atlassian.net/jira/software/projects/OPS/boards/1?selectedIssue=OPS-32", &["OPS-32"]);
    check("https://acme.atlassian.net/projects/OPS/issues/OPS-33", &["OPS-33"]);
    check("OPS-1 OPS-1, (OPS-2); \"OPS-3\" OPS-4.", &["OPS-1", "OPS-2", "OPS-3", "OPS-4"]);
    check("A2B_C-9: x", &["A2B_C-9"]);
    check("Fixes #1 and octo/app#2", &["acme/shop#1", "octo/app#2"]);
    check(
        "AGENT-459: pin tomcat to 11.0.22 for CVE-2026-41284 / -42498; keep UTF-8, see ADR-0034",
        &["AGENT-459"],
    );
}

#[test]
fn what_is_none() {
    let check = |text: &str| assert_eq!(names(text), Vec::<String>::new(), "{text}");
    for text in [
        "CVE-2026-41284",
        "CVE-2026",
        "CWE-79",
        "UTF-8",
        "UTF-16LE",
        "SHA-256",
        "SHA-512/256",
        "ISO-8601",
        "ISO-8859-1",
        "RFC-9110",
        "ADR-0034",
        "ADR-34",
        "PEP-8",
        "AES-256-GCM",
        "TLS-1.3",
        "HTTP-2",
        "X-1",
        "MD-5",
        "RS-256",
        "CP-1252",
        "GPL-3.0-only",
        "LGPL-2.1",
        "ECMA-262",
        "FIPS-140-3",
        "PKCS-7",
        "BASE-64",
        "COVID-19",
        "GPT-4",
        "X86-64",
        "agent-459",
        "fix/agent-459-utf-8",
        "Agent-459",
        "TOOLONGPREFIX-1",
        "OPS-0",
        "OPS-012",
        "OPS-1a",
        "OPS-1-2",
        "OPS-1.5",
        "MY-OPS-1",
        "a.OPS-1",
        "docs/OPS-1/x",
        "XOPS-1x",
        "OPS-",
        "OPS-12345678901",
        "OPS\u{2011}1",
        "#fff",
        "#0",
        "#12ab",
        "a#1",
        "color: #123abc;",
        "v#1",
        "Ops_1",
        "_OPS-1",
        "https://example.com/OPS-1",
        "https://example.com/a?b=OPS-1",
        "https://gitlab.com/a/b/-/issues/1",
        "https://user@github.com/a/b/issues/1",
        "https://github.com/a/b/issues/new",
        "https://nvd.nist.gov/CVE-2026-1",
        "a/b/c#1x",
        "ÖPS-1",
        "../b#1",
    ] {
        check(text);
    }
}

#[test]
fn named_projects_count_alone() {
    assert_eq!(names_with("ADR-34, OPS-1, UTF-8", &["ADR"]), ["ADR-34"]);
    assert_eq!(names_with("ADR-0034", &["ADR"]), Vec::<String>::new());
}

#[test]
fn what_is_said_beside_tickets() {
    let check = |text: &str, prose: bool| {
        let found = recognise(text, Surroundings::default());
        assert_eq!(found.has_prose, prose, "{text}: {found:?}");
    };
    check("[BETA-5225, #42]", false);
    check("Fixes #1 and resolves OPS-2.", false);
    check("https://github.com/octo/app/issues/9", false);
    check("OPS-2: the page must say hello", true);
    check("add a flag --verbose", true);
    check("", false);
}

#[test]
fn what_nobody_can_look_up() {
    let found = recognise("#42 and https://example.com/x, GH-7", Surroundings::default());
    assert_eq!(found.homeless, ["#42", "GH-7"]);
    assert_eq!(found.foreign_urls, ["https://example.com/x"]);
    assert!(found.tickets.is_empty());
}

#[test]
fn no_text_is_too_odd() {
    for text in
        ["-", "A-", "#", "GH-", "https://", "http://\u{1F600}", "\u{0}A1-1\u{0}", "////##--", "é#1/é-1"]
    {
        let _ = recognise(text, Surroundings::default());
    }
}
