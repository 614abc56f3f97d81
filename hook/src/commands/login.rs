//! `prevet login` and `prevet logout`: the server and the key that commands use.

use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use prevet_domain::kind::Kind;
use prevet_wire::inbox::SignInLinkRecord;
use prevet_wire::session::SessionRequest;
use prevet_wire::user_config;
use toml_edit::{DocumentMut, Item, Table, value};

use crate::cli::Login;
use crate::client::Client;
use crate::config::Config;
use crate::connection::{Connection, Endpoint, Who, base_url, read_user_config};
use crate::console;
use crate::error::CommandError;

const KEY_FILE: &str = "key";
/// A key is a line.
const KEY_BYTES_MAX: u64 = 4096;
/// The repository of the session that tries the key out.
const TRIAL_REPOSITORY: &str = "prevet-login";
const NO_COMMIT: &str = "0000000000000000000000000000000000000000";

/// Tries server and key out, and keeps them.
pub async fn login(config: &Config, arguments: &Login) -> Result<u8, CommandError> {
    if arguments.browser {
        return sign_in_link(config).await;
    }
    let file = config_file(config)?;
    // A file that is broken already would be no better afterwards.
    read_user_config(&file)?;
    let url = base_url(&arguments.url)?;
    let api_key = read_key()?;
    let endpoint =
        Endpoint { url: url.clone(), tenant_key: arguments.tenant.clone(), api_key: api_key.clone() };
    try_out(&Client::new(endpoint, config.waits()?)?).await?;
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| failed("making", folder, &error))?;
    write(&folder.join(KEY_FILE), &format!("{api_key}\n"), 0o600)?;
    let mut document = read_document(&file)?;
    let mut server = Table::new();
    server["url"] = value(&url);
    server["tenant_key"] = value(&arguments.tenant);
    server["key_file"] = value(KEY_FILE);
    document["server"] = Item::Table(server);
    write(&file, &document.to_string(), 0o644)?;
    console::say(&format!(
        "commands use {url} from now on; the key is in {}",
        folder.join(KEY_FILE).display()
    ));
    Ok(0)
}

/// Prints a link that signs a browser in. It is the running server's: an embedded one of this process would end with it.
async fn sign_in_link(config: &Config) -> Result<u8, CommandError> {
    let connection = Connection::open_for_decisions(config, Who::Person).await?;
    if connection.is_embedded() {
        connection.close().await;
        return Err(CommandError::usage(
            "no server runs: start one with `prevet serve`, or set one with `prevet login --url`",
        ));
    }
    let client = Client::new(connection.endpoint.clone(), config.waits()?)?;
    let link: SignInLinkRecord =
        client.inbox("sign-in-link", Some(&serde_json::json!({})), "asking for a link to sign in").await?;
    let base = connection.endpoint.url.trim_end_matches("/mcp").to_owned();
    connection.close().await;
    console::data(format!("{base}/{}\n", link.path).as_bytes())?;
    console::say("open the link within five minutes; it works once");
    Ok(0)
}

/// Forgets server and key; all else in the file stays.
pub fn logout(config: &Config) -> Result<u8, CommandError> {
    let file = config_file(config)?;
    let server = match read_user_config(&file) {
        Ok(user) => user.server,
        // The key goes whatever else is wrong: it is in one place unless the file says otherwise.
        Err(error) => {
            remove_key(&file.parent().unwrap_or(Path::new(".")).join(KEY_FILE))?;
            let text = format!("the key is removed, but {error}: mend the file and log out again");
            return Err(CommandError::usage(text));
        }
    };
    let Some(server) = server else {
        console::say("no server was set: commands use the embedded one");
        return Ok(0);
    };
    let key_file = file.parent().unwrap_or(Path::new(".")).join(server.key_file);
    remove_key(&key_file)?;
    let mut document = read_document(&file)?;
    document.remove("server");
    write(&file, &document.to_string(), 0o644)?;
    console::say("server and key are forgotten: commands use the embedded server from now on");
    Ok(0)
}

fn remove_key(key_file: &Path) -> Result<(), CommandError> {
    match fs::remove_file(key_file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("removing", key_file, &error)),
        _ => Ok(()),
    }
}

fn config_file(config: &Config) -> Result<PathBuf, CommandError> {
    let missing =
        || CommandError::usage("neither XDG_CONFIG_HOME nor HOME says where the configuration belongs");
    config.config_file.clone().ok_or_else(missing)
}

fn read_key() -> Result<String, CommandError> {
    let mut key = String::new();
    let read = if io::stdin().is_terminal() {
        rpassword::prompt_password("API key (not shown): ").map(|typed| key = typed)
    } else {
        io::stdin().lock().take(KEY_BYTES_MAX).read_to_string(&mut key).map(|_| ())
    };
    read.map_err(|error| {
        CommandError::usage(format!("the API key cannot be read from standard input: {error}"))
    })?;
    let key = key.trim().to_owned();
    if key.is_empty() {
        return Err(CommandError::usage("no API key was given; it is read from standard input"));
    }
    Ok(key)
}

async fn try_out(client: &Client) -> Result<(), CommandError> {
    let request = SessionRequest {
        repo: TRIAL_REPOSITORY.to_owned(),
        branch: "main".to_owned(),
        head: NO_COMMIT.to_owned(),
        tenant_key: client.tenant_key().to_owned(),
        user_name: None,
    };
    client.open_session(&request).await.map(|_| ())
}

fn read_document(file: &Path) -> Result<DocumentMut, CommandError> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed("reading", file, &error)),
    };
    user_config::parse(&file.display().to_string(), &text)
        .map_err(|error| CommandError::of(Kind::Invalid, &error))?;
    text.parse().map_err(|error: toml_edit::TomlError| CommandError::of(Kind::Invalid, &error))
}

/// Whole, or not at all.
fn write(path: &Path, text: &str, mode: u32) -> Result<(), CommandError> {
    let temporary = path.with_extension("new");
    let write = || {
        let mut file =
            OpenOptions::new().create(true).truncate(true).write(true).mode(mode).open(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().map_err(|error| failed("writing", path, &error))
}

fn failed(action: &str, path: &Path, error: &io::Error) -> CommandError {
    CommandError::usage(format!("{action} {} failed: {error}", path.display()))
}
