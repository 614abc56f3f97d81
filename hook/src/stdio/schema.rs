//! What of a server's tool is different here: the session of a diff is optional, and a folder can be named.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};

use crate::submission::Purpose;

/// Some clients cut longer descriptions.
const DESCRIPTION_CHARACTERS_MAX: usize = 2_047;
const SESSION: &str = "session_id";
const FOLDER: &str = "working_dir";
const AUTOMATIC: &str = "\n\nHere, leave session_id out: the change of the repository at working_dir (edits and untracked \
    files included, against the merge base with the target branch) is captured, uploaded and read by this call alone. \
    The repository and its index are not touched.";

/// Whether a tool reads a diff by its session.
pub fn takes_session(tool: &Tool) -> bool {
    let properties = tool.input_schema.get("properties");
    properties.is_some_and(|properties| properties.get(SESSION).is_some())
}

/// What the tool is called for: one whose results have findings judges.
pub fn purpose(tool: &Tool) -> Purpose {
    let properties = tool.output_schema.as_ref().and_then(|schema| schema.get("properties"));
    let judges = properties.is_some_and(|properties| properties.get("findings").is_some());
    if judges { Purpose::Inspection } else { Purpose::Reading }
}

/// Whether a call names its session.
pub fn names_session(arguments: &JsonObject) -> bool {
    arguments.get(SESSION).is_some_and(|value| !value.is_null() && value != "")
}

/// The folder that a call names.
pub fn take_folder(arguments: &mut JsonObject) -> Option<Value> {
    arguments.remove(FOLDER).filter(|value| !value.is_null())
}

/// What the server takes.
pub fn without_folder(mut arguments: JsonObject) -> JsonObject {
    take_folder(&mut arguments);
    arguments
}

/// The parameters that a call must have and lacks, the session aside.
pub fn missing(tool: &Tool, arguments: &JsonObject) -> Vec<String> {
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    let missing = names.filter(|name| *name != SESSION && !arguments.contains_key(*name));
    missing.map(str::to_owned).collect()
}

/// The tool as clients see it.
pub fn adapted(mut tool: Tool) -> Tool {
    if !takes_session(&tool) {
        return tool;
    }
    let mut schema = (*tool.input_schema).clone();
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name != SESSION);
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let text =
            "Only for a diff that was uploaded by somebody else: its session. Left out, the call makes both.";
        properties.insert(SESSION.to_owned(), json!({ "type": "string", "description": text }));
        let text = "The repository, or a folder in it: an absolute path. Left out, the client's workspace, or where this \
                    server was started.";
        properties.insert(FOLDER.to_owned(), json!({ "type": "string", "description": text }));
    }
    tool.input_schema = Arc::new(schema);
    let own: String = tool.description.as_deref().unwrap_or_default().to_owned();
    let room = DESCRIPTION_CHARACTERS_MAX - AUTOMATIC.chars().count();
    tool.description = Some((own.chars().take(room).collect::<String>() + AUTOMATIC).into());
    tool
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(properties: &Value, required: &Value) -> Tool {
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        let Value::Object(schema) = schema else { unreachable!() };
        Tool::new("t", "x".repeat(3000), Arc::new(schema))
    }

    #[test]
    fn a_diff_s_tool_needs_no_session() {
        let read = tool(&json!({ "session_id": {}, "question": {} }), &json!(["session_id", "question"]));
        let adapted = adapted(read);
        assert_eq!(adapted.input_schema["required"], json!(["question"]));
        assert!(adapted.input_schema["properties"]["working_dir"]["description"].is_string());
        assert!(adapted.description.as_deref().is_some_and(|it| it.chars().count() < 2_048));
        let other = tool(&json!({ "query": {} }), &json!(["query"]));
        assert_eq!(super::adapted(other.clone()), other);
    }

    #[test]
    fn arguments() {
        let check = |arguments: &Value, names: bool, lacks: &[&str]| {
            let Value::Object(arguments) = arguments.clone() else { unreachable!() };
            let read = tool(&json!({ "session_id": {} }), &json!(["session_id", "question"]));
            assert_eq!(names_session(&arguments), names, "{arguments:?}");
            assert_eq!(missing(&read, &arguments), lacks, "{arguments:?}");
        };
        check(&json!({}), false, &["question"]);
        check(&json!({ "session_id": null, "question": 1 }), false, &[]);
        check(&json!({ "session_id": "" }), false, &["question"]);
        check(&json!({ "session_id": "s" }), true, &["question"]);
        check(&json!({ "session_id": 5, "question": "q" }), true, &[]);
    }
}
