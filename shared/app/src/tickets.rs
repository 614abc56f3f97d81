//! The port to where tickets are kept.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use prevet_domain::ids::TenantKey;
use prevet_domain::kind::Kind;
pub use prevet_domain::ticket::TicketReference;

/// A ticket as it was fetched, as plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    /// How people name it.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its description, markup taken off, bounded.
    pub body: String,
    /// Whether it is closed.
    pub closed: bool,
    /// Where people read it.
    pub url: String,
}

/// Why a ticket cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {reason}")]
pub struct TicketError {
    /// How people name it.
    pub name: String,
    /// Why, and what to do.
    pub reason: String,
    /// What it means.
    pub kind: Kind,
}

/// A future ticket.
pub type Fetched<'a> = Pin<Box<dyn Future<Output = Result<Ticket, TicketError>> + Send + 'a>>;

/// Where tickets are kept.
pub trait Tickets: Debug + Send + Sync {
    /// Fetches one anew.
    fn fetch<'a>(&'a self, tenant: &'a TenantKey, reference: &'a TicketReference) -> Fetched<'a>;

    /// The only Jira projects whose keys count; any, less the names of standards, where none is named.
    fn projects(&self) -> &[String] {
        &[]
    }
}
