//! Servers in TOML: only the tables of the named server are written, all else keeps its bytes.

use serde_json::{Map, Value};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

/// The server's entry.
pub fn get(text: &str, container: &str, name: &str) -> Result<Option<Value>, String> {
    let document = parse(text)?;
    let Some(servers) = servers(&document, container)? else { return Ok(None) };
    Ok(servers.get(name).map(value_of))
}

/// The text with that entry.
pub fn set(text: &str, container: &str, name: &str, entry: &Value) -> Result<String, String> {
    let mut document = parse(text)?;
    if servers(&document, container)?.and_then(|it| it.get(name)).map(value_of).as_ref() == Some(entry) {
        return Ok(text.to_owned());
    }
    let blank_line = if document.is_empty() { "" } else { "\n" };
    let servers = document.entry(container).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let item = match servers {
        Item::Table(_) => {
            let mut table = table_of(entry)?;
            table.decor_mut().set_prefix(blank_line);
            Item::Table(table)
        }
        _ => Item::Value(inline_of(entry)?),
    };
    let servers = servers.as_table_like_mut().ok_or_else(|| format!("{container} is no table"))?;
    servers.insert(name, item);
    Ok(written(&document, text))
}

/// The text without that entry.
pub fn remove(text: &str, container: &str, name: &str) -> Result<String, String> {
    let mut document = parse(text)?;
    if servers(&document, container)?.is_none_or(|it| it.get(name).is_none()) {
        return Ok(text.to_owned());
    }
    let Some(servers) = document.get_mut(container).and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    servers.remove(name);
    let implicit = document.get(container).and_then(Item::as_table).is_some_and(Table::is_implicit);
    if implicit && document[container].as_table().is_some_and(Table::is_empty) {
        document.remove(container);
    }
    Ok(written(&document, text))
}

fn parse(text: &str) -> Result<DocumentMut, String> {
    text.parse::<DocumentMut>()
        .map_err(|error| error.to_string().split_whitespace().collect::<Vec<_>>().join(" "))
}

/// With the line ends of the text that it was read from.
fn written(document: &DocumentMut, text: &str) -> String {
    let written = document.to_string();
    let (lines, windows) = (text.matches('\n').count(), text.matches("\r\n").count());
    if windows > 0 && windows == lines { written.replace('\n', "\r\n") } else { written }
}

fn servers<'a>(document: &'a DocumentMut, container: &str) -> Result<Option<&'a dyn TableLike>, String> {
    let Some(item) = document.get(container) else { return Ok(None) };
    item.as_table_like().map(Some).ok_or_else(|| format!("{container} is no table"))
}

fn value_of(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return Value::Object(table.iter().map(|(name, item)| (name.to_owned(), value_of(item))).collect());
    }
    item.as_value().map_or(Value::Null, plain)
}

fn plain(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Float(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(truth) => (*truth.value()).into(),
        toml_edit::Value::Datetime(time) => time.value().to_string().into(),
        toml_edit::Value::Array(array) => array.iter().map(plain).collect(),
        toml_edit::Value::InlineTable(table) => {
            Value::Object(table.iter().map(|(name, value)| (name.to_owned(), plain(value))).collect())
        }
    }
}

fn object(entry: &Value) -> Result<&Map<String, Value>, String> {
    entry.as_object().ok_or_else(|| "an entry is no table".to_owned())
}

fn table_of(entry: &Value) -> Result<Table, String> {
    let mut table = Table::new();
    for (name, value) in object(entry)? {
        table.insert(name, Item::Value(toml_value(value)?));
    }
    Ok(table)
}

fn inline_of(entry: &Value) -> Result<toml_edit::Value, String> {
    let mut table = InlineTable::new();
    for (name, value) in object(entry)? {
        table.insert(name, toml_value(value)?);
    }
    Ok(table.into())
}

fn toml_value(value: &Value) -> Result<toml_edit::Value, String> {
    Ok(match value {
        Value::String(text) => text.as_str().into(),
        Value::Bool(truth) => (*truth).into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::Array(values) => {
            let values = values.iter().map(toml_value).collect::<Result<Array, String>>()?;
            values.into()
        }
        Value::Object(_) => inline_of(value)?,
        Value::Null => return Err("TOML has no null".to_owned()),
    })
}

/// The variables that model providers take their keys from.
pub fn key_variables(text: &str) -> Vec<String> {
    let Ok(document) = parse(text) else { return Vec::new() };
    let providers = document.get("model_providers").and_then(Item::as_table_like);
    let providers = providers.into_iter().flat_map(TableLike::iter);
    providers.filter_map(|(_, it)| Some(it.get("env_key")?.as_str()?.to_owned())).collect()
}
