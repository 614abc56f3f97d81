use std::sync::{Arc, Mutex};

use prevet_app::model::{ModelAnswer, ModelError, ModelRequest};
use prevet_app::usage::{Spending, Total, Usage};
use prevet_domain::ids::TenantKey;

use crate::budget::Budget;
use crate::settings::ModelSettings;

/// One day's record in memory.
#[derive(Debug, Default)]
struct Day(Mutex<Spending>);

impl Usage for Day {
    fn add<'a>(&'a self, _: &'a TenantKey, _: u64, spending: Spending, _: Option<&'a str>) -> Total<'a> {
        let mut day = self.0.lock().unwrap();
        day.tokens += spending.tokens;
        day.micro_usd += spending.micro_usd;
        let total = *day;
        Box::pin(async move { Ok(total) })
    }

    fn read<'a>(&'a self, _: &'a TenantKey, _: u64) -> Total<'a> {
        let total = *self.0.lock().unwrap();
        Box::pin(async move { Ok(total) })
    }
}

fn settings(tokens_per_day: Option<u64>, usd_per_day: Option<f64>) -> ModelSettings {
    ModelSettings {
        model: "openai::x".to_owned(),
        url: None,
        api_key: None,
        timeout_seconds: 1,
        input_tokens_max: 1_000,
        usd_per_million_input: 3.0,
        usd_per_million_output: 15.0,
        tokens_per_day,
        usd_per_day,
    }
}

/// 100 tokens of question, 50 of answer at most: 150 tokens, 1,050 millionths of a dollar.
fn request() -> ModelRequest {
    ModelRequest { system: "s".repeat(150), user: "u".repeat(150), output_tokens_max: 50, purpose: "inspect" }
}

async fn check(settings: ModelSettings, lower: Option<u64>, allowed: usize, words: &str) {
    let (day, tenant) = (Arc::new(Day::default()), TenantKey::parse("t").unwrap());
    let budget = Budget::new(&settings, day.clone(), || 0);
    let mut count = 0;
    let refusal = loop {
        match budget.reserve(&tenant, &request(), lower).await {
            Ok(_) if count == 9 => break None,
            Ok(_) => count += 1,
            Err(error) => break Some(error.to_string()),
        }
    };
    assert_eq!((count, refusal.is_some()), (allowed, allowed < 9), "{refusal:?}");
    assert!(refusal.unwrap_or_default().contains(words));
    let expected = i64::try_from(allowed.min(9)).unwrap() * 150;
    assert!(allowed == 9 || day.0.lock().unwrap().tokens == expected, "what is refused is given back");
}

#[tokio::test]
async fn the_budget_is_not_overdrawn() {
    check(settings(None, None), None, 9, "").await;
    check(settings(Some(450), None), None, 3, "450 tokens a day").await;
    check(settings(Some(449), None), None, 2, "449 tokens a day").await;
    check(settings(None, Some(0.0045)), None, 4, "0.0045 USD a day").await;
    check(settings(None, Some(0.0045)), Some(2_200), 2, "USD a day").await;
    check(settings(None, None), Some(1), 0, "USD a day").await;
}

#[tokio::test]
async fn what_was_used_takes_the_place_of_what_was_set_aside() {
    let (day, tenant) = (Arc::new(Day::default()), TenantKey::parse("t").unwrap());
    let budget = Budget::new(&settings(None, None), day.clone(), || 0);
    let reserved = budget.reserve(&tenant, &request(), None).await.unwrap();
    let answer = ModelAnswer { text: String::new(), input_tokens: 90, output_tokens: 10, micro_usd: None };
    budget.settle(&tenant, "inspect", reserved, Some(&answer)).await;
    assert_eq!(*day.0.lock().unwrap(), Spending { tokens: 100, micro_usd: 420 });
    let reserved = budget.reserve(&tenant, &request(), None).await.unwrap();
    budget.settle(&tenant, "inspect", reserved, None).await;
    assert_eq!(day.0.lock().unwrap().tokens, 100);
}

#[test]
fn a_refusal_says_what_and_when() {
    let error = ModelError::BudgetExhausted("the limit is 5 tokens a day".to_owned());
    assert_eq!(error.to_string(), "the model's budget of today is used up: the limit is 5 tokens a day");
}
