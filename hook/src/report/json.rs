//! The tool's result as it is.

use serde_json::Value;

use super::escape;

/// `raw`, indented. It means the same to every parser; what would steer a terminal is written as escapes.
pub fn render(raw: &Value) -> String {
    // The alternate form of a value is its indented text, and cannot fail.
    escape::json(&format!("{raw:#}\n"))
}
