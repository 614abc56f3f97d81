//! The routes: configuration, wiring, and the edge where failures become HTTP.
//!
//! [`Service`] holds what all routes share; [`session_router`], [`upload_router`], [`mcp_router`] and
//! [`inbox_router`] are one Lambda function each, and [`all_routes`] is all of them in one process.

mod access;
mod ask_tool;
mod body;
mod check_tool;
mod config;
mod decision_tools;
mod describe_tool;
mod failure;
mod fixtures;
mod inbox;
mod inbox_api;
mod inspect_tool;
mod logging;
mod mcp;
mod message;
mod model;
mod pack;
mod progress;
mod session;
mod tool;
mod tools;
mod upload;

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::http::StatusCode;
use prevet_app::provider::Provider;
use prevet_app::reviews::MachineReviews;
use prevet_app::{App, World};
use prevet_llm::Llm;
use prevet_llm::settings::ModelSettings;
use prevet_store::{Store, StoreConfig};
use prevet_upstream::{NoticeSettings, Upstream, Webhook};

pub use self::config::{Config, ConfigError, model_from_env};
pub use self::inbox::inbox_router;
pub use self::logging::start_logging;
pub use self::mcp::mcp_router;
pub use self::session::session_router;
pub use self::upload::upload_router;
use crate::failure::Failure;

/// What all routes share.
#[derive(Debug, Clone)]
pub struct Service {
    /// The use cases.
    pub app: App<Store>,
    /// `scheme://host` under which people reach the server, where that is known.
    pub public_url: Option<Arc<str>>,
    /// Whether the conformance suite's tools are there.
    #[cfg(feature = "conformance")]
    pub for_conformance: bool,
}

impl Service {
    /// On AWS, as `config` says.
    pub async fn on_aws(config: &Config) -> Result<Self, ConfigError> {
        let store = StoreConfig {
            table: config.table.clone(),
            bucket: config.bucket.clone(),
            path_style: config.path_style,
        };
        let tickets = Upstream::new(config.tickets.clone())?;
        let service = Self::new(Store::on_aws(store).await, config.public_url.as_deref());
        let service = service.with_notices(config.notices.clone())?;
        service.with_tickets(tickets).with_model(config.model.as_ref())
    }

    /// On a store that is there already.
    pub fn new(store: Store, public_url: Option<&str>) -> Self {
        let world = World { now_seconds, now_milliseconds, random };
        Self {
            app: App {
                storage: store,
                world,
                model: None,
                notices: None,
                tickets: None,
                provider: None,
                reviews: None,
            },
            public_url: public_url.map(Arc::from),
            #[cfg(feature = "conformance")]
            for_conformance: false,
        }
    }

    /// With a model, where there is one.
    pub fn with_model(mut self, settings: Option<&ModelSettings>) -> Result<Self, ConfigError> {
        if let Some(settings) = settings {
            let usage = Arc::new(self.app.storage.clone());
            self.app.model = Some(Arc::new(Llm::new(settings, usage, now_seconds)?));
        }
        Ok(self)
    }

    /// That reads tickets from `upstream`, and files of repositories where it is set up for that.
    #[must_use]
    pub fn with_tickets(mut self, upstream: Upstream) -> Self {
        let upstream = Arc::new(upstream);
        self.app.provider = upstream.is_provider().then(|| Arc::clone(&upstream) as Arc<dyn Provider>);
        self.app.tickets = Some(upstream);
        self
    }

    /// That tells somebody what waits and what was decided.
    pub fn with_notices(mut self, settings: Option<NoticeSettings>) -> Result<Self, ConfigError> {
        if let Some(settings) = settings {
            self.app.notices = Some(Arc::new(Webhook::new(settings)?));
        }
        Ok(self)
    }

    /// With the review rounds of this machine.
    #[must_use]
    pub fn with_reviews(mut self, reviews: MachineReviews) -> Self {
        self.app.reviews = Some(reviews);
        self
    }

    /// That tells where the environment says.
    pub fn with_notices_from_env(self) -> Result<Self, ConfigError> {
        let settings = config::notice_settings_from_env(self.public_url.as_deref())?;
        self.with_notices(settings)
    }

    /// That reads tickets from where the environment says.
    pub fn with_tickets_from_env(self) -> Result<Self, ConfigError> {
        Ok(self.with_tickets(Upstream::new(config::ticket_settings_from_env()?)?))
    }

    /// Where a repository is connected.
    pub(crate) fn integration_url(&self) -> String {
        let base = self.public_url.as_deref().unwrap_or_default();
        format!("{base}/inbox#connect-a-repository")
    }
}

fn now_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
}

fn now_milliseconds() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

fn random() -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).ok().map(|()| bytes)
}

/// 256 random bits as letters and digits; `None` where the system has none to give.
pub fn random_text() -> Option<String> {
    random().map(|bytes| data_encoding::HEXLOWER.encode(&bytes))
}

/// Every tool, as clients are told of it.
pub fn tools() -> Vec<rmcp::model::Tool> {
    [tools::all(), decision_tools::all()].concat()
}

/// Every route in one router.
pub fn all_routes(service: &Service) -> Router {
    session_router(service.clone())
        .merge(upload_router(service.clone()))
        .merge(mcp_router(service.clone()))
        .merge(inbox_router(service.clone()))
        .fallback(not_found)
}

pub(crate) async fn not_found() -> Failure {
    let known = "there is no such route; the server has POST /session, POST /upload/{session_id} and /mcp";
    Failure::new(StatusCode::NOT_FOUND, "NOT_FOUND", known)
}

pub(crate) async fn wrong_method() -> Failure {
    Failure::new(StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", "this route takes POST only")
}
