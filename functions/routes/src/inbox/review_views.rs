//! What a review looks like. The reviewer's words, and what it did, are shown as text.

use std::path::Path;

use maud::{Markup, html};
use prevet_app::reviews::{Detail, Known, Overview, RoundDetail};
use prevet_domain::review::ledger::Entry;
use prevet_domain::review::session::{Ending, Next};
use prevet_domain::review::stream::Activity;
use prevet_domain::review::watch::Report;
use prevet_wire::time::timestamp;

use super::views::href;

/// Sessions, as a list.
pub fn list(sessions: &[Overview], depth: usize) -> Markup {
    html! {
        @if sessions.is_empty() {
            p.empty { "No review was begun on this machine yet. An agent begins one with " code { "review_begin" }
                ", a person with " code { "prevet review begin" } "." }
        }
        ul.decisions {
            @for it in sessions {
                li {
                    a id=(it.id) href=(href(depth, &format!("reviews/{}", it.id))) { (title(it)) }
                    @match &it.known {
                        Ok(known) => p.quiet { span data-news { (standing(known)) } " · " (issues(known)) " · begun " (begun(known)) },
                        Err(why) => p.quiet { "It cannot be read: " (why) },
                    }
                }
            }
        }
    }
}

/// One session, whole.
pub fn session(detail: &Detail) -> Markup {
    let overview = &detail.overview;
    html! {
        h1 { (title(overview)) }
        @match &overview.known {
            Ok(known) => {
                p.answer data-news { (standing(known)) }
                (facts(overview, known))
                (ledger(&known.session.ledger().entries))
                (rounds(known, &detail.rounds))
            }
            Err(why) => p.notice role="alert" { "The session in " code { (overview.directory) } " cannot be read: " (why) },
        }
    }
}

fn title(overview: &Overview) -> String {
    let name = |path: &str| Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    match &overview.known {
        Ok(known) => format!("{} of {}", known.session.subject.skill().as_str(), name(&known.working_dir)),
        Err(_) => name(&overview.directory),
    }
}

fn standing(known: &Known) -> String {
    let session = &known.session;
    let (next, reason) = session.next();
    match session.ending {
        Some(Ending::Finalized(conclusion)) => format!("Ended with {}", conclusion.as_str()),
        Some(Ending::Stopped) => "Stopped without a verdict".to_owned(),
        None if session.is_running() => format!("Round {} is running", session.round()),
        None => format!("Round {} has ended: {} ({}: {reason})", session.round(), turn(next), next.as_str()),
    }
}

/// Whose turn it is, in people's words.
const fn turn(next: Next) -> &'static str {
    match next {
        Next::Running => "it is read",
        Next::Respond => "the author answers",
        Next::CrossCheck => "the author compares",
        Next::Done => "it can be ended",
        Next::AskUser => "a person is asked",
        Next::Stopped => "without a review",
    }
}

fn issues(known: &Known) -> String {
    let ledger = known.session.ledger();
    match ledger.entries.len() {
        0 => "no issues".to_owned(),
        1 => format!("1 issue, {} open", ledger.open()),
        many => format!("{many} issues, {} open", ledger.open()),
    }
}

fn begun(known: &Known) -> String {
    known.times.first().map(|(start, _)| timestamp(*start)).unwrap_or_default()
}

fn facts(overview: &Overview, known: &Known) -> Markup {
    let model = known.model.as_deref().unwrap_or("its own model");
    html! {
        dl {
            dt { "Begun" } dd { (begun(known)) }
            dt { "Reviewer" } dd { (known.reviewer) ", " (model) ", effort " (known.effort) }
            dt { "Works in" } dd { code { (known.working_dir) } }
            dt { "Session" } dd { code { (overview.directory) } }
            @if let Some(thread) = &known.session.thread { dt { "Thread" } dd { code { (thread) } } }
        }
    }
}

fn ledger(entries: &[Entry]) -> Markup {
    html! {
        @if !entries.is_empty() {
            h2 { "Issues" }
            div.scroll tabindex="0" role="region" aria-label="Issues" {
                table {
                    thead { tr { @for name in ["Id", "Issue", "Status", "Severity", "Rounds", "Where"] { th scope="col" { (name) } } } }
                    tbody { @for it in entries { tr {
                        td { (it.id) }
                        td.words { (it.title) }
                        td { (it.standing.as_str()) }
                        td { (it.severity.as_str()) }
                        td { (it.first_round) @if it.last_round != it.first_round { "–" (it.last_round) } }
                        td { @if let Some(file) = &it.file { code { (file) } } }
                    } } }
                }
            }
        }
    }
}

/// The newest first: it is the one that is followed.
fn rounds(known: &Known, details: &[RoundDetail]) -> Markup {
    let all = known.session.rounds.iter().zip(&known.times).enumerate();
    let last = known.session.rounds.len();
    html! {
        @for (at, (round, (start, end))) in all.rev() {
            @let number = at + 1;
            section.round aria-labelledby={ "round-" (number) } {
                h2 id={ "round-" (number) } { "Round " (number) ": " (round.report.as_ref().map_or("running".to_owned(), Report::outcome)) }
                p.quiet { (timestamp(*start)) @if let Some(end) = end { " to " (timestamp(*end)) } }
                @if let Some(Report::Broken(broken)) = &round.report { p.notice { (broken.error) } }
                @if let Some(detail) = details.get(at) { (events(number, detail, number == last)) (words(number, &detail.text)) }
            }
        }
    }
}

fn events(number: usize, detail: &RoundDetail, is_open: bool) -> Markup {
    let count = detail.activities.len() + detail.earlier;
    html! {
        details id={ "events-" (number) } open[is_open] {
            summary { "What the reviewer did (" (count) ")" }
            @if count == 0 { p.empty { "Nothing was told yet." } }
            @if detail.earlier > 0 { p.quiet { "The first " (detail.earlier) " are in the session's directory." } }
            ol.events start=(detail.earlier + 1) { @for it in &detail.activities { (event(it)) } }
        }
    }
}

fn event(it: &Activity) -> Markup {
    html! {
        li.failed[it.failed] {
            span.kind { (it.kind) @if it.failed { " failed" } } " "
            @if matches!(it.kind, "command" | "tool") { code { (it.text) } } @else { (it.text) }
        }
    }
}

fn words(number: usize, text: &str) -> Markup {
    html! {
        @if !text.trim().is_empty() {
            details id={ "words-" (number) } { summary { "What the reviewer wrote" } pre { (text) } }
        }
    }
}
