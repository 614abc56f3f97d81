//! What was decided, why, and the log.

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use maud::{Markup, html};
use prevet_app::browser::Visitor;
use prevet_app::decisions::ports::AuditEntry;
use prevet_app::decisions::{Recalled, Why};
use prevet_app::error::AppError;
use prevet_domain::decision::record::{Decision, Verb};
use prevet_domain::ids::DecisionId;
use prevet_wire::time::timestamp;
use serde::Deserialize;

use super::visit::{Page, refused, visitor};
use super::{shown, views};
use crate::Service;

const PAGE_DECISIONS: usize = 30;
const PAGE_ENTRIES: usize = 100;

/// Search and page of a list.
#[derive(Debug, Deserialize)]
pub struct Listed {
    #[serde(default)]
    query: String,
    before: Option<String>,
}

/// Decisions, newest first, or those near a text.
pub async fn history(
    State(service): State<Service>,
    Query(listed): Query<Listed>,
    headers: HeaderMap,
) -> Page {
    let visitor = visitor(&service, &headers, 1).await?;
    let found = recalled(&service, &visitor, &listed).await.map_err(|error| refused(1, error.into()))?;
    Ok(shown(views::layout(1, "History", Some(&visitor), &history_page(&listed, &found))))
}

async fn recalled(service: &Service, visitor: &Visitor, listed: &Listed) -> Result<Vec<Recalled>, AppError> {
    let query = listed.query.trim();
    if !query.is_empty() {
        return service.app.search_history(&visitor.caller, query, PAGE_DECISIONS).await;
    }
    let before = listed.before.as_deref().map(decision_id).transpose()?;
    service.app.history(&visitor.caller, before.as_ref(), PAGE_DECISIONS).await
}

fn history_page(listed: &Listed, found: &[Recalled]) -> Markup {
    let oldest = found.last().filter(|_| found.len() == PAGE_DECISIONS && listed.query.trim().is_empty());
    html! {
        h1 { "History" }
        form.search method="get" action=(views::href(1, "history")) role="search" {
            label for="query" { "Search decisions" }
            input id="query" name="query" type="search" value=(listed.query) maxlength="2000";
            button type="submit" { "Search" }
        }
        @if found.is_empty() { p.empty { "No decision was found." } }
        ul.decisions {
            @for it in found {
                li {
                    a href=(views::href(1, &format!("decisions/{}", it.decision.id))) { (it.decision.question) }
                    p.quiet {
                        (said(&it.decision)) " · " (timestamp(it.decision.receipt.at))
                        @if it.uses.count > 0 { " · used " (it.uses.count) " times" }
                    }
                }
            }
        }
        @if let Some(oldest) = oldest {
            p { a href=(views::href(1, &format!("history?before={}", oldest.decision.id))) { "Older" } }
        }
    }
}

fn said(decision: &Decision) -> String {
    decision.answer().map_or_else(|| "dismissed".to_owned(), |answer| format!("answer: {answer}"))
}

/// Why a decision was made, and what became of it.
pub async fn decision(State(service): State<Service>, Path(id): Path<String>, headers: HeaderMap) -> Page {
    let visitor = visitor(&service, &headers, 2).await?;
    let why = async { service.app.why(&visitor.caller, &decision_id(&id)?).await };
    let why = why.await.map_err(|error| refused(2, error.into()))?;
    Ok(shown(views::layout(2, "Decision", Some(&visitor), &why_page(&why, &visitor))))
}

/// An id that is none names nothing.
pub fn decision_id(text: &str) -> Result<DecisionId, AppError> {
    DecisionId::parse(text).map_err(|_| AppError::Missing("there is no such decision".to_owned()))
}

