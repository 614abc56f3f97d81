//! What went wrong between here and the server, in one line.

use prevet_domain::kind::Kind;
use prevet_wire::inbox::Taken;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};

use crate::error::{CommandError, chain};

/// What of a foreign server's answer is repeated.
const FOREIGN_TEXT_CHARACTERS_MAX: usize = 120;

/// The request did not get through.
pub fn unreachable(url: &str, action: &str, timeout_seconds: u64, error: &reqwest::Error) -> CommandError {
    if error.is_connect() && error.is_timeout() {
        let text = format!("{action}: {url} cannot be reached: no connection within {timeout_seconds} s");
        return CommandError::new(Kind::Unavailable, text);
    }
    if error.is_connect() {
        let text = format!("{action}: {url} cannot be reached ({})", root_cause(error));
        return CommandError::new(Kind::Unavailable, text);
    }
    if error.is_timeout() {
        return silent(url, action, timeout_seconds);
    }
    CommandError::new(Kind::Unavailable, format!("{action} at {url} broke off: {}", chain(error)))
}

/// The server took the request and did not answer.
pub fn silent(url: &str, action: &str, timeout_seconds: u64) -> CommandError {
    CommandError::new(Kind::Unavailable, format!("{action}: {url} did not answer within {timeout_seconds} s"))
}

fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// The server answered with an error.
pub fn refused(
    url: &str,
    action: &str,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> CommandError {
    let said = match serde_json::from_slice::<Taken>(body) {
        Ok(Taken { error, decision: Some(decision), .. }) => {
            let outcome = decision.answer.as_deref().unwrap_or("dismissed");
            let by = &decision.receipt.answered_by;
            format!("{error}: {outcome:?}, by {by}, {}", decision.decision_id)
        }
        Ok(Taken { error, .. }) => error,
        Err(_) => String::from_utf8_lossy(body).chars().take(FOREIGN_TEXT_CHARACTERS_MAX).collect(),
    };
    // The header may hold a date as well, which helps nobody in one line.
    let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse::<u64>().ok());
    let later = seconds.map(|value| format!("; it asks to come back in {value} s")).unwrap_or_default();
    let text = format!("{action}: {url} answered {} {said}{later}", status.as_u16());
    CommandError::new(Kind::from_http_status(status.as_u16()), text)
}

/// The exchange broke. What the server answered in place of a result is told as it would be on any other route; else why,
/// without the names of types that the library puts before it.
pub fn broken(url: &str, action: &str, why: &str) -> CommandError {
    if let Some((status, said)) = answered(why) {
        return refused(url, action, status, &HeaderMap::new(), said.as_bytes());
    }
    let reason = why.rsplit("] error: ").next().unwrap_or(why).trim();
    let advice = "is the server there? `prevet doctor` tells what is set up";
    CommandError::new(Kind::Unavailable, format!("calling {action} at {url} failed: {reason}; {advice}"))
}

/// An HTTP status that an error's text tells of, and what came with it.
fn answered(why: &str) -> Option<(StatusCode, &str)> {
    // The first one: what came with it may speak of others.
    let (status, rest) = why.match_indices("HTTP ").find_map(|(at, name)| {
        let rest = &why[at + name.len()..];
        Some((StatusCode::from_bytes(rest.get(..3)?.as_bytes()).ok()?, rest))
    })?;
    let said = rest.split_once(": ").map_or("", |(_, said)| said);
    let end = said.rfind('}').map_or(said.len(), |at| at + 1);
    Some((status, said.get(..end)?))
}

/// What a tool error's code means here.
pub fn kind_of_code(code: &str) -> Kind {
    match code {
        "UNKNOWN_SESSION" | "NOT_FOUND" => Kind::Missing,
        "INVALID_INPUT" | "NO_DIFF" | "MODEL_NOT_CONFIGURED" | "TICKET_UNRESOLVED" => Kind::Invalid,
        "UNAUTHENTICATED" => Kind::Unauthenticated,
        "DENIED" => Kind::Denied,
        "BUSY" => Kind::Busy,
        "TOO_LARGE" => Kind::TooLarge,
        _ => Kind::Internal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_server_answered() {
        let check = |why: &str, expected: Option<(u16, &str)>| {
            assert_eq!(answered(why).map(|(status, said)| (status.as_u16(), said)), expected, "{why}");
        };
        let body = r#"{"error":"HTTP 500 is not it","code":"TOO_LARGE"}"#;
        check(
            &format!("x [a::B<c>] error: HTTP 413 Payload Too Large: {body}, when send"),
            Some((413, body)),
        );
        check("HTTP 401 Unauthorized", Some((401, "")));
        check("HTTP error: refused", None);
        check("connection refused", None);
    }

    #[test]
    fn nothing_of_the_librarys_types_is_told() {
        let error = broken("http://h/mcp", "x", "Send Transport [rmcp::a::B<c>] error: connection refused");
        assert_eq!(error.kind, Kind::Unavailable);
        assert!(error.message.contains("connection refused; is the server there?"), "{error}");
        assert!(!error.message.contains("rmcp"), "{error}");
    }
}
