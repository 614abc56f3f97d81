//! HTTP servers that misbehave, on loopback.

#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a stub that cannot listen fails its test"
)]

use std::io::{BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::model::read_request;

/// What a stub does with a request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Answers with a status, further headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// Says that a body of this many bytes comes, sends this much of it, and closes the connection.
    Cut(usize, String),
    /// Takes the request and stays silent.
    Silence,
    /// Takes the request and closes the connection.
    HangUp,
}

impl Answer {
    /// A JSON body with this status.
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        let headers = vec![("Content-Type", "application/json".to_owned())];
        Self::Status(status, headers, body.to_string())
    }
}

/// A server that answers each request by its path.
pub struct Stub {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

type Answering = dyn Fn(&str) -> Answer + Send + Sync;

impl Stub {
    /// Answers every request in the same way.
    pub fn always(answer: Answer) -> Self {
        Self::by_path(move |_| answer.clone())
    }

    /// Answers by the request's path. Its threads end with the test's process.
    pub fn by_path(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let (answer, seen): (Arc<Answering>, _) = (Arc::new(answer), Arc::clone(&requests));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
                thread::spawn(move || serve(&stream, &answer, &seen));
            }
        });
        Self { port, requests }
    }

    /// The base URL.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// The requests that came, as `METHOD path`.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// The base URL of a port that nobody listens on.
pub fn closed_port() -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    format!("http://127.0.0.1:{}/mcp", listener.local_addr().unwrap().port())
}

fn serve(stream: &TcpStream, answer: &Arc<Answering>, seen: &Mutex<Vec<String>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let (first, _) = read_request(&mut reader)?;
        let (request, _) = first.rsplit_once(' ')?;
        let request = request.to_owned();
        let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
        seen.lock().unwrap().push(request);
        match answer(&path) {
            Answer::Status(status, headers, body) => write_answer(stream, status, &headers, &body)?,
            Answer::HangUp => return None,
            Answer::Cut(length, body) => {
                let head = format!("HTTP/1.1 200 Stub\r\nContent-Length: {length}\r\n");
                let _ = (&mut &*stream).write_all(format!("{head}\r\n{body}").as_bytes());
                return None;
            }
            // Reading ends when the client goes away.
            Answer::Silence => drop(reader.read_to_end(&mut Vec::new())),
        }
    }
}

fn write_answer(
    mut stream: &TcpStream,
    status: u16,
    headers: &[(&'static str, String)],
    body: &str,
) -> Option<()> {
    let mut head = format!("HTTP/1.1 {status} Stub\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        head = format!("{head}{name}: {value}\r\n");
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).ok()
}
