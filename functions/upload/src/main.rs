//! `POST /upload/{session_id}` as a Lambda function.

use prevet_routes::{Config, Service, start_logging, upload_router};

#[tokio::main]
async fn main() -> Result<(), lambda_http::Error> {
    start_logging();
    let service = Service::on_aws(&Config::from_env()?).await?;
    lambda_http::run(upload_router(service)).await
}
