//! A notice in the form that the other side reads.

use prevet_app::notices::{Happening, Notice};
use serde_json::{Value, json};

use super::settings::{NoticeFormat, NoticeSettings};

/// What of each text a chat shows.
const SHOWN_CHARACTERS_MAX: usize = 600;

/// The body.
pub fn body(settings: &NoticeSettings, notice: &Notice) -> Value {
    let link = settings.inbox_url.as_ref().map(|inbox| format!("{inbox}/lots/{}", notice.lot));
    match settings.format {
        NoticeFormat::Json => own(notice, link.as_deref()),
        NoticeFormat::Slack => slack(notice, link),
        NoticeFormat::Teams => teams(notice, link),
    }
}

fn own(notice: &Notice, link: Option<&str>) -> Value {
    json!({
        "id": notice.id,
        "event": notice.happening.as_str(),
        "at": notice.at,
        "lotId": notice.lot,
        "question": notice.question,
        "options": notice.options,
        "recommendation": notice.recommendation,
        "said": notice.said,
        "url": link,
    })
}

fn headline(notice: &Notice) -> &'static str {
    match notice.happening {
        Happening::Requested => "A decision is needed",
        Happening::Answered => "Decided",
        Happening::Dismissed => "Dismissed",
    }
}

fn lines(notice: &Notice) -> Vec<String> {
    let mut lines = vec![shown(&notice.question)];
    if !notice.options.is_empty() {
        lines.push(format!("Options: {}", shown(&notice.options.join(", "))));
    }
    lines.extend(notice.recommendation.as_ref().map(|it| format!("Recommended: {}", shown(it))));
    lines.extend(notice.said.as_ref().map(|it| match notice.happening {
        Happening::Dismissed => format!("Reason: {}", shown(it)),
        _ => format!("Answer: {}", shown(it)),
    }));
    lines
}

fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_CHARACTERS_MAX).collect();
    if shown.len() < text.len() {
        shown.push('\u{2026}');
    }
    shown
}

/// Slack's three control characters are escaped, so that a text neither mentions anybody nor links anywhere
/// (docs.slack.dev, "Formatting message text").
fn slack(notice: &Notice, link: Option<String>) -> Value {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut text = format!("*{}*", headline(notice));
    for line in lines(notice) {
        text.push('\n');
        text.push_str(&escape(&line));
    }
    text.extend(link.map(|link| format!("\n<{link}|Open the inbox>")));
    json!({ "text": text, "mrkdwn": true, "unfurl_links": false })
}

/// Adaptive Cards read a subset of Markdown in text blocks, which a plain text run does not.
fn teams(notice: &Notice, link: Option<String>) -> Value {
    let run =
        |text: &str| json!({ "type": "RichTextBlock", "inlines": [{ "type": "TextRun", "text": text }] });
    let heading =
        json!({ "type": "TextBlock", "text": headline(notice), "weight": "Bolder", "size": "Medium" });
    let blocks: Vec<Value> =
        std::iter::once(heading).chain(lines(notice).iter().map(|line| run(line))).collect();
    let actions: Vec<Value> = link
        .map(|link| json!({ "type": "Action.OpenUrl", "title": "Open the inbox", "url": link }))
        .into_iter()
        .collect();
    let card = json!({
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4",
        "body": blocks, "actions": actions,
    });
    json!({ "type": "message", "attachments": [
        { "contentType": "application/vnd.microsoft.card.adaptive", "content": card },
    ] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice() -> Notice {
        Notice {
            id: "ntc_1".to_owned(),
            happening: Happening::Requested,
            at: 7,
            lot: "lot_1".to_owned(),
            question: "Do we <!channel> & *bold* it?".to_owned(),
            options: vec!["yes".to_owned(), "no".to_owned()],
            recommendation: Some("yes".to_owned()),
            said: None,
        }
    }

    fn of(format: &str) -> Value {
        let inbox = Some("https://h/inbox".to_owned());
        body(&NoticeSettings::new("https://hook", None, Some(format), inbox).unwrap(), &notice())
    }

    #[test]
    fn forms() {
        let own = of("json");
        assert_eq!(
            (&own["event"], &own["url"]),
            (&json!("decision.requested"), &json!("https://h/inbox/lots/lot_1"))
        );
        let text = of("slack")["text"].as_str().unwrap().to_owned();
        assert_eq!(
            text,
            "*A decision is needed*\nDo we &lt;!channel&gt; &amp; *bold* it?\nOptions: yes, no\nRecommended: yes\n\
             <https://h/inbox/lots/lot_1|Open the inbox>"
        );
        let card = &of("teams")["attachments"][0]["content"];
        assert_eq!(card["body"][1]["inlines"][0]["text"], "Do we <!channel> & *bold* it?");
        assert_eq!(card["actions"][0]["url"], "https://h/inbox/lots/lot_1");
        assert!(NoticeSettings::new("ftp://x", None, None, None).is_err());
        assert!(NoticeSettings::new("https://x", None, Some("xml"), None).is_err());
    }
}
