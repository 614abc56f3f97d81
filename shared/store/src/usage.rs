//! What models cost: one item a tenant and day, to which everybody adds.

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use prevet_app::error::StorageError;
use prevet_app::usage::{Spending, Total, Usage};
use prevet_domain::ids::TenantKey;

use crate::item::{Attributes, Key};
use crate::{Store, failed};

const DAY_SECONDS: u64 = 24 * 60 * 60;
/// How long a day's record is kept, for whoever wants to know what a quarter cost.
const KEPT_DAYS: u64 = 100;

impl Usage for Store {
    fn add<'a>(
        &'a self,
        tenant: &'a TenantKey,
        day: u64,
        spending: Spending,
        calls: Option<&'a str>,
    ) -> Total<'a> {
        Box::pin(self.add_usage(tenant, day, spending, calls))
    }

    fn read<'a>(&'a self, tenant: &'a TenantKey, day: u64) -> Total<'a> {
        Box::pin(self.read_usage(tenant, day))
    }
}

impl Store {
    async fn add_usage(
        &self,
        tenant: &TenantKey,
        day: u64,
        spending: Spending,
        calls: Option<&str>,
    ) -> Result<Spending, StorageError> {
        let counter = calls.map_or(String::new(), |calls| format!(", calls_{calls} :one"));
        let mut request = self
            .dynamodb
            .update_item()
            .table_name(&self.table)
            .set_key(Some(Key::usage(tenant, day).attributes()))
            .update_expression(format!("SET expires_at = :end ADD tokens :tokens, micro_usd :cost{counter}"))
            .expression_attribute_values(":tokens", number(spending.tokens))
            .expression_attribute_values(":cost", number(spending.micro_usd))
            .expression_attribute_values(
                ":end",
                AttributeValue::N(((day + KEPT_DAYS) * DAY_SECONDS).to_string()),
            )
            .return_values(ReturnValue::AllNew);
        if calls.is_some() {
            request = request.expression_attribute_values(":one", number(1));
        }
        let answer = request.send().await.map_err(|error| failed("recording what the model cost", error))?;
        Ok(total(answer.attributes.as_ref()))
    }

    async fn read_usage(&self, tenant: &TenantKey, day: u64) -> Result<Spending, StorageError> {
        let key = Key::usage(tenant, day).attributes();
        let request = self.dynamodb.get_item().table_name(&self.table).set_key(Some(key));
        let answer = request.consistent_read(true).send().await;
        let answer = answer.map_err(|error| failed("reading what the model cost", error))?;
        Ok(total(answer.item.as_ref()))
    }
}

fn number(value: i64) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

fn total(item: Option<&Attributes>) -> Spending {
    let read = |name: &str| item.and_then(|it| it.get(name)?.as_n().ok()?.parse().ok()).unwrap_or(0);
    Spending { tokens: read("tokens"), micro_usd: read("micro_usd") }
}
