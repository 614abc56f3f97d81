//! The fields of a form that was sent.

use axum::body::Body;
use axum::http::HeaderMap;

use crate::body;
use crate::failure::Failure;

/// All fields of one form.
const FORM_BYTES_MAX: usize = 256 << 10;

/// The fields, in order.
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads a form of `application/x-www-form-urlencoded`.
    pub async fn read(headers: &HeaderMap, request: Body) -> Result<Self, Failure> {
        let packed = body::take(request).await?;
        let bytes = body::unpack(headers, packed, FORM_BYTES_MAX)?;
        let fields = serde_urlencoded::from_bytes(&bytes);
        fields.map(Self).map_err(|_| Failure::invalid("the form cannot be read"))
    }

    /// The first field of that name, if it says something.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut named = self.0.iter().filter(|(field, _)| field == name).map(|(_, value)| value.trim());
        named.find(|value| !value.is_empty())
    }

    /// Every field of that name that says something.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.0.iter().filter(move |(field, _)| field == name);
        named.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }
}
