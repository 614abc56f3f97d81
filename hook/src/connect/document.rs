//! The servers in a configuration's text, whatever it is written in.

use serde_json::Value;

use super::{Format, json, toml};

/// A server's name and its entry.
pub type Entry = (String, Value);

/// A configuration's text.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// How it is written.
    pub format: Format,
    /// The key that holds the servers.
    pub container: &'static str,
    /// The text.
    pub text: &'a str,
}

/// What some editors put before a text, and JSON has no place for.
const BYTE_ORDER_MARK: &str = "\u{feff}";

impl Document<'_> {
    fn marked(&self) -> (&'static str, &str) {
        self.text.strip_prefix(BYTE_ORDER_MARK).map_or(("", self.text), |text| (BYTE_ORDER_MARK, text))
    }

    /// Those of the named servers that are there.
    pub fn entries(&self, names: &[&str]) -> Result<Vec<Entry>, String> {
        let mut entries = Vec::new();
        let (_, text) = self.marked();
        for name in names {
            let value = match self.format {
                Format::Json => json::get(text, self.container, name)?,
                Format::Toml => toml::get(text, self.container, name)?,
            };
            entries.extend(value.map(|value| ((*name).to_owned(), value)));
        }
        Ok(entries)
    }

    /// The text with these entries; one that is there and means the same is left as it is written.
    pub fn with(&self, entries: &[Entry]) -> Result<String, String> {
        let (mark, text) = self.marked();
        let mut text = text.to_owned();
        for (name, value) in entries {
            text = match self.format {
                Format::Json => json::set(&text, self.container, name, value)?,
                Format::Toml => toml::set(&text, self.container, name, value)?,
            };
        }
        Ok(format!("{mark}{text}"))
    }

    /// The text without the named servers.
    pub fn without(&self, names: &[&str]) -> Result<String, String> {
        let (mark, text) = self.marked();
        let mut text = text.to_owned();
        for name in names {
            text = match self.format {
                Format::Json => json::remove(&text, self.container, name)?,
                Format::Toml => toml::remove(&text, self.container, name)?,
            };
        }
        Ok(format!("{mark}{text}"))
    }
}
