//! What came back.

use reqwest::header::HeaderMap;
use serde_json::Value;

/// An HTTP answer, whole.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub text: String,
}

impl Answer {
    /// Reads an answer to its end.
    pub async fn read(response: reqwest::Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.expect("the answer's body is not text or was cut short");
        Self { status, headers, text }
    }

    /// A header's text; empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text)
            .unwrap_or_else(|error| panic!("{} is not JSON ({error}): {:?}", self.status, self.text))
    }

    /// The body, after checking the status.
    #[track_caller]
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        self.json()
    }

    /// Checks that this is an error of that status and code whose text has all of `words`.
    #[track_caller]
    pub fn expect_error(&self, status: u16, code: &str, words: &[&str]) {
        let body = self.expect(status);
        assert_eq!(body["code"], code, "{body}");
        let error = body["error"].as_str().unwrap_or_default();
        for word in words {
            assert!(error.contains(word), "{error:?} lacks {word:?}");
        }
        assert!(self.header("content-type").starts_with("application/json"), "{:?}", self.headers);
    }

    /// The JSON-RPC messages: one of a JSON body, all of an event stream.
    pub fn messages(&self) -> Vec<Value> {
        if !self.header("content-type").starts_with("text/event-stream") {
            return vec![self.json()];
        }
        let data = self.text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        data.filter(|data| !data.is_empty())
            .map(|data| serde_json::from_str(data).expect("an event's data is not JSON"))
            .collect()
    }

    /// The message that answers the request.
    pub fn message(&self) -> Value {
        self.messages().pop().unwrap_or_else(|| panic!("no message in {:?}", self.text))
    }

    /// The tool's result: the object in its text, which is the same as its structured content.
    #[track_caller]
    pub fn tool(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        let result = &self.message()["result"];
        let text =
            result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {}", self.text));
        let value: Value = serde_json::from_str(text).expect("a tool's text is not JSON");
        if result["isError"] != true {
            assert_eq!(result["structuredContent"], value);
        }
        value
    }

    /// Checks that this is a tool's error with that code, whose text has all of `words`.
    #[track_caller]
    pub fn expect_tool_error(&self, code: &str, words: &[&str]) {
        let value = self.tool();
        assert_eq!(self.message()["result"]["isError"], true, "{value}");
        assert_eq!(value["code"], code, "{value}");
        let error = value["error"].as_str().unwrap_or_default();
        for word in words {
            assert!(error.contains(word), "{error:?} lacks {word:?}");
        }
    }
}
