//! A tenant with a long history of decisions, written past the routes.

use prevet_app::decisions::ports::{Change, DecisionStore, Form};
use prevet_domain::decision::canonical::Canonical;
use prevet_domain::decision::lot::{Actor, Answer, Lot};
use prevet_domain::decision::record::{Decision, Way};
use prevet_domain::decision::request::{Request, Scope};
use prevet_domain::decision::synonyms::Synonyms;
use prevet_domain::ids::{DecisionId, LotId, TenantKey};
use prevet_domain::session::{Product, Role};

use super::{Assembled, Client};

/// Decisions of one write: each has a form, and a transaction has at most 100 items.
const DECISIONS_PER_WRITE: usize = 45;
/// When the first of them was made, in milliseconds since the epoch; one follows each millisecond.
const STARTED_MILLISECONDS: u64 = 1_790_000_000_000;

const VERBS: [&str; 10] =
    ["cache", "encrypt", "validate", "archive", "index", "compress", "sign", "rotate", "log", "paginate"];
const THINGS: [&str; 20] = [
    "orders", "invoices", "avatars", "sessions", "tokens", "webhooks", "reports", "uploads", "emails",
    "payments", "profiles", "tickets", "comments", "exports", "imports", "backups", "metrics", "alerts",
    "searches", "drafts",
];
const PLACES: [&str; 10] = [
    "the gateway",
    "the worker",
    "the mobile app",
    "the admin panel",
    "the importer",
    "the scheduler",
    "the portal",
    "the billing service",
    "the search service",
    "the edge",
];

/// The question of decision `at`: all differ.
pub fn question(at: usize) -> String {
    let (verb, thing, place) = (VERBS[at % 10], THINGS[at / 10 % 20], PLACES[at / 200 % 10]);
    format!("Should we {verb} {thing} in {place} for customer group {}?", at / 2_000)
}

impl Assembled {
    /// With a person's key of the same tenant.
    pub async fn person(&self) -> Client {
        let tenant = TenantKey::parse(&self.client.tenant_key).expect("no tenant key");
        let key = self.service.app.create_key(&tenant, Role::Human, vec![Product::Decisions], None).await;
        self.client.with_key(Some(&key.expect("no key").key))
    }

    /// Writes decisions `from..to`, and gathers them as the server does after answers.
    pub async fn remember(&self, from: usize, to: usize) {
        let tenant = TenantKey::parse(&self.client.tenant_key).expect("no tenant key");
        let store = &self.service.app.storage;
        let all: Vec<usize> = (from..to).collect();
        for chunk in all.chunks(DECISIONS_PER_WRITE) {
            let mut change = Change::default();
            for at in chunk {
                let decision = decided(*at);
                let hash = Canonical::of(&decision.question, &Synonyms::default()).hash();
                change.forms.push((hash, Form::default().with(&decision)));
                change.decisions.push(decision);
            }
            assert!(
                store.apply(&tenant, &change).await.expect("decisions are not written"),
                "they are there already"
            );
        }
        self.service.app.gather(&tenant).await.expect("they cannot be gathered");
    }
}

fn decided(at: usize) -> Decision {
    let made = STARTED_MILLISECONDS + at as u64;
    let lot = LotId::parse(&format!("lot_{made:011x}seed")).expect("no id");
    let request = Request::parse(&question(at), Vec::new(), None, Scope::default()).expect("no request");
    let lot = Lot::open(lot, "ask", "form".to_owned(), request, made / 1_000);
    let actor = Actor { by: "key_seed".to_owned(), at: made / 1_000, way: Way::Api };
    let id = DecisionId::parse(&format!("dec_{made:011x}seed")).expect("no id");
    lot.answered(id, &Answer::Text("yes".to_owned()), &actor).expect("it can be answered").1
}
