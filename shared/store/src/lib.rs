//! The ports on DynamoDB and S3: the only crate that names those SDKs.
//!
//! One table with string keys `pk` and `sk` and a TTL attribute `expires_at`, and one bucket whose object keys
//! are hexadecimal digests that the server makes: flat, and none a prefix of another.

mod administration;
mod browser;
mod decisions;
mod item;
mod objects;
mod preparation;
mod reports;
mod sessions;
mod storage;
mod usage;

use std::time::Duration;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::config::Credentials;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use prevet_app::error::StorageError;

/// The longest that one call to a store may take, retries included.
const OPERATION_TIMEOUT_SECONDS: u64 = 20;
/// The longest that one attempt may take.
const ATTEMPT_TIMEOUT_SECONDS: u64 = 8;

/// The table and the bucket.
#[derive(Debug, Clone)]
pub struct Store {
    dynamodb: aws_sdk_dynamodb::Client,
    s3: aws_sdk_s3::Client,
    table: String,
    bucket: String,
    segments: decisions::SegmentCache,
}

/// Where the table and the bucket are.
#[derive(Debug, Clone)]
pub struct StoreConfig {
    /// The table's name.
    pub table: String,
    /// The bucket's name.
    pub bucket: String,
    /// Address buckets by path, as emulators want it.
    pub path_style: bool,
}

/// An embedded store's addresses; its credentials are made up and never leave the machine.
#[derive(Debug, Clone)]
pub struct LocalEndpoints {
    /// Of DynamoDB.
    pub dynamodb_url: String,
    /// Of S3.
    pub s3_url: String,
    /// The access key id that both accept.
    pub access_key: String,
    /// The secret key that both accept.
    pub secret_key: String,
}

impl Store {
    /// On AWS, by the environment's and the role's own settings.
    pub async fn on_aws(config: StoreConfig) -> Self {
        let loader = aws_config::defaults(BehaviorVersion::latest()).timeout_config(timeouts());
        Self::with_sdk_config(&loader.load().await, None, config)
    }

    /// On an embedded store.
    pub async fn on_local(endpoints: &LocalEndpoints, config: StoreConfig) -> Self {
        let credentials =
            Credentials::new(&endpoints.access_key, &endpoints.secret_key, None, None, "prevet-embedded");
        let loader = aws_config::defaults(BehaviorVersion::latest())
            .timeout_config(timeouts())
            // Plain, and past any proxy that the environment names: it would not reach this machine.
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .region(Region::new("us-east-1"))
            .credentials_provider(credentials)
            .empty_test_environment();
        Self::with_sdk_config(&loader.load().await, Some(endpoints), config)
    }

    fn with_sdk_config(shared: &SdkConfig, endpoints: Option<&LocalEndpoints>, config: StoreConfig) -> Self {
        let mut dynamodb = aws_sdk_dynamodb::config::Builder::from(shared);
        let mut s3 = aws_sdk_s3::config::Builder::from(shared).force_path_style(config.path_style);
        if let Some(endpoints) = endpoints {
            dynamodb = dynamodb.endpoint_url(&endpoints.dynamodb_url);
            s3 = s3.endpoint_url(&endpoints.s3_url);
        }
        Self::of_clients(
            aws_sdk_dynamodb::Client::from_conf(dynamodb.build()),
            aws_sdk_s3::Client::from_conf(s3.build()),
            config,
        )
    }

    /// On clients that are there already.
    pub fn of_clients(
        dynamodb: aws_sdk_dynamodb::Client,
        s3: aws_sdk_s3::Client,
        config: StoreConfig,
    ) -> Self {
        let segments = decisions::SegmentCache::default();
        Self { dynamodb, s3, table: config.table, bucket: config.bucket, segments }
    }
}

fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .operation_timeout(Duration::from_secs(OPERATION_TIMEOUT_SECONDS))
        .operation_attempt_timeout(Duration::from_secs(ATTEMPT_TIMEOUT_SECONDS))
        .build()
}

/// A failure of `action`, for whatever reason the SDK gives.
fn failed<E>(action: &'static str, error: E) -> StorageError
where
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    StorageError { action, transient: true, source: error.into() }
}

/// What is stored cannot be read.
fn unreadable<E>(action: &'static str, error: E) -> StorageError
where
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    StorageError { action, transient: false, source: error.into() }
}
