//! The password in `scheme://user:password@host`.

use std::ops::Range;

use super::placeholder::{is_of_common_words, is_sequential, is_weak_password};

/// A URL's user and password together.
const USERINFO_BYTES_MAX: usize = 512;
/// The part of a scheme's name that is looked at.
const SCHEME_BYTES_MAX: usize = 24;
const DATABASES: [&str; 19] = [
    "postgres",
    "postgresql",
    "mysql",
    "mysql2",
    "mariadb",
    "mongodb",
    "srv",
    "redis",
    "rediss",
    "amqp",
    "amqps",
    "mssql",
    "sqlserver",
    "clickhouse",
    "cockroachdb",
    "oracle",
    "nats",
    "neo4j",
    "ldap",
];

/// What a URL is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A database, a queue, a directory.
    Database,
    /// Anything else.
    Other,
}

/// A password in a URL.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UrlPassword {
    pub span: Range<usize>,
    pub kind: Kind,
    /// Whether it is worth a word.
    pub is_real: bool,
    /// Whether it opens nothing beyond the developer's machine.
    pub is_local: bool,
}

/// The password of the URL whose `://` is `mark`.
pub(super) fn find(text: &[u8], mark: &Range<usize>) -> Option<UrlPassword> {
    let scheme = scheme(text, mark.start)?;
    let rest = &text[mark.end..text.len().min(mark.end + USERINFO_BYTES_MAX)];
    let stop = rest.iter().position(|byte| byte.is_ascii_whitespace() || b"\"'`<>\\".contains(byte));
    let rest = &rest[..stop.unwrap_or(rest.len())];
    let authority = authority(rest);
    let colon = authority.iter().position(|byte| *byte == b':')?;
    let password = &authority[colon + 1..];
    let is_path = password.contains(&b'/') && !DATABASES.contains(&scheme.as_str());
    let count = |byte: u8| authority[..colon].split(|other| *other == byte).count();
    // `{user[:8]}` of a text that is filled in: the colon belongs to its code.
    let is_in_hole = count(b'{') > count(b'}') || count(b'[') > count(b']');
    if password.is_empty() || is_path || is_in_hole || authority[..colon].contains(&b'/') {
        return None;
    }
    let host = host(&rest[authority.len() + 1..]);
    let is_open = is_interpolated_host(host);
    Some(UrlPassword {
        span: mark.end + colon + 1..mark.end + authority.len(),
        kind: if DATABASES.contains(&scheme.as_str()) { Kind::Database } else { Kind::Other },
        is_real: is_real(&authority[..colon], password) && !is_open && !is_sample_host(host),
        is_local: is_local(host),
    })
}

/// User and password: up to the last `@` before the path. A password may hold a bare `@`, and often does.
fn authority(rest: &[u8]) -> &[u8] {
    let first = rest.iter().position(|byte| *byte == b'@').unwrap_or(0);
    let path =
        rest[first..].iter().position(|byte| b"/?#,".contains(byte)).map_or(rest.len(), |at| first + at);
    let at = rest[..path].iter().rposition(|byte| *byte == b'@').unwrap_or(0);
    &rest[..at]
}

fn host(rest: &[u8]) -> &[u8] {
    let end = rest.iter().position(|byte| b":/?#,".contains(byte)).unwrap_or(rest.len());
    &rest[..end]
}

fn scheme(text: &[u8], end: usize) -> Option<String> {
    let before = &text[end.saturating_sub(SCHEME_BYTES_MAX)..end];
    let start = before.iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
    let name = &before[start..];
    (!name.is_empty()).then(|| String::from_utf8_lossy(name).to_lowercase())
}

fn is_real(user: &[u8], password: &[u8]) -> bool {
    const SHAMS: [&[u8]; 4] = [b"[", b"%7B", b"$", b"("];
    password.is_ascii()
        && !password.eq_ignore_ascii_case(user)
        && !password.contains(&b'/')
        && !is_weak_password(password)
        && !is_sequential(password)
        && !is_of_common_words(password)
        && !SHAMS.iter().any(|sham| password.starts_with(sham))
}

fn is_interpolated_host(host: &[u8]) -> bool {
    host.is_empty() || host.iter().any(|byte| b"{}<>%$()*".contains(byte))
}

fn is_sample_host(host: &[u8]) -> bool {
    let host = String::from_utf8_lossy(host).to_lowercase();
    let names = ["example", "host", "hostname", "server", "domain", "myhost", "foo", "bar"];
    names.contains(&host.as_str())
        || ["example.com", "example.org", "example.net", ".example", ".invalid", ".test"]
            .iter()
            .any(|end| host.ends_with(end))
}

fn is_local(host: &[u8]) -> bool {
    let names: [&[u8]; 12] = [
        b"localhost",
        b"127.0.0.1",
        b"0.0.0.0",
        b"[",
        b"db",
        b"postgres",
        b"mysql",
        b"redis",
        b"mongo",
        b"rabbitmq",
        b"database",
        b"host.docker.internal",
    ];
    names.contains(&host) || host.starts_with(b"127.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, Kind, bool)>) {
        let at = text.find("://").expect("a URL");
        let found = find(text.as_bytes(), &(at..at + 3));
        let shown = found.map(|found| (&text[found.span], found.kind, found.is_real));
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn passwords() {
        let join = |parts: [&str; 2]| parts.concat();
        check(&join(["postgres://app:kT8qPz1x", "@db.acme.io/x"]), Some(("kT8qPz1x", Kind::Database, true)));
        check(&join(["mongodb+srv://app:k@T8/", "q"]), Some(("k", Kind::Database, false)));
        check(&join(["mysql://app:k@T8qPz1", "@db.acme.io/x"]), Some(("k@T8qPz1", Kind::Database, true)));
        check(&join(["https://me:kT8qPz1x", "@git.acme.io/x"]), Some(("kT8qPz1x", Kind::Other, true)));
        check("postgres://app:password@db.acme.io", Some(("password", Kind::Database, false)));
        check("postgres://app:${PASSWORD}@db.acme.io", Some(("${PASSWORD}", Kind::Database, false)));
        check("https://acme.io:8080/a@b", None);
        check("https://acme.io/a:b@c", None);
        check("git+https://git@acme.io/x", None);
    }
}