fn why_page(why: &Why, visitor: &Visitor) -> Markup {
    let decision = &why.decision;
    let receipt = &decision.receipt;
    html! {
        h1 { (decision.question) }
        p.answer { (said(decision)) }
        dl {
            dt { "Receipt" }
            dd {
                "by key " code { (receipt.by) } ", " (timestamp(receipt.at)) ", by " (receipt.way.as_str())
                ", request " a href=(views::href(2, &format!("lots/{}", receipt.lot))) { (receipt.lot) }
                br; "content " code { (receipt.content_hash) }
            }
            @if !decision.options.is_empty() { dt { "Options" } dd { (decision.options.join(", ")) } }
            dt { "Scope" } dd { (scope(decision)) }
            dt { "Uses" }
            dd {
                (why.uses.count)
                @if let Some(last) = why.uses.last_at { ", last " (timestamp(last)) }
            }
            dt { "Freshness" } dd { (format!("{:.2}", why.freshness.value)) ": " (why.freshness.reason) }
            @if !why.asked.is_empty() { dt { "Asked as" } dd { ul { @for it in &why.asked { li { (it) } } } } }
            @if let Some(confirms) = &decision.confirms {
                dt { "Confirms" }
                dd { a href=(views::href(2, &format!("decisions/{confirms}"))) { (confirms) } }
            }
            dt { "Corrections" }
            dd {
                @if decision.corrections.is_empty() { "none" }
                ul { @for it in &decision.corrections {
                    li { (it.verb.as_str()) ", by key " code { (it.by) } ", " (timestamp(it.at))
                        @if let Some(end) = it.expires_at { ", ends " (timestamp(end)) } }
                } }
            }
        }
        (correct_form(decision, visitor))
    }
}

fn scope(decision: &Decision) -> String {
    let scope = &decision.scope;
    let limits = &decision.limits;
    let mut words = Vec::new();
    if limits.retracted {
        words.push("not reused any more".to_owned());
    }
    if limits.own_scope {
        words.push("only the files and concepts it was asked for".to_owned());
    }
    if limits.own_repository {
        words.push("only its repository".to_owned());
    }
    if limits.confirm_next {
        words.push("a person is asked the next time".to_owned());
    }
    if let Some(end) = limits.expires_at {
        words.push(format!("until {}", timestamp(end)));
    }
    if !scope.concepts.is_empty() {
        words.push(format!("concepts {}", scope.concepts.join(", ")));
    }
    if !scope.files.is_empty() {
        words.push(format!("files {}", scope.files.join(", ")));
    }
    if words.is_empty() { "everything".to_owned() } else { words.join("; ") }
}

fn correct_form(decision: &Decision, visitor: &Visitor) -> Markup {
    html! {
        h2 { "Correct" }
        form.stack method="post" action=(views::href(2, &format!("decisions/{}/correct", decision.id))) {
            (views::token_field(visitor))
            fieldset {
                legend { "What is wrong with reusing it" }
                @for verb in Verb::ALL {
                    label.choice { input type="radio" name="verb" value=(verb.as_str()) required; " " (explained(verb)) }
                }
            }
            label for="expires" { "For an end: a duration (90d) or a date (2027-01-31)" }
            input id="expires" name="expires_after" maxlength="40";
            button type="submit" { "Correct" }
        }
    }
}

const fn explained(verb: Verb) -> &'static str {
    match verb {
        Verb::Wrong => "wrong: never reuse it; the history keeps it",
        Verb::TooBroad => "too broad: only for the files and concepts it was asked for",
        Verb::OnlyThisRepo => "only this repository",
        Verb::AskNextTime => "ask next time: confirm once, then as before",
        Verb::ExpiresAfter => "expires after …",
    }
}

/// Who did what.
pub async fn log(State(service): State<Service>, Query(listed): Query<Listed>, headers: HeaderMap) -> Page {
    let visitor = visitor(&service, &headers, 1).await?;
    let entries = service.app.audit_log(&visitor.caller, listed.before.as_deref(), PAGE_ENTRIES).await;
    let entries = entries.map_err(|error| refused(1, error.into()))?;
    Ok(shown(views::layout(1, "Log", Some(&visitor), &log_page(&entries))))
}

fn log_page(entries: &[AuditEntry]) -> Markup {
    let oldest = entries.last().filter(|_| entries.len() == PAGE_ENTRIES);
    html! {
        h1 { "Log" }
        div.scroll tabindex="0" role="region" aria-label="Log" {
            table {
                thead { tr { th scope="col" { "When" } th scope="col" { "Who" } th scope="col" { "What" } th scope="col" { "On" } th scope="col" { "More" } } }
                tbody {
                    @for it in entries {
                        tr { td { (timestamp(it.at)) } td { (it.role.as_str()) " " code { (it.by) } } td { (it.action) } td { code { (it.subject) } } td { (it.detail) } }
                    }
                }
            }
        }
        @if let Some(oldest) = oldest { p { a href=(views::href(1, &format!("log?before={}", oldest.id))) { "Older" } } }
    }
}
