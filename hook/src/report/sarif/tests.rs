//! The log as consumers read it. Its shape was checked against the schema of SARIF 2.1.0.

use insta::assert_snapshot;
use prevet_domain::verdict::Verdict;
use serde_json::{Value, json};

use super::super::Inspection;
use super::super::tests::{full, inspection};
use super::{plain, relative_uri};

fn log(inspection: &Inspection) -> Value {
    serde_json::from_str(&super::render(inspection)).unwrap()
}

/// A line for each field.
fn shown(value: &Value) -> String {
    let fields = value.as_object().unwrap().iter().map(|(name, value)| format!("{name}: {value}\n"));
    fields.collect()
}

#[test]
fn sarif_results() {
    let log = log(&full());
    assert_eq!((&log["version"], log["runs"].as_array().unwrap().len()), (&json!("2.1.0"), 1));
    assert_snapshot!(shown(&log["runs"][0]["results"][1]), @r#"
baselineState: "new"
fixes: [{"artifactChanges":[{"artifactLocation":{"uri":"src/a%20b.py","uriBaseId":"%SRCROOT%"},"replacements":[{"deletedRegion":{"endLine":9,"startLine":8},"insertedContent":{"text":"    cursor.execute(\"select ?\", (name,))"}}]}],"description":{"text":"Replace the lines."}}]
level: "error"
locations: [{"physicalLocation":{"artifactLocation":{"uri":"src/a%20b.py","uriBaseId":"%SRCROOT%"},"region":{"endLine":9,"snippet":{"text":"cursor.execute(\"select \" + name)"},"startLine":8}}}]
message: {"text":"Title of python.sql\n\nWhat is wrong.\nWhat to do."}
partialFingerprints: {"prevetFindingId/v1":"id-python.sql"}
properties: {"confidence":"high","reportType":"SECURITY_REPORT","severity":"high","status":"new","uncommitted":false}
ruleId: "python.sql"
ruleIndex: 3
taxa: [{"id":"CWE-89","index":1,"toolComponent":{"index":0,"name":"CWE"}},{"id":"LLM05:2025","index":0,"toolComponent":{"index":1,"name":"OWASP"}}]
"#);
    assert_snapshot!(shown(&log["runs"][0]["results"][4]), @r#"
level: "note"
locations: [{"physicalLocation":{"artifactLocation":{"uri":"src/c.py","uriBaseId":"%SRCROOT%"},"region":{"startLine":5}}}]
message: {"text":"Suppressed in the code: the input is a constant"}
partialFingerprints: {"prevetFindingId/v1":"id-suppressed"}
properties: {"newIgnore":true}
ruleId: "python.eval"
ruleIndex: 2
suppressions: [{"justification":"the input is a constant","kind":"inSource"}]
"#);
    assert_eq!(log["runs"][0]["results"][0]["properties"]["commit"], "1a2b3c4");
    assert_eq!(log["runs"][0]["results"][0]["fixes"], Value::Null, "a fix could quote the secret");
}

#[test]
fn sarif_rules_and_catalogues() {
    let log = log(&full());
    let driver = &log["runs"][0]["tool"]["driver"];
    assert_snapshot!(shown(&driver["rules"][3]), @r#"
defaultConfiguration: {"level":"error"}
help: {"text":"What is wrong.\nWhat to do.\n\nSee CWE-89, LLM05:2025."}
helpUri: "https://cwe.mitre.org/data/definitions/89.html"
id: "python.sql"
properties: {"tags":["security","external/cwe/cwe-089"],"security-severity":"8.0"}
relationships: [{"kinds":["relevant"],"target":{"id":"CWE-89","index":1,"toolComponent":{"index":0,"name":"CWE"}}},{"kinds":["relevant"],"target":{"id":"LLM05:2025","index":0,"toolComponent":{"index":1,"name":"OWASP"}}}]
shortDescription: {"text":"Title of python.sql"}
"#);
    assert_snapshot!(shown(&log["runs"][0]["taxonomies"][0]), @r#"
name: "CWE"
organization: "MITRE"
taxa: [{"helpUri":"https://cwe.mitre.org/data/definitions/798.html","id":"CWE-798"},{"helpUri":"https://cwe.mitre.org/data/definitions/89.html","id":"CWE-89"}]
"#);
}

/// Every index leads where the id beside it says.
#[test]
fn sarif_references_hold() {
    let log = log(&full());
    let run = &log["runs"][0];
    let at = |value: &Value, index: &Value| value[usize::try_from(index.as_i64().unwrap()).unwrap()].clone();
    let rules = &run["tool"]["driver"]["rules"];
    let taxonomies = &run["taxonomies"];
    let holds = |reference: &Value| {
        let taxonomy = at(taxonomies, &reference["toolComponent"]["index"]);
        assert_eq!(taxonomy["name"], reference["toolComponent"]["name"]);
        assert_eq!(at(&taxonomy["taxa"], &reference["index"])["id"], reference["id"]);
    };
    for result in run["results"].as_array().unwrap() {
        assert_eq!(at(rules, &result["ruleIndex"])["id"], result["ruleId"]);
        result["taxa"].as_array().into_iter().flatten().for_each(holds);
    }
    let related = rules.as_array().unwrap().iter().filter_map(|rule| rule["relationships"].as_array());
    related.flatten().for_each(|relationship| holds(&relationship["target"]));
    for supported in run["tool"]["driver"]["supportedTaxonomies"].as_array().unwrap() {
        assert_eq!(at(taxonomies, &supported["index"])["name"], supported["name"]);
    }
}

#[test]
fn sarif_says_what_was_not_read() {
    let check = |inspection: Inspection, successful: bool| {
        let invocation = log(&inspection)["runs"][0]["invocations"][0].clone();
        assert_eq!(invocation["executionSuccessful"], successful, "{:?}", inspection.verdict);
        invocation
    };
    check(inspection(Verdict::Approve, Vec::new()), true);
    check(Inspection { degraded: None, ..full() }, true);
    check(full(), false);
    check(inspection(Verdict::Error, Vec::new()), false);
    let invocation = check(Inspection { verdict: Verdict::Incomplete, ..full() }, false);
    assert_snapshot!(shown(&invocation["toolExecutionNotifications"][1]), @r#"
level: "error"
locations: [{"physicalLocation":{"artifactLocation":{"uri":"big.py","uriBaseId":"%SRCROOT%"}}}]
message: {"text":"Not reviewed: too large to parse"}
"#);
    let bare = log(&inspection(Verdict::Error, Vec::new()));
    let said = &bare["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert_eq!(said, "error: no findings; nothing was read");
}

#[test]
fn uris() {
    let check = |file: &str, expected: &str| assert_eq!(relative_uri(file), expected);
    check("src/a b.py", "src/a%20b.py");
    check("café#1?.py", "caf%C3%A9%231%3F.py");
    check("l\\xe9.py", "l%E9.py");
    check("a\\b%41", "a%5Cb%2541");
    check("C:/x", "C%3A/x");
}

#[test]
fn messages_are_no_templates() {
    let check = |text: &str, expected: &str| assert_eq!(plain(text), expected);
    check("see [here](1) {0} {10} {x} {", "see [here] (1) {{0}} {{10}} {x} {");
    check("\u{1b}[31m", "\\x1b[31m");
}
