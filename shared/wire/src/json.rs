//! JSON objects to types, with errors that name the field.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Why a JSON text is not what is wanted.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// Not JSON, or not an object.
    #[error("it is not a JSON object")]
    NoObject,
    /// A field that is missing, unknown or of another type.
    #[error("{0}")]
    Field(String),
}

/// Reads an object. A list of the fields' values in order, which serde would take too, is refused.
pub fn object<T: DeserializeOwned>(json: &[u8]) -> Result<T, JsonError> {
    let value: Value = serde_json::from_slice(json).map_err(|_| JsonError::NoObject)?;
    if !value.is_object() {
        return Err(JsonError::NoObject);
    }
    from_value(value)
}

/// Reads a field that is an object, for `deserialize_with`: a list of values in order is refused there too.
pub fn optional_object<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: serde::Deserialize<'de>,
    D: serde::Deserializer<'de>,
{
    deserializer.deserialize_option(OptionalObject(std::marker::PhantomData))
}

struct OptionalObject<T>(std::marker::PhantomData<T>);

impl<'de, T: serde::Deserialize<'de>> serde::de::Visitor<'de> for OptionalObject<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(serde::de::value::MapAccessDeserializer::new(map)).map(Some)
    }
}

/// Reads a value that was parsed already.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, JsonError> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let problem = without_value(&error.into_inner().to_string());
        JsonError::Field(if path == "." { problem } else { format!("{path}: {problem}") })
    })
}

/// serde repeats a text that is not what it wants, and that may be a secret.
pub(crate) fn without_value(problem: &str) -> String {
    match (problem.find('"'), problem.rfind('"')) {
        (Some(first), Some(last)) if last > first => format!("{}…{}", &problem[..=first], &problem[last..]),
        _ => problem.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::InspectParameters;

    #[test]
    fn errors_name_the_field() {
        let check = |json: &str, expected: &str| {
            let error = object::<InspectParameters>(json.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error:?} lacks {expected:?}");
        };
        check("{", "not a JSON object");
        check("[\"id\"]", "not a JSON object");
        check("{}", "session_id");
        assert!(
            !object::<InspectParameters>(b"{\"session_id\":\"x\",\"context\":\"sesame\"}")
                .unwrap_err()
                .to_string()
                .contains("sesame")
        );
        check("{\"session_id\":5}", "session_id");
        check("{\"session_id\":\"x\",\"context\":{\"pr_title\":1}}", "context.pr_title");
    }
}
