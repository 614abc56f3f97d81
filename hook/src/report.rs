//! An inspection's result as text, JSON, SARIF 2.1.0 or a Markdown comment. Nothing here prints.
//!
//! Paths, code, titles and messages come from the change or from a model. On their way out they lose the power
//! to steer a terminal, a table or a comment: see [`escape`]. A secret is never written: only masked evidence
//! and lines that no secret stands on are.

pub mod escape;
mod frame;
pub mod json;
pub mod markdown;
pub mod model;
pub mod sarif;
#[cfg(test)]
mod tests;
pub mod text;

pub use model::{Degraded, Fixed, Inspection, NoSource, ReportedFinding, SourceLines};

/// The formats of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For a person at a terminal.
    Text(Colour),
    /// The tool's result as it is.
    Json,
    /// For code scanning services and editors.
    Sarif,
    /// For a comment on a pull request.
    Markdown,
}

/// Whether ANSI colours are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// They are.
    On,
    /// They are not.
    Off,
}

/// The report, ending in a line end.
pub fn render(inspection: &Inspection, format: Format, source: &dyn SourceLines) -> String {
    match format {
        Format::Text(colour) => text::render(inspection, source, colour),
        Format::Json => json::render(&inspection.raw),
        Format::Sarif => sarif::render(inspection),
        Format::Markdown => markdown::render(inspection),
    }
}
