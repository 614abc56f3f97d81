//! The page for people as a Lambda function.

use prevet_routes::{Config, Service, inbox_router, start_logging};

#[tokio::main]
async fn main() -> Result<(), lambda_http::Error> {
    start_logging();
    let service = Service::on_aws(&Config::from_env()?).await?;
    lambda_http::run_with_streaming_response(inbox_router(service)).await
}
