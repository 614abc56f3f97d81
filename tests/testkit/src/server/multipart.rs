//! Multipart bodies, right and wrong.

/// A multipart body that is written as told.
#[derive(Debug, Clone, Default)]
pub struct Multipart {
    body: Vec<u8>,
}

const BOUNDARY: &str = "----prevet-test-boundary";

impl Multipart {
    /// The two parts that every client sends.
    pub fn diff(diff: impl AsRef<[u8]>) -> Self {
        Self::default().part("file", diff).part("base_sha", "4b825dc642cb6eb9a060e54bf8d69288fbee4904")
    }

    /// One more part.
    #[must_use]
    pub fn part(mut self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let file_name = if name == "file" { "; filename=\"session.diff\"" } else { "" };
        let head =
            format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file_name}\r\n\r\n");
        self.body.extend_from_slice(head.as_bytes());
        self.body.extend_from_slice(content.as_ref());
        self.body.extend_from_slice(b"\r\n");
        self
    }

    /// The body, with its end.
    pub fn whole(&self) -> Vec<u8> {
        [self.body.as_slice(), format!("--{BOUNDARY}--\r\n").as_bytes()].concat()
    }

    /// The body without its last bytes and its end.
    pub fn cut(&self, bytes: usize) -> Vec<u8> {
        self.body[..self.body.len() - bytes].to_vec()
    }

    /// The `Content-Type`.
    pub fn content_type() -> String {
        format!("multipart/form-data; boundary={BOUNDARY}")
    }
}
