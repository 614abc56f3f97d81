//! Which tickets a text names, recognised strictly: a key of a standard or of a weakness is none.

mod scan;
#[cfg(test)]
mod tests;

use std::fmt;

pub use self::scan::recognise;

/// Tickets of one task.
pub const TICKETS_MAX: usize = 10;

/// What names a ticket.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum TicketReference {
    /// An issue of a GitHub repository.
    GitHub {
        /// The host, where a URL stated one.
        host: Option<String>,
        /// `owner/name`.
        repository: String,
        /// The number.
        number: u64,
    },
    /// A Jira issue.
    Jira {
        /// The site, where a URL stated one.
        site: Option<String>,
        /// `KEY-123`.
        key: String,
    },
}

impl fmt::Display for TicketReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GitHub { repository, number, .. } => write!(f, "{repository}#{number}"),
            Self::Jira { key, .. } => f.write_str(key),
        }
    }
}

/// What a text is read against.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// The repository that a bare `#42` is an issue of: `owner/name`.
    pub repository: Option<&'a str>,
    /// The only Jira projects whose keys count; any, less the standards, where none is named.
    pub projects: &'a [String],
}

/// What a task's text names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recognised {
    /// The tickets, each once, in their order.
    pub tickets: Vec<TicketReference>,
    /// Bare numbers for which no repository is known.
    pub homeless: Vec<String>,
    /// Addresses that are no ticket's.
    pub foreign_urls: Vec<String>,
    /// Whether the text says something beside naming tickets.
    pub has_prose: bool,
}

/// Whether `prefix` is what a standard, an algorithm or a weakness is called by, and no project.
pub(crate) fn is_standard(prefix: &str) -> bool {
    STANDARDS.contains(&prefix)
}

/// Sorted by what they are: weaknesses, characters, digests and ciphers, standards bodies, papers, protocols,
/// licences, machines, models, and counted words.
const STANDARDS: &[&str] = &[
    "CVE", "CWE", "GHSA", "CAPEC", "OSV", "RUSTSEC", "PYSEC", "GO", "DSA", "USN", "RHSA", "CVSS", "OWASP",
    "LLM", "UTF", "UCS", "ASCII", "LATIN", "CP", "WINDOWS", "GB", "BIG5", "KOI8", "EUC", "SHIFT", "ISCII",
    "SHA", "SHA1", "SHA2", "SHA3", "MD", "CRC", "HMAC", "AES", "DES", "RSA", "ECDSA", "ED", "X", "HS", "RS",
    "ES", "PS", "BLAKE", "CHACHA", "POLY", "ARGON", "BCRYPT", "PKCS", "P", "ASN", "BASE", "BASE64", "CURVE",
    "SECP", "ISO", "IEC", "IEEE", "RFC", "STD", "BCP", "ECMA", "ES6", "ANSI", "NIST", "FIPS", "ITU", "EN",
    "DIN", "W3C", "SOC", "PCI", "HIPAA", "GDPR", "ISBN", "ISSN", "EAN", "UPC", "IANA", "SP", "ADR", "PEP",
    "BIP", "EIP", "ERC", "CAIP", "JSR", "JEP", "KIP", "KEP", "TEP", "AIP", "SIP", "NEP", "SEP", "XEP",
    "HTTP", "HTTPS", "TLS", "SSL", "SSH", "IPV", "IP", "TCP", "USB", "PCIE", "SMB", "NTLM", "OAUTH", "SAML",
    "WPA", "GPL", "LGPL", "AGPL", "BSD", "MPL", "EPL", "APACHE", "CC", "MIT", "CDDL", "EUPL", "BSL", "ARM",
    "ARM64", "AMD", "X86", "I", "RISC", "RV", "SSE", "AVX", "VT", "DDR", "MP", "H", "AV", "JPEG", "MPEG",
    "PDF", "GPT", "CLAUDE", "GEMINI", "LLAMA", "O", "T5", "COVID", "CAT", "UTC", "GMT", "Q", "FY", "V",
    "VERSION", "STEP", "PHASE", "PART", "LEVEL", "TIER", "PYTHON", "JAVA", "NODE", "GCC", "CLANG", "LINUX",
    "C", "PG", "IE",
];
