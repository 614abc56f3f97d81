//! `POST /session` as a Lambda function.

use prevet_routes::{Config, Service, session_router, start_logging};

#[tokio::main]
async fn main() -> Result<(), lambda_http::Error> {
    start_logging();
    let service = Service::on_aws(&Config::from_env()?).await?;
    lambda_http::run(session_router(service)).await
}
