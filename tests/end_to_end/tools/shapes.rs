//! Whether GitHub, as it is scripted here, answers in the shapes that GitHub publishes.

use std::fs;

use prevet_testkit::server::Parts;
use serde_json::Value;

use crate::tickets::github_answer;
use prevet_testkit::stub::Answer;

const ISSUE: &str = "/repos/{owner}/{repo}/issues/{issue_number}";

/// GitHub's description, where the real parts are here.
fn description() -> Option<Value> {
    let parts = Parts::from_env("GitHub's published API description")?;
    let text = fs::read(parts.package("@octokit/openapi").join("generated/api.github.com.json")).unwrap();
    Some(serde_json::from_slice(&text).unwrap())
}

fn resolved<'a>(description: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => description.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

/// What of `value` is not as `schema` has it: types, required fields, and both within what is nested.
fn faults(description: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let schema = resolved(description, schema);
    if value.is_null() {
        let nullable = schema["nullable"] == true;
        return if nullable { Vec::new() } else { vec![format!("{at} is null")] };
    }
    let fits = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64(),
        Some("boolean") => value.is_boolean(),
        _ => true,
    };
    if !fits {
        return vec![format!("{at} is no {}", schema["type"])];
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing =
        required.filter(|name| value.get(name).is_none()).map(|name| format!("{at}.{name} is missing"));
    let properties = value.as_object().into_iter().flatten();
    let nested = properties.flat_map(|(name, value)| {
        let schema = &schema["properties"][name];
        if schema.is_null() {
            Vec::new()
        } else {
            faults(description, schema, value, &format!("{at}.{name}"))
        }
    });
    let items = value.as_array().into_iter().flatten();
    let items = items.flat_map(|item| faults(description, &schema["items"], item, &format!("{at}[]")));
    missing.chain(nested).chain(items).collect()
}

/// The schema of that answer; GitHub describes errors under names.
fn schema(description: &Value, status: u16) -> &Value {
    let responses = &description["paths"][ISSUE]["get"]["responses"];
    let response = match responses.get(status.to_string()) {
        Some(response) => resolved(description, response),
        None => &description["components"]["responses"]["not_found"],
    };
    &response["content"]["application/json"]["schema"]
}

#[test]
fn answers_have_the_published_shapes() {
    let Some(description) = description() else { return };
    let mut checked = 0;
    for number in 1..=16 {
        let Answer::Status(status, headers, body) =
            github_answer(&format!("/mcp/repos/acme/shop/issues/{number}"))
        else {
            continue;
        };
        let is_json = headers.iter().any(|(name, value)| *name == "Content-Type" && value.contains("json"));
        if is_json {
            let value: Value = serde_json::from_str(&body).unwrap();
            let faults = faults(&description, schema(&description, status), &value, "issue");
            assert!(faults.is_empty(), "issue {number}, {status}: {faults:?}");
            checked += 1;
        }
    }
    assert!(checked >= 12, "{checked}");
    assert_eq!(
        faults(&description, schema(&description, 200), &serde_json::json!({ "id": "1" }), "x").len(),
        20
    );
}
