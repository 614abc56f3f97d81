//! The inbox page over HTTP, as a browser without scripts sees it.

use prevet_testkit::server::{Answer, Browser, form};
use serde_json::json;

use crate::{Sides, post, serve};

#[tokio::test]
async fn only_people_are_let_in() {
    let served = serve().await;
    let sides = Sides::of(&served);
    sides.open("Do we use Kafka?", &[]).await;
    let mut browser = Browser::new(&served);
    let closed = browser.get("").await;
    assert_eq!(closed.status, 401);
    assert!(closed.text.contains("Human key") && !closed.text.contains("Kafka"));
    for (key, words) in [
        (sides.agent.api_key.as_deref().unwrap(), "agent"),
        ("pvk_human_nobody", "not valid"),
        ("", "no API key"),
    ] {
        let answer = browser.sign_in("key", key).await;
        assert_eq!((answer.status, &browser.cookie), (401, &None), "{}", answer.text);
        assert!(answer.text.contains(words), "{words}: {}", answer.text);
    }
    let answer = browser.sign_in("key", served.ready["human_key"].as_str().unwrap()).await;
    let cookie = answer.header("set-cookie");
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Max-Age=43200")
    );
    let page = browser.get("").await;
    assert!(page.text.contains("Do we use Kafka?"), "{}", page.text);
    let policy = page.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
}

#[tokio::test]
async fn an_agents_key_opens_no_route_of_the_page() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let lot = sides.open("Do we use Kafka?", &[]).await;
    let decision = sides.decide("Do we use Redis?", "yes").await;
    for path in [
        format!("lots/{lot}/answer"),
        format!("lots/{lot}/dismiss"),
        format!("lots/{lot}/reopen"),
        format!("lots/{lot}/split"),
        format!("decisions/{decision}/correct"),
        "sign-out".to_owned(),
    ] {
        let url = format!("{}/inbox/{path}", sides.agent.origin());
        let fields = [("text", "yes"), ("verb", "wrong"), ("form_token", "x")];
        let answer = sides.agent.send(form(sides.agent.request("POST", &url), &fields)).await;
        assert_eq!(answer.status, 401, "{path}: {}", answer.text);
    }
    post(&sides.agent, "sign-in-link", &json!({})).await.expect_error(403, "DENIED", &[]);
    assert_eq!(sides.open_lots().await.len(), 1);
}

#[tokio::test]
async fn a_forged_form_does_nothing() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let lot = sides.open("Do we use Kafka?", &["yes", "no"]).await;
    let browser = Browser::signed_in(&served).await;
    let token = browser.form_token().await;
    let path = format!("lots/{lot}/answer");
    for token in ["", "x", &token[1..]] {
        let answer = browser.post(&path, &[("option", "yes"), ("form_token", token)]).await;
        assert_eq!(answer.status, 403, "{}", answer.text);
    }
    for (header, value) in
        [("origin", "https://elsewhere.example"), ("sec-fetch-site", "cross-site"), ("origin", "null")]
    {
        let request = browser.request("POST", &format!("/{path}")).header(header, value);
        let answer = browser.client.send(form(request, &[("option", "yes"), ("form_token", &token)])).await;
        assert_eq!(answer.status, 403, "{header}: {value}");
    }
    assert_eq!(sides.open_lots().await.len(), 1);
}

#[tokio::test]
async fn an_answer_reaches_the_agent_and_the_second_sees_the_first() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let lot = sides.open("Do we use Kafka?", &["yes", "no"]).await;
    let browser = Browser::signed_in(&served).await;
    let answer = browser.submit(&format!("lots/{lot}/answer"), &[("option", "yes")]).await;
    assert_eq!((answer.status, answer.header("location")), (303, &*format!("../../../inbox?done={lot}")));
    let page = browser.get(&format!("?done={lot}")).await.text;
    assert!(page.contains("is answered: yes") && page.contains("Nothing waits"), "{page}");
    let result = sides
        .tool(
            "request_decision",
            json!({ "question": "Do we use Kafka?", "options": ["yes", "no"], "waitSeconds": 0 }),
        )
        .await;
    assert_eq!((&result["status"], &result["answer"]), (&json!("answered"), &json!("yes")), "{result}");
    let late = submit_again(&browser, &lot).await;
    assert_eq!(late.status, 409);
    assert!(late.text.contains("Somebody was first") && late.text.contains("answered: yes"), "{}", late.text);
    let bad = sides.open("Do we use NATS?", &["yes", "no"]).await;
    let answer = browser.submit(&format!("lots/{bad}/answer"), &[("option", "maybe")]).await;
    assert_eq!(answer.status, 400);
    assert!(answer.text.contains("none of the options"), "{}", answer.text);
}

