//! The parts that pages are made of. Whatever comes from outside is shown as text.

use maud::{DOCTYPE, Markup, html};
use prevet_app::browser::Visitor;
use prevet_app::decisions::LotView;
use prevet_domain::decision::lot::State;
use prevet_domain::decision::request::Choice;
use prevet_wire::time::timestamp;

/// Options that a digit chooses.
const DIGITS: usize = 9;

/// The address of something below the inbox, from a page that is `depth` steps below it. Relative, since a gateway may
/// put a stage's name before every path.
pub fn href(depth: usize, path: &str) -> String {
    match depth {
        0 => format!("inbox/{path}"),
        depth => format!("{}{path}", "../".repeat(depth - 1)),
    }
}

/// The list's own address.
fn home(depth: usize) -> String {
    if depth == 0 { "inbox".to_owned() } else { format!("{}inbox", "../".repeat(depth)) }
}

/// A whole page.
pub fn layout(depth: usize, title: &str, visitor: Option<&Visitor>, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Prevet" }
                link rel="stylesheet" href=(href(depth, "style.css"));
                link rel="icon" href="data:,";
                script src=(href(depth, "script.js")) defer {}
            }
            body {
                a.skip href="#content" { "Skip to the content" }
                header {
                    nav aria-label="Prevet" {
                        a.brand href=(home(depth)) { "Prevet" }
                        @if let Some(visitor) = visitor {
                            a href=(home(depth)) { "Inbox" }
                            a href=(href(depth, "history")) { "History" }
                            a href=(href(depth, "log")) { "Log" }
                            @if visitor.sees_reviews { a href=(href(depth, "reviews")) { "Reviews" } }
                            form.inline method="post" action=(href(depth, "sign-out")) {
                                (token_field(visitor))
                                button.plain type="submit" { "Sign out" }
                            }
                        }
                    }
                }
                main id="content" { (content) }
            }
        }
    }
}

/// What every form carries.
pub fn token_field(visitor: &Visitor) -> Markup {
    html! { input type="hidden" name="form_token" value=(visitor.form_token); }
}

/// A short text under a heading.
pub fn message(title: &str, text: &str) -> Markup {
    html! { h1 { (title) } p.notice role="alert" { (text) } }
}

/// An open lot with everything that helps to answer it.
pub fn lot(view: &LotView, visitor: &Visitor, now: u64, depth: usize) -> Markup {
    let lot = &view.lot;
    let name = format!("q-{}", lot.id);
    html! {
        article.lot id=(lot.id) aria-labelledby=(name) tabindex="-1" {
            h2 id=(name) { (lot.request.question) }
            p.quiet { (waiting(view, now)) " · opened " (timestamp(lot.opened_at)) " · "
                a href=(href(depth, &format!("lots/{}", lot.id))) { "details" } }
            (about(view))
            (answer_form(view, visitor, depth))
            (similar(view, visitor, depth))
            (context(view))
            (dismiss_form(view, visitor, depth))
            (split_form(view, visitor, depth))
        }
    }
}

fn waiting(view: &LotView, now: u64) -> String {
    let mut names: Vec<&str> = view.waiters.iter().map(|it| it.who.as_str()).collect();
    names.dedup();
    let since = view.waiters.iter().map(|it| it.since).min();
    match (names.as_slice(), since) {
        ([], _) | (_, None) => "nobody waits at the moment".to_owned(),
        ([one], Some(since)) => format!("{one} has waited for {}", ago(now.saturating_sub(since))),
        (many, Some(since)) => {
            format!("{} agents wait, the first for {}", many.len(), ago(now.saturating_sub(since)))
        }
    }
}

/// In the largest unit that says something; whole minutes, so that a list that is looked at does not change each second.
fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => "less than a minute".to_owned(),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

fn about(view: &LotView) -> Markup {
    let request = &view.lot.request;
    let scope = &request.scope;
    html! {
        @if let Some(recommendation) = &request.recommendation {
            p.recommendation { "The agent recommends: " strong { (recommendation) } }
        }
        @if !scope.concepts.is_empty() || !scope.files.is_empty() || scope.repository.is_some() {
            ul.tags aria-label="What it is about" {
                @if let Some(repository) = &scope.repository { li { (repository) } }
                @for it in &scope.concepts { li { (it) } }
                @for it in &scope.files { li { code { (it) } } }
            }
        }
        @if view.lot.asks.len() > 1 {
            details { summary { "Asked in " (view.lot.asks.len()) " wordings" }
                ul { @for it in &view.lot.asks { li { (it.question) } } } }
        }
    }
}

