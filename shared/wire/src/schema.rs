//! JSON schemas as clients get them.

use serde_json::{Map, Value};

/// The schema without `format`: what stands there (`uint32` and the like) is Rust's, and validators complain of it.
pub fn plain(schema: &Map<String, Value>) -> Map<String, Value> {
    let stated = |(name, value): &(&String, &Value)| *name != "format" || !value.is_string();
    schema.iter().filter(stated).map(|(name, value)| (name.clone(), plain_value(value))).collect()
}

fn plain_value(value: &Value) -> Value {
    match value {
        Value::Object(schema) => Value::Object(plain(schema)),
        Value::Array(schemas) => Value::Array(schemas.iter().map(plain_value).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_property_may_be_called_format() {
        let schema =
            json!({ "format": "uint32", "properties": { "format": { "type": "string", "format": "x" } } });
        let Value::Object(schema) = schema else { unreachable!() };
        assert_eq!(
            Value::Object(plain(&schema)),
            json!({ "properties": { "format": { "type": "string" } } })
        );
    }
}
