//! JSON-RPC requests in the protocol's two eras.

use serde_json::{Value, json};

/// The version without sessions and handshake.
pub const MODERN_VERSION: &str = "2026-07-28";

/// Which era a request is made in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// With `initialize`, of that version.
    Legacy(&'static str),
    /// [`MODERN_VERSION`]: version and capabilities in each request, and headers that repeat the body.
    Modern,
}

impl Era {
    /// Each version that a client of today speaks.
    pub const ALL: [Self; 3] = [Self::Legacy("2025-06-18"), Self::Legacy("2025-11-25"), Self::Modern];

    /// The protocol's version.
    pub const fn version(self) -> &'static str {
        match self {
            Self::Legacy(version) => version,
            Self::Modern => MODERN_VERSION,
        }
    }

    /// Headers and body of a request.
    pub fn request(self, method: &str, params: &Value) -> (Vec<(&'static str, String)>, Value) {
        let mut headers = vec![
            ("accept", "application/json, text/event-stream".to_owned()),
            ("mcp-protocol-version", self.version().to_owned()),
        ];
        let mut params = params.clone();
        if self == Self::Modern {
            headers.push(("mcp-method", method.to_owned()));
            if let Some(name) = params["name"].as_str() {
                headers.push(("mcp-name", name.to_owned()));
            }
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!(MODERN_VERSION);
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
            meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
        }
        (headers, json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }))
    }

    /// The parameters of `initialize`.
    pub fn initialize(self) -> Value {
        json!({
            "protocolVersion": self.version(),
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        })
    }
}
