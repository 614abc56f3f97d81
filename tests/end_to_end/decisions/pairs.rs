//! Pairs of questions, through the real tools: traps are never applied, paraphrases often, and nearly all are found.

use serde_json::{Value, json};

use crate::{Sides, post, serve};

const GIVEN: &str = include_str!("../../data/decision-pairs.jsonl");

struct Pair {
    earlier: String,
    now: String,
    same: bool,
}

fn pairs(text: &str) -> Vec<Pair> {
    let read = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| value[name].as_str().unwrap().to_owned();
        Pair { earlier: text("a"), now: text("b"), same: value["label"] == 1 }
    };
    text.lines().map(read).collect()
}

/// Decides every earlier question in one tenant, then looks each later one up: how many that are the same were
/// applied and found, and which traps were applied.
async fn measure(text: &str) -> (usize, usize, Vec<String>) {
    let served = serve().await;
    let sides = Sides::of(&served);
    let pairs = pairs(text);
    for pair in &pairs {
        let result = sides.request(&pair.earlier).await;
        if result["status"] == "pending" {
            let lot = result["decisionRef"].as_str().unwrap();
            post(&sides.person, &format!("lots/{lot}/answer"), &json!({ "text": pair.earlier }))
                .await
                .expect(200);
        }
    }
    let (mut applied, mut found, mut wrong) = (0, 0, Vec::new());
    for pair in &pairs {
        let result = sides.look_up(&pair.now).await;
        let matches = result["matches"].as_array().unwrap();
        let own = matches.iter().find(|it| it["question"] == pair.earlier.as_str());
        let guidance = own.map(|it| it["reuseGuidance"].as_str().unwrap());
        match (pair.same, guidance) {
            (true, Some("apply")) => (applied, found) = (applied + 1, found + 1),
            (true, Some("confirm")) => found += 1,
            (false, Some("apply")) => wrong.push(format!("{} / {}", pair.earlier, pair.now)),
            _ => {}
        }
    }
    (applied, found, wrong)
}

#[tokio::test]
async fn the_given_pairs() {
    let (applied, found, wrong) = measure(GIVEN).await;
    eprintln!("given pairs: {applied} of 46 applied, {found} found, {} of 56 traps applied", wrong.len());
    assert_eq!(wrong, Vec::<String>::new());
    assert!(applied >= 25, "{applied} applied");
    assert!(found >= 44, "{found} found");
}
