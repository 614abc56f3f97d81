//! DynamoDB and S3 on loopback, in this process, on a folder.
//!
//! Both listen on ports that the system picks, and only on 127.0.0.1. DynamoDB is `dynoxide`, S3 is `s3s-fs`,
//! which demands that requests are signed with the [`Emulator`]'s own credentials.

use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dynoxide::Database;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder as ConnectionBuilder;
use hyper_util::server::graceful::GracefulShutdown;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How often items whose time to live has passed are removed.
const SWEEP_INTERVAL_SECONDS: u64 = 600;
/// How long open connections may take to end.
const SHUTDOWN_SECONDS: u64 = 3;
/// Objects that nobody has written for this long are removed, as the bucket's lifecycle does on AWS.
const OBJECT_AGE_SECONDS_MAX: u64 = 35 * 24 * 60 * 60;
const DATABASE_FILE: &str = "dynamodb.sqlite";
const OBJECTS_FOLDER: &str = "objects";

/// Both stores, running.
#[derive(Debug)]
pub struct Emulator {
    /// DynamoDB's address.
    pub dynamodb_url: String,
    /// S3's address.
    pub s3_url: String,
    /// The access key id that S3 accepts.
    pub access_key: String,
    /// The secret key that S3 accepts.
    pub secret_key: String,
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
}

/// Why the stores do not run.
#[derive(Debug, thiserror::Error)]
pub enum EmulatorError {
    /// The folder.
    #[error("the data folder {} cannot be used", .folder.display())]
    Folder {
        /// Which.
        folder: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The database file.
    #[error("the database in {} cannot be opened: {reason}", .folder.display())]
    Database {
        /// Which folder.
        folder: PathBuf,
        /// Why.
        reason: String,
    },
    /// A port.
    #[error("no port on 127.0.0.1 can be opened")]
    Port(#[source] io::Error),
}

impl Emulator {
    /// Starts both on `folder`, which is made if it is missing. The credentials are the caller's choice.
    pub async fn start(folder: &Path, access_key: &str, secret_key: &str) -> Result<Self, EmulatorError> {
        let objects = folder.join(OBJECTS_FOLDER);
        let unusable = |source| EmulatorError::Folder { folder: folder.to_owned(), source };
        std::fs::create_dir_all(&objects).map_err(unusable)?;
        let broken = |reason: String| EmulatorError::Database { folder: folder.to_owned(), reason };
        let file = folder.join(DATABASE_FILE);
        let file = file.to_str().ok_or_else(|| broken("its path is not UTF-8".to_owned()))?;
        let database = Database::new(file).map_err(|error| broken(error.to_string()))?;
        let service = s3_service(&objects, access_key, secret_key).map_err(broken)?;
        let (dynamodb, s3) = (listener().await?, listener().await?);
        let (stop, stopped) = watch::channel(false);
        let address = |listener: &TcpListener| listener.local_addr().map(|it| format!("http://{it}"));
        Ok(Self {
            dynamodb_url: address(&dynamodb).map_err(EmulatorError::Port)?,
            s3_url: address(&s3).map_err(EmulatorError::Port)?,
            access_key: access_key.to_owned(),
            secret_key: secret_key.to_owned(),
            tasks: vec![
                tokio::spawn(serve_dynamodb(dynamodb, database.clone(), stopped.clone())),
                tokio::spawn(serve_s3(s3, service, stopped.clone())),
                tokio::spawn(sweep(database, objects, stopped)),
            ],
            stop,
        })
    }

    /// Ends both; what is being answered is finished first.
    pub async fn stop(self) {
        // Nobody listens any more only if the tasks ended already.
        let _ = self.stop.send(true);
        for task in self.tasks {
            let _ = tokio::time::timeout(Duration::from_secs(SHUTDOWN_SECONDS), task).await;
        }
    }
}

async fn listener() -> Result<TcpListener, EmulatorError> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(EmulatorError::Port)
}

fn s3_service(objects: &Path, access_key: &str, secret_key: &str) -> Result<S3Service, String> {
    let files = FileSystem::new(objects).map_err(|error| format!("{error:?}"))?;
    let mut builder = S3ServiceBuilder::new(files);
    builder.set_auth(SimpleAuth::from_single(access_key, secret_key));
    Ok(builder.build())
}

async fn until(mut stopped: watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stop| *stop).await;
}

async fn serve_dynamodb(listener: TcpListener, database: Database, stopped: watch::Receiver<bool>) {
    if let Err(error) = dynoxide::server::serve_with_shutdown(listener, database, until(stopped)).await {
        tracing::error!(%error, "the embedded DynamoDB ended");
    }
}

async fn serve_s3(listener: TcpListener, service: S3Service, stopped: watch::Receiver<bool>) {
    let graceful = GracefulShutdown::new();
    let server = ConnectionBuilder::new(TokioExecutor::new());
    let mut end = std::pin::pin!(until(stopped));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut end => break,
        };
        let Ok((socket, _)) = accepted else { continue };
        let connection = server.serve_connection(TokioIo::new(socket), service.clone());
        let connection = graceful.watch(connection.into_owned());
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection to the embedded S3 broke");
            }
        });
    }
    let _ = tokio::time::timeout(Duration::from_secs(SHUTDOWN_SECONDS), graceful.shutdown()).await;
}

async fn sweep(database: Database, objects: PathBuf, stopped: watch::Receiver<bool>) {
    let mut end = std::pin::pin!(until(stopped));
    let mut interval = tokio::time::interval(Duration::from_secs(SWEEP_INTERVAL_SECONDS));
    loop {
        tokio::select! {
            _ = interval.tick() => {}
            () = &mut end => return,
        }
        let (database, objects) = (database.clone(), objects.clone());
        let swept = tokio::task::spawn_blocking(move || {
            remove_old_objects(&objects);
            database.sweep_ttl().map_err(|error| error.to_string())
        });
        match swept.await {
            Ok(Ok(count)) => tracing::debug!(count, "swept what had expired"),
            Ok(Err(error)) => tracing::warn!(%error, "sweeping what had expired failed"),
            Err(error) => tracing::warn!(%error, "sweeping what had expired ended"),
        }
    }
}

/// Removes files of the bucket folders by their age; a file that cannot be looked at stays.
fn remove_old_objects(objects: &Path) {
    let buckets = std::fs::read_dir(objects).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = buckets
        .filter(|path| path.is_dir())
        .flat_map(|bucket| std::fs::read_dir(bucket).into_iter().flatten().flatten());
    for file in files {
        let age = file.metadata().and_then(|it| it.modified()).ok().and_then(|it| it.elapsed().ok());
        if age.is_some_and(|age| age.as_secs() > OBJECT_AGE_SECONDS_MAX) {
            let _ = std::fs::remove_file(file.path());
        }
    }
}
