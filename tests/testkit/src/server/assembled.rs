//! The routes in this process, over stores that the test chooses.

use prevet_domain::ids::{Branch, RepositoryName, TenantKey};
use prevet_domain::session::{Integration, Product, Role};
use prevet_emulator::Emulator;
use prevet_llm::settings::ModelSettings;
use prevet_routes::{Service, all_routes};
use prevet_store::{LocalEndpoints, Store, StoreConfig};
use prevet_upstream::{Settings, Upstream};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::{Client, Relay};
use crate::scripted_model::ScriptedModel;

pub(super) const ACCESS_KEY: &str = "test";
pub(super) const SECRET_KEY: &str = "test-secret";
const STORE_NAME: &str = "prevet-test";

/// Where the stores are.
#[derive(Debug, Clone)]
pub struct Stores {
    /// DynamoDB.
    pub dynamodb_url: String,
    /// S3.
    pub s3_url: String,
}

/// The routes, served from this process until dropped.
#[derive(Debug)]
pub struct Assembled {
    /// With an agent's key of a tenant that was just made.
    pub client: Client,
    pub(super) service: Service,
    tasks: Vec<JoinHandle<()>>,
    embedded: Option<Embedded>,
}

/// The embedded stores, each behind a relay.
#[derive(Debug)]
struct Embedded {
    dynamodb: Relay,
    s3: Relay,
    _emulator: Emulator,
    _folder: TempDir,
}

impl Assembled {
    /// Over embedded stores of its own, with a relay before each.
    pub async fn start() -> Self {
        let folder = TempDir::new().expect("no temporary folder");
        let emulator = Emulator::start(folder.path(), ACCESS_KEY, SECRET_KEY).await.expect("no stores");
        let dynamodb = Relay::start(&emulator.dynamodb_url).await;
        let s3 = Relay::start(&emulator.s3_url).await;
        let stores = Stores { dynamodb_url: dynamodb.url.clone(), s3_url: s3.url.clone() };
        let mut assembled = Self::on(&stores).await;
        dynamodb.take_calls();
        s3.take_calls();
        assembled.embedded = Some(Embedded { dynamodb, s3, _emulator: emulator, _folder: folder });
        assembled
    }

    /// Over stores that run already; makes table, bucket, tenant and key.
    pub async fn on(stores: &Stores) -> Self {
        let service = Service::new(store(stores).await, Some("http://127.0.0.1"));
        service.app.storage.create_missing().await.expect("table and bucket cannot be made");
        let tenant = service.app.create_tenant("a test").await.expect("no tenant").key;
        let key = service
            .app
            .create_key(&tenant, Role::Agent, vec![Product::CodeReview, Product::Decisions], None)
            .await;
        Self::serve(service, &tenant, &key.expect("no key").key).await
    }

    /// Over stores that nobody has to reach.
    pub async fn on_unreachable(stores: &Stores) -> Self {
        let service = Service::new(store(stores).await, Some("http://127.0.0.1"));
        Self::serve(service, &TenantKey::parse("ten_nobody").expect("no name"), "pvk_agent_nobody").await
    }

    async fn serve(service: Service, tenant: &TenantKey, key: &str) -> Self {
        let (url, task) = listen(&service).await;
        let client = Client::new(&url, tenant.as_str(), key);
        Self { client, service, tasks: vec![task], embedded: None }
    }

    /// A second server over the same stores, for which it is another time.
    pub async fn at(&mut self, now_seconds: fn() -> u64) -> Client {
        let mut service = self.service.clone();
        service.app.world.now_seconds = now_seconds;
        let (url, task) = listen(&service).await;
        self.tasks.push(task);
        self.client.with_url(&url)
    }

    /// Connects a repository of the client's tenant.
    pub async fn integrate(&self, full_name: &str, target_branch: &str) {
        let tenant = TenantKey::parse(&self.client.tenant_key).expect("no tenant key");
        let integration = Integration {
            full_name: RepositoryName::parse(full_name).expect("no repository's name"),
            target_branch: Branch::parse(target_branch).expect("no branch"),
        };
        self.service.app.add_integration(&tenant, &integration).await.expect("it cannot be connected");
    }

    /// A second server over the same stores, with this model, and with tickets where these settings say.
    pub async fn with(&mut self, model: &ScriptedModel, tickets: Option<Settings>) -> Client {
        let mut service = self.service.clone().with_model(Some(&settings(model))).expect("no model");
        if let Some(settings) = tickets {
            service = service.with_tickets(Upstream::new(settings).expect("no HTTP client"));
        }
        let (url, task) = listen(&service).await;
        self.tasks.push(task);
        self.client.with_url(&url)
    }

    /// A second server over the same stores, with the tools of the conformance suite.
    pub async fn for_conformance(&mut self) -> Client {
        let service = Service { for_conformance: true, ..self.service.clone() };
        let (url, task) = listen(&service).await;
        self.tasks.push(task);
        self.client.with_url(&url)
    }

    /// The relay before DynamoDB.
    pub fn dynamodb(&self) -> &Relay {
        &self.embedded.as_ref().expect("the stores are not this server's own").dynamodb
    }

    /// The relay before S3.
    pub fn s3(&self) -> &Relay {
        &self.embedded.as_ref().expect("the stores are not this server's own").s3
    }

    /// The calls to both stores since this was last asked.
    pub fn take_calls(&self) -> Vec<String> {
        [self.dynamodb().take_calls(), self.s3().take_calls()].concat()
    }
}

impl Drop for Assembled {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

fn settings(model: &ScriptedModel) -> ModelSettings {
    ModelSettings {
        model: "scripted".to_owned(),
        url: Some(model.url()),
        api_key: Some("word".to_owned()),
        timeout_seconds: 10,
        input_tokens_max: model.input_tokens_max(),
        usd_per_million_input: 0.0,
        usd_per_million_output: 0.0,
        tokens_per_day: None,
        usd_per_day: None,
    }
}

async fn store(stores: &Stores) -> Store {
    let endpoints = LocalEndpoints {
        dynamodb_url: stores.dynamodb_url.clone(),
        s3_url: stores.s3_url.clone(),
        access_key: ACCESS_KEY.to_owned(),
        secret_key: SECRET_KEY.to_owned(),
    };
    let (table, bucket) = (STORE_NAME.to_owned(), STORE_NAME.to_owned());
    Store::on_local(&endpoints, StoreConfig { table, bucket, path_style: true }).await
}

async fn listen(service: &Service) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("no port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("no address"));
    let routes = all_routes(service);
    let task = tokio::spawn(async move {
        // Ends with the test.
        let _ = axum::serve(listener, routes).await;
    });
    (url, task)
}
