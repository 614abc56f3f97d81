//! SARIF 2.1.0.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use prevet_domain::verdict::{Cause, NotReviewed, Verdict};
use serde_json::{Value, json};
use serde_sarif::sarif::{
    ArtifactContent, ArtifactLocation, Invocation, Location, Message, Notification, PhysicalLocation,
    PropertyBag, Region, Run, Sarif, Tool, ToolComponent, Version,
};

use super::escape;
use super::model::Inspection;

mod results;
mod rules;
#[cfg(test)]
mod tests;

const SCHEMA_URL: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const ROOT: &str = "%SRCROOT%";

/// The log file.
pub fn render(inspection: &Inspection) -> String {
    // Strings, numbers and maps with string keys: this becomes a value whatever the findings hold.
    super::json::render(&json!(log(inspection)))
}

/// The log file of a run that had no change to look at: a reader still wants a log.
pub fn nothing() -> String {
    let driver = ToolComponent::builder().name("Prevet").semantic_version(env!("CARGO_PKG_VERSION")).build();
    let run = Run::builder().tool(Tool::builder().driver(driver).build()).results(Vec::new()).build();
    super::json::render(&json!(
        Sarif::builder()
            .schema(SCHEMA_URL)
            .version(json!(Version::V2_1_0.to_string()))
            .runs(vec![run])
            .build()
    ))
}

fn log(inspection: &Inspection) -> Sarif {
    let taxonomies = rules::taxonomies(inspection);
    let mut driver = ToolComponent::builder()
        .name("Prevet")
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .information_uri(env!("CARGO_PKG_REPOSITORY"))
        .rules(rules::rules(inspection))
        .build();
    driver.supported_taxonomies = (!taxonomies.is_empty()).then(|| rules::references(&taxonomies));
    let root = ArtifactLocation::builder().description(message("The root of the repository.")).build();
    let mut run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .invocations(vec![invocation(inspection)])
        .original_uri_base_ids(BTreeMap::from([(ROOT.to_owned(), root)]))
        .column_kind(json!("unicodeCodePoints"))
        .results(results::results(inspection))
        .properties(run_properties(inspection))
        .build();
    run.taxonomies = (!taxonomies.is_empty()).then_some(taxonomies);
    Sarif::builder().schema(SCHEMA_URL).version(json!(Version::V2_1_0.to_string())).runs(vec![run]).build()
}

fn run_properties(inspection: &Inspection) -> PropertyBag {
    let fixed = inspection.fixed.iter().map(|entry| json!({"id": entry.id, "title": entry.title}));
    bag([
        ("verdict", json!(inspection.verdict.as_str())),
        ("profile", json!(inspection.profile)),
        ("fixed", fixed.collect()),
    ])
}

/// A run that did not read all says so here: SARIF has no other place for what was not looked at.
fn invocation(inspection: &Inspection) -> Invocation {
    let is_whole = matches!(inspection.verdict, Verdict::Approve | Verdict::RequestChanges)
        && inspection.not_reviewed(Cause::Gap).is_empty();
    let mut notifications = Vec::new();
    if let Some(degraded) = &inspection.degraded {
        let level = if is_whole { "warning" } else { "error" };
        notifications.push(notification(level, &degraded.cause, None));
        notifications.extend(degraded.not_reviewed.iter().map(not_reviewed));
    } else if !is_whole {
        notifications.push(notification("error", &inspection.headline(), None));
    }
    notifications.extend(inspection.notes.iter().map(|note| notification("note", note, None)));
    Invocation::builder()
        .execution_successful(is_whole)
        .exit_code(i64::from(inspection.verdict.exit_code()))
        .tool_execution_notifications(notifications)
        .build()
}

fn not_reviewed(part: &NotReviewed) -> Notification {
    let (level, what) = match part.cause {
        Cause::Gap => ("error", "Not reviewed"),
        Cause::Convention => ("note", "Left out"),
    };
    notification(
        level,
        &format!("{what}: {}", part.reason),
        Some(location(&part.file, part.line.map(region))),
    )
}

fn notification(level: &str, text: &str, location: Option<Location>) -> Notification {
    let mut notification = Notification::builder().level(json!(level)).message(message(text)).build();
    notification.locations = location.map(|location| vec![location]);
    notification
}

fn region(line: u32) -> Region {
    Region::builder().start_line(i64::from(line)).build()
}

fn location(file: &str, region: Option<Region>) -> Location {
    let mut place = PhysicalLocation::builder().artifact_location(artifact(file)).build();
    place.region = region;
    Location::builder().physical_location(place).build()
}

fn artifact(file: &str) -> ArtifactLocation {
    ArtifactLocation::builder().uri(relative_uri(file)).uri_base_id(ROOT).build()
}

fn content(text: &str) -> ArtifactContent {
    ArtifactContent::builder().text(escape::lines(text)).build()
}

fn bag<const N: usize>(properties: [(&str, Value); N]) -> PropertyBag {
    let properties = properties.map(|(name, value)| (name.to_owned(), value));
    PropertyBag::builder().additional_properties(BTreeMap::from(properties)).build()
}

fn message(text: &str) -> Message {
    Message::builder().text(plain(text)).build()
}

/// Text in which viewers find neither a link nor a placeholder: `[a](1)` and `{0}` would be such.
fn plain(text: &str) -> String {
    let text = escape::lines(text.trim()).replace("](", "] (");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('{') {
        let (before, after) = rest.split_at(at);
        let digits = after[1..].bytes().take_while(u8::is_ascii_digit).count();
        let end = digits + 2;
        out.push_str(before);
        if digits > 0 && after.as_bytes().get(end - 1) == Some(&b'}') {
            let _ = write!(out, "{{{}}}", &after[..end]);
            rest = &after[end..];
        } else {
            out.push('{');
            rest = &after[1..];
        }
    }
    out + rest
}

/// The path as a URI reference. `\xNN` is how a byte that is not UTF-8 was written; it is that byte again.
fn relative_uri(file: &str) -> String {
    let mut uri = String::with_capacity(file.len());
    let mut rest = file.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after) {
            (b'\\', [b'x', high, low, tail @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                uri.extend(['%', char::from(*high), char::from(*low)].map(|one| one.to_ascii_uppercase()));
                rest = tail;
            }
            (b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/', _) => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}