/// The other answer, with the token of a page that still shows the request.
async fn submit_again(browser: &Browser, lot: &str) -> Answer {
    let page = browser.get("/history").await.text;
    let token =
        page.split("name=\"form_token\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    browser.post(&format!("lots/{lot}/answer"), &[("option", "no"), ("form_token", &token)]).await
}

#[tokio::test]
async fn markup_in_every_field_is_text() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let evil = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'";
    let option = json!({ "label": format!("L{evil}"), "value": format!("V{evil}"), "consequence": format!("C{evil}") });
    let arguments = json!({
        "question": format!("Q{evil}?"), "options": [option, "no"], "recommendation": format!("R{evil}"),
        "concepts": [format!("K{evil}")], "files": [format!("F{evil}")], "waitSeconds": 0,
    });
    let pending = sides.tool("request_decision", arguments).await;
    assert_eq!(pending["status"], "pending", "{pending}");
    sides
        .tool(
            "share_context",
            json!({ "kind": "note", "body": format!("B{evil}"), "concepts": [format!("K{evil}")] }),
        )
        .await;
    let browser = Browser::signed_in(&served).await;
    let lot = pending["decisionRef"].as_str().unwrap();
    let mut pages = vec![browser.get("").await.text, browser.get(&format!("/lots/{lot}")).await.text];
    let decided = browser.submit(&format!("lots/{lot}/dismiss"), &[("reason", evil)]).await;
    assert_eq!(decided.status, 303, "{}", decided.text);
    pages.push(browser.get(&format!("/history?query={}", "alert")).await.text);
    pages.push(browser.get(&format!("/lots/{lot}")).await.text);
    pages.push(browser.get("/log").await.text);
    for page in pages {
        assert!(!page.contains("<script>alert") && !page.contains("<img"), "{page}");
    }
}

#[tokio::test]
async fn history_is_searched_explained_and_corrected() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let decision = sides.decide("Do we use Redis for the session cache?", "yes").await;
    let browser = Browser::signed_in(&served).await;
    let found = browser.get("/history?query=redis+session").await.text;
    assert!(found.contains("Do we use Redis") && found.contains("answer: yes"), "{found}");
    let why = browser.get(&format!("/decisions/{decision}")).await.text;
    for part in ["Receipt", "Freshness", "Uses", "too broad", "content"] {
        assert!(why.contains(part), "{part}: {why}");
    }
    let path = format!("decisions/{decision}/correct");
    let missing = browser.submit(&path, &[("verb", "expires_after")]).await;
    assert_eq!(missing.status, 400, "{}", missing.text);
    let corrected = browser.submit(&path, &[("verb", "wrong"), ("expires_after", "junk")]).await;
    assert_eq!(corrected.status, 303, "{}", corrected.text);
    assert!(browser.get(&format!("/decisions/{decision}")).await.text.contains("not reused any more"));
    let log = browser.get("/log").await.text;
    assert!(log.contains("corrected") && log.contains("answered"), "{log}");
    for path in ["/decisions/nothing", "/lots/nothing", "/lots/lot_00000000000aaaaaaaaaaaaaaaa"] {
        assert_eq!(browser.get(path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn a_session_ends_when_it_is_signed_out_or_its_key_is_revoked() {
    let served = serve().await;
    let browser = Browser::signed_in(&served).await;
    let other = Browser::signed_in(&served).await;
    assert_eq!(browser.submit("sign-out", &[]).await.status, 303);
    assert_eq!(browser.get("").await.status, 401);
    assert_eq!(other.get("").await.status, 200);
    let administration = served.administration().await;
    let tenant = prevet_domain::ids::TenantKey::parse(&served.client.tenant_key).unwrap();
    let keys = administration.list_keys(&tenant).await.unwrap();
    for key in keys {
        administration.revoke_key(&key.id).await.unwrap();
    }
    administration.close().await;
    let ended = other.get("").await;
    assert_eq!(ended.status, 401);
    assert!(ended.text.contains("Your session ended"), "{}", ended.text);
}

#[tokio::test]
async fn a_link_signs_in_once() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let link = post(&sides.person, "sign-in-link", &json!({})).await.expect(200);
    let path = link["path"].as_str().unwrap().strip_prefix("inbox").unwrap().to_owned();
    let mut browser = Browser::new(&served);
    assert_eq!(browser.get(&path).await.status, 200, "looking at it does not use it up");
    assert_eq!(browser.get(&path).await.status, 200);
    let code = path.split("code=").nth(1).unwrap();
    assert_eq!(browser.sign_in("code", code).await.status, 303);
    assert_eq!(browser.get("").await.status, 200);
    let mut second = Browser::new(&served);
    let answer = second.sign_in("code", code).await;
    assert!(answer.status == 401 && answer.text.contains("used already"), "{}", answer.text);
}

#[tokio::test]
async fn the_live_list_changes_only_when_something_does() {
    let served = serve().await;
    let sides = Sides::of(&served);
    let browser = Browser::signed_in(&served).await;
    let first = browser.get("/live").await;
    let tag = first.header("etag").to_owned();
    let known = |tag: String| browser.request("GET", "/live").header("if-none-match", tag);
    assert_eq!(browser.client.send(known(tag.clone())).await.status, 304);
    sides.open("Do we use Kafka?", &[]).await;
    let second = browser.client.send(known(tag)).await;
    assert!(second.status == 200 && second.text.contains("Kafka"), "{}", second.text);
}