fn answer_form(view: &LotView, visitor: &Visitor, depth: usize) -> Markup {
    let request = &view.lot.request;
    let action = href(depth, &format!("lots/{}/answer", view.lot.id));
    let field = format!("text-{}", view.lot.id);
    html! {
        form.answers method="post" action=(action) {
            (token_field(visitor))
            @if request.choices.is_empty() {
                label for=(field) { "Your answer" }
                textarea id=(field) name="text" rows="3" maxlength="4000" required {}
                button.primary type="submit" { "Answer" }
            } @else {
                ul.options { @for (at, choice) in request.choices.iter().enumerate() {
                    li { (option(at, choice, request.recommendation.as_deref())) }
                } }
            }
        }
    }
}

fn option(at: usize, choice: &Choice, recommendation: Option<&str>) -> Markup {
    let recommended = recommendation.is_some_and(|it| it == choice.value || it == choice.label);
    html! {
        button.option.recommended[recommended] type="submit" name="option" value=(choice.value) data-digit=[(at < DIGITS).then_some(at + 1)] {
            @if at < DIGITS { kbd aria-hidden="true" { (at + 1) } " " }
            span.label { (choice.label) }
            @if choice.label != choice.value { span.quiet { " (" (choice.value) ")" } }
            @if recommended { span.mark { " recommended" } }
            @if let Some(consequence) = &choice.consequence { span.consequence { (consequence) } }
        }
    }
}

fn similar(view: &LotView, visitor: &Visitor, depth: usize) -> Markup {
    let answer = href(depth, &format!("lots/{}/answer", view.lot.id));
    html! {
        @if !view.lot.similar.is_empty() {
            section { h3 { "Similar decisions" }
                ul { @for it in &view.lot.similar {
                    li {
                        a href=(href(depth, &format!("decisions/{}", it.decision))) { (it.question) }
                        ": " strong { (it.answer) } span.quiet { " · not applied: " (it.reason) }
                        form.inline method="post" action=(answer) {
                            (token_field(visitor))
                            button type="submit" name="confirms" value=(it.decision) { "Holds here too" }
                        }
                    }
                } }
            }
        }
    }
}

fn context(view: &LotView) -> Markup {
    html! {
        @if !view.context.is_empty() {
            section { h3 { "Shared context" }
                ul { @for it in &view.context {
                    li { span.kind { (it.kind) } " " (it.body) span.quiet { " · " (it.by) ", " (timestamp(it.at)) } }
                } }
            }
        }
    }
}

fn dismiss_form(view: &LotView, visitor: &Visitor, depth: usize) -> Markup {
    let field = format!("reason-{}", view.lot.id);
    html! {
        details { summary { "Dismiss" }
            form.stack method="post" action=(href(depth, &format!("lots/{}/dismiss", view.lot.id))) {
                (token_field(visitor))
                label for=(field) { "Reason (optional)" }
                input id=(field) name="reason" maxlength="1000";
                button type="submit" { "Dismiss: nobody will answer this" }
            }
        }
    }
}

fn split_form(view: &LotView, visitor: &Visitor, depth: usize) -> Markup {
    html! {
        @if view.lot.asks.len() > 1 {
            details { summary { "Split" }
                form.stack method="post" action=(href(depth, &format!("lots/{}/split", view.lot.id))) {
                    (token_field(visitor))
                    fieldset { legend { "Questions that ask something else" }
                        @for it in &view.lot.asks {
                            label.choice { input type="checkbox" name="ask" value=(it.key); " " (it.question) }
                        }
                    }
                    button type="submit" { "Make them a request of their own" }
                }
            }
        }
    }
}

/// What leads on from a lot that is not open.
pub fn closed(view: &LotView, visitor: &Visitor, depth: usize) -> Markup {
    html! {
        @if let Some(decision) = &view.decision {
            p { a href=(href(depth, &format!("decisions/{}", decision.id))) { "Why, and corrections" } }
        }
        @if view.state != State::Split {
            form method="post" action=(href(depth, &format!("lots/{}/reopen", view.lot.id))) {
                (token_field(visitor))
                button type="submit" { "Reopen: ask again" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_to_the_same_place_from_everywhere() {
        let resolve = |page: &str, relative: &str| {
            let mut parts: Vec<&str> = page.split('/').collect();
            parts.pop();
            for part in relative.split('/') {
                if part == ".." {
                    parts.pop();
                } else {
                    parts.push(part);
                }
            }
            parts.join("/")
        };
        for (page, depth) in [
            ("/v1/inbox", 0),
            ("/v1/inbox/history", 1),
            ("/v1/inbox/lots/x", 2),
            ("/v1/inbox/lots/x/answer", 3),
        ] {
            assert_eq!(resolve(page, &href(depth, "style.css")), "/v1/inbox/style.css", "{page}");
            assert_eq!(resolve(page, &home(depth)), "/v1/inbox", "{page}");
        }
    }

    #[test]
    fn waiting_is_told_in_whole_units() {
        assert_eq!(
            ["less than a minute", "1 min", "59 min", "1 h", "2 days"],
            [59, 60, 3_599, 3_600, 172_800].map(ago)
        );
    }
}
