//! `prevet inbox`, `answer`, `dismiss`, `why`, `correct`: what only people do.

use std::collections::BTreeSet;
use std::time::Duration;

use prevet_domain::kind::Kind;
use prevet_wire::inbox::{AnswerBody, CorrectBody, DecisionRecord, DismissBody, LotRecord, Lots};
use serde::Serialize;
use serde_json::Value;

use crate::cli::{Answer, Correct, Dismiss, Inbox, ListFormat};
use crate::client::Client;
use crate::config::Config;
use crate::connection::{Connection, Who};
use crate::console;
use crate::error::CommandError;
use crate::report::escape;

/// How often `--watch` looks.
const WATCH_SECONDS: u64 = 2;

/// Lists open requests, once or as they come.
pub async fn inbox(config: &Config, arguments: &Inbox) -> Result<u8, CommandError> {
    let connection = Connection::open_for_decisions(config, Who::Person).await?;
    let outcome = async {
        let client = Client::new(connection.endpoint.clone(), config.waits()?)?;
        if arguments.watch {
            watch(&client, arguments.format).await
        } else {
            list(&client, arguments.format).await
        }
    };
    let outcome = outcome.await;
    connection.close().await;
    outcome.map(|()| 0)
}

async fn lots(client: &Client) -> Result<Vec<LotRecord>, CommandError> {
    Ok(client.inbox::<Lots>("lots", None, "listing open requests").await?.lots)
}

async fn list(client: &Client, format: ListFormat) -> Result<(), CommandError> {
    let lots = lots(client).await?;
    match format {
        ListFormat::Json => console::json(&Lots { lots }),
        ListFormat::Text if lots.is_empty() => {
            console::say("nothing waits for you");
            Ok(())
        }
        ListFormat::Text => console::data(lots.iter().map(shown).collect::<Vec<_>>().join("\n").as_bytes()),
    }
}

/// Prints each request once when it appears, until a signal ends it.
async fn watch(client: &Client, format: ListFormat) -> Result<(), CommandError> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    console::say(&format!("watching for requests every {WATCH_SECONDS} s; Ctrl-C ends it"));
    loop {
        let lots = lots(client).await?;
        // Oldest first: the newest stands last, where a terminal is read.
        for lot in lots.iter().rev().filter(|lot| !seen.contains(&lot.lot_id)) {
            match format {
                ListFormat::Json => console::json(lot)?,
                ListFormat::Text => console::data(shown(lot).as_bytes())?,
            }
        }
        seen = lots.into_iter().map(|lot| lot.lot_id).collect();
        tokio::time::sleep(Duration::from_secs(WATCH_SECONDS)).await;
    }
}

/// A request for a person to read: what is asked, what can be said, and how.
fn shown(lot: &LotRecord) -> String {
    let mut lines = vec![format!("{}  {}", lot.lot_id, lot.question)];
    for option in &lot.options {
        let label = if option.label == option.value { String::new() } else { format!("  {}", option.label) };
        let consequence = option.consequence.as_ref().map(|it| format!(" ({it})")).unwrap_or_default();
        lines.push(format!("    --option {}{label}{consequence}", quoted(&option.value)));
    }
    if let Some(recommendation) = &lot.recommendation {
        lines.push(format!("    recommended: {recommendation}"));
    }
    for waiting in &lot.waiting {
        lines.push(format!("    {} waits, {}", waiting.who, ago(waiting.seconds)));
    }
    for ask in lot.asks.iter().skip(1) {
        lines.push(format!("    also asked as: {}", ask.question));
    }
    for item in &lot.context {
        lines.push(format!("    {}: {}", item.kind, item.body));
    }
    for similar in &lot.similar {
        let (question, answer) = (&similar.question, &similar.answer);
        lines.push(format!("    {}  {question} {answer} ({})", similar.decision_id, similar.reason));
    }
    let how = if lot.options.is_empty() { "--text '…'" } else { "--option VALUE" };
    lines.push(format!("    prevet answer {} {how}", lot.lot_id));
    lines.iter().map(|line| format!("{}\n", escape::line(line))).collect()
}

fn quoted(value: &str) -> String {
    let plain =
        !value.is_empty() && value.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    if plain { value.to_owned() } else { format!("'{}'", value.replace('\'', "'\\''")) }
}

fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86400 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86400),
    }
}

/// Answers a request and prints the decision.
pub async fn answer(config: &Config, arguments: Answer) -> Result<u8, CommandError> {
    let said = arguments.said;
    let body = AnswerBody { option: said.option, text: said.text, confirms: said.confirms };
    let path = format!("lots/{}/answer", segment(&arguments.lot)?);
    act(config, &path, Some(&body), "answering").await
}

/// Dismisses a request and prints the record of it.
pub async fn dismiss(config: &Config, arguments: Dismiss) -> Result<u8, CommandError> {
    let path = format!("lots/{}/dismiss", segment(&arguments.lot)?);
    act(config, &path, Some(&DismissBody { reason: arguments.reason }), "dismissing").await
}

/// Prints all that is known of a decision.
pub async fn why(config: &Config, decision: &str) -> Result<u8, CommandError> {
    act(config, &format!("decisions/{}", segment(decision)?), None::<&DismissBody>, "reading a decision")
        .await
}

/// Corrects a decision and prints it as it is then.
pub async fn correct(config: &Config, arguments: Correct) -> Result<u8, CommandError> {
    let path = format!("decisions/{}/correct", segment(&arguments.decision)?);
    let body = CorrectBody { verb: arguments.verb, expires_after: arguments.expires_after };
    act(config, &path, Some(&body), "correcting").await
}

/// An id as part of a path.
fn segment(id: &str) -> Result<&str, CommandError> {
    let plain =
        !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if plain {
        Ok(id)
    } else {
        Err(CommandError::usage(format!("{id:?} is not an id; `prevet inbox` lists them")))
    }
}

async fn act(
    config: &Config,
    path: &str,
    body: Option<&impl Serialize>,
    action: &str,
) -> Result<u8, CommandError> {
    let body: Option<Value> = body
        .map(serde_json::to_value)
        .transpose()
        .map_err(|error| CommandError::of(Kind::Internal, &error))?;
    let connection = Connection::open_for_decisions(config, Who::Person).await?;
    let outcome = match Client::new(connection.endpoint.clone(), config.waits()?) {
        Ok(client) => client.inbox::<DecisionRecord>(path, body.as_ref(), action).await,
        Err(error) => Err(error),
    };
    connection.close().await;
    console::json(&outcome?)?;
    Ok(0)
}
