//! The server itself.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use prevet_app::reviews::{MachineReviews, Reviews};
use prevet_domain::ids::TenantKey;
use prevet_domain::session::{Product, Role};
use prevet_emulator::Emulator;
use prevet_routes::{Service, all_routes, model_from_env};
use prevet_store::{LocalEndpoints, Store, StoreConfig};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::LocalError;
use crate::files::{self, FolderLock, RunningServer};

const KEYS_FILE: &str = "keys.json";
const STORE_KEYS_FILE: &str = "store.json";
/// The table and the bucket of the embedded stores.
const STORE_NAME: &str = "prevet";
/// How long open requests may take to end.
const SHUTDOWN_SECONDS: u64 = 10;
/// How long a server waits for the folder of another that is just ending.
const LOCK_WAIT_SECONDS: u64 = 60;

/// The keys of a data folder, made once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalKeys {
    /// The tenant.
    pub tenant_key: String,
    /// For agents and the binary.
    pub agent_key: String,
    /// For people.
    pub human_key: String,
}

/// The embedded stores' credentials, made once a folder.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct StoreKeys {
    access_key: String,
    secret_key: String,
}

/// Who is to know of a server.
#[derive(Debug, Clone)]
pub enum Presence {
    /// The process that starts it.
    Private,
    /// Every process on this machine: its address is left in the folder.
    Announced,
    /// The same, and its page shows these review rounds to the machine's own people.
    Dashboard(Arc<dyn Reviews>),
}

/// A running server.
#[derive(Debug)]
pub struct LocalServer {
    /// The base URL, ending in `/mcp`.
    pub url: String,
    /// The page for people.
    pub inbox_url: String,
    /// The folder's keys.
    pub keys: LocalKeys,
    folder: PathBuf,
    presence: Presence,
    emulator: Emulator,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
    _lock: FolderLock,
}

/// A service on the embedded stores, without routes.
pub(crate) struct Embedded {
    pub(crate) service: Service,
    pub(crate) emulator: Emulator,
    pub(crate) lock: FolderLock,
}

impl Embedded {
    /// Takes the folder and starts its stores; `Ok(None)` as soon as `instead` says that it is not needed.
    pub(crate) async fn start(
        folder: &Path,
        public_url: Option<&str>,
        instead: impl AsyncFnMut() -> bool,
    ) -> Result<Option<Self>, LocalError> {
        // Read first: a setting that cannot be used is said before anything is started.
        let model = model_from_env()?;
        files::prepare(folder)?;
        let wait = Duration::from_secs(LOCK_WAIT_SECONDS);
        let Some(lock) = files::lock(folder, wait, instead).await? else { return Ok(None) };
        // The address of a server that was killed.
        files::withdraw(folder);
        let keys = store_keys(folder)?;
        let emulator = Emulator::start(folder, &keys.access_key, &keys.secret_key).await?;
        let store = store(folder, &emulator.dynamodb_url, &emulator.s3_url).await?;
        store.create_missing().await.map_err(prevet_app::error::AppError::from)?;
        let service = Service::new(store, public_url).with_model(model.as_ref())?;
        let service = service.with_tickets_from_env()?.with_notices_from_env()?;
        Ok(Some(Self { service, emulator, lock }))
    }
}

/// The stores that listen on these addresses.
pub(crate) async fn store(folder: &Path, dynamodb_url: &str, s3_url: &str) -> Result<Store, LocalError> {
    let StoreKeys { access_key, secret_key } = store_keys(folder)?;
    let (dynamodb_url, s3_url) = (dynamodb_url.to_owned(), s3_url.to_owned());
    let endpoints = LocalEndpoints { dynamodb_url, s3_url, access_key, secret_key };
    let config =
        StoreConfig { table: STORE_NAME.to_owned(), bucket: STORE_NAME.to_owned(), path_style: true };
    Ok(Store::on_local(&endpoints, config).await)
}

impl LocalServer {
    /// Starts on `address` (port 0 picks one).
    /// `Ok(None)` as soon as `instead` says that this server is not needed.
    pub async fn start(
        address: SocketAddr,
        folder: &Path,
        presence: Presence,
        instead: impl AsyncFnMut() -> bool,
    ) -> Result<Option<Self>, LocalError> {
        let unusable = |source| LocalError::Listen { address: address.to_string(), source };
        let listener = TcpListener::bind(address).await.map_err(unusable)?;
        let base = format!("http://{}", listener.local_addr().map_err(unusable)?);
        let Some(embedded) = Embedded::start(folder, Some(&base), instead).await? else { return Ok(None) };
        let Embedded { mut service, emulator, lock } = embedded;
        let keys = keys(folder, &service).await?;
        if let Presence::Dashboard(reviews) = &presence {
            let tenant = service.app.check_key(&keys.human_key).await?.tenant;
            service = service.with_reviews(MachineReviews { tenant, reviews: Arc::clone(reviews) });
        }
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(serve(listener, all_routes(&service), stopped));
        let server = Self {
            url: format!("{base}/mcp"),
            inbox_url: format!("{base}/inbox"),
            keys,
            folder: folder.to_owned(),
            presence,
            emulator,
            stop,
            task,
            _lock: lock,
        };
        if server.is_announced() {
            files::announce(folder, &server.running())?;
        }
        Ok(Some(server))
    }

    const fn is_announced(&self) -> bool {
        !matches!(self.presence, Presence::Private)
    }

    fn running(&self) -> RunningServer {
        RunningServer {
            url: self.url.clone(),
            tenant_key: self.keys.tenant_key.clone(),
            agent_key: self.keys.agent_key.clone(),
            human_key: self.keys.human_key.clone(),
            dynamodb_url: self.emulator.dynamodb_url.clone(),
            s3_url: self.emulator.s3_url.clone(),
            process_id: std::process::id(),
            shows_reviews: matches!(self.presence, Presence::Dashboard(_)),
        }
    }

    /// The embedded stores' addresses and credentials, for functions that run beside this server.
    pub fn store_environment(&self) -> Vec<(&'static str, String)> {
        vec![
            ("PREVET_TABLE", STORE_NAME.to_owned()),
            ("PREVET_BUCKET", STORE_NAME.to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ACCESS_KEY_ID", self.emulator.access_key.clone()),
            ("AWS_SECRET_ACCESS_KEY", self.emulator.secret_key.clone()),
            ("AWS_ENDPOINT_URL_DYNAMODB", self.emulator.dynamodb_url.clone()),
            ("AWS_ENDPOINT_URL_S3", self.emulator.s3_url.clone()),
        ]
    }

    /// Ends it: what is being answered is finished first, within a bound.
    pub async fn stop(self) {
        if self.is_announced() {
            files::withdraw(&self.folder);
        }
        // The task may have ended by itself.
        let _ = self.stop.send(());
        let _ = tokio::time::timeout(Duration::from_secs(SHUTDOWN_SECONDS), self.task).await;
        self.emulator.stop().await;
    }
}

async fn serve(listener: TcpListener, routes: Router, stopped: oneshot::Receiver<()>) {
    // Bodies are bounded by the routes themselves.
    let routes = routes.layer(DefaultBodyLimit::disable());
    let end = async {
        let _ = stopped.await;
    };
    if let Err(error) = axum::serve(listener, routes).with_graceful_shutdown(end).await {
        tracing::error!(%error, "the server ended");
    }
}

fn store_keys(folder: &Path) -> Result<StoreKeys, LocalError> {
    let path = folder.join(STORE_KEYS_FILE);
    if let Some(keys) = files::read_private(&path)? {
        return Ok(keys);
    }
    let keys = StoreKeys { access_key: random_text()?, secret_key: random_text()? };
    files::write_private(&path, &keys)?;
    Ok(keys)
}

fn random_text() -> Result<String, LocalError> {
    prevet_routes::random_text().ok_or(LocalError::App(prevet_app::error::AppError::NoRandomness))
}

/// The folder's tenant and keys: made at the first start.
async fn keys(folder: &Path, service: &Service) -> Result<LocalKeys, LocalError> {
    let path = folder.join(KEYS_FILE);
    if let Some(keys) = files::read_private::<LocalKeys>(&path)?
        && service.app.check_key(&keys.agent_key).await.is_ok()
        && service.app.check_key(&keys.human_key).await.is_ok()
    {
        return Ok(keys);
    }
    let keys = new_keys(service).await?;
    files::write_private(&path, &keys)?;
    Ok(keys)
}

async fn new_keys(service: &Service) -> Result<LocalKeys, LocalError> {
    let tenant: TenantKey = service.app.create_tenant("this machine").await?.key;
    let products = || vec![Product::CodeReview, Product::Decisions];
    let agent = service.app.create_key(&tenant, Role::Agent, products(), None).await?;
    let human = service.app.create_key(&tenant, Role::Human, products(), None).await?;
    Ok(LocalKeys { tenant_key: tenant.to_string(), agent_key: agent.key, human_key: human.key })
}
