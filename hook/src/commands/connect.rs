//! `prevet connect`: the MCP servers and skills in a coding agent's own configuration.

use prevet_domain::kind::Kind;

use crate::cli::Connect;
use crate::config::Config;
use crate::connect::{
    self, Action, ConnectError, Facts, HttpServer, NAMES, Plan, Registration, Server, handshake, reach,
};
use crate::connection::configured;
use crate::console;
use crate::error::CommandError;

/// Stands for a key where the plan is shown.
const MASKED: &str = "********";

/// Connects, or takes out, and says what was done; 2 if what was registered does not answer.
pub async fn run(config: &Config, arguments: &Connect) -> Result<u8, CommandError> {
    let facts = connect::read(arguments.harness, &config.agents)?;
    let action = if arguments.remove {
        Action::Remove
    } else {
        let http = if arguments.http { Some(http_server(config)?) } else { None };
        Action::Connect(Registration::new(&config.program, http)?)
    };
    let plan = connect::plan(&facts, &action)?;
    if arguments.print {
        return print(&facts, &plan, &action);
    }
    connect::apply(&plan)?;
    for step in &plan.steps {
        console::say(&step.to_string());
    }
    let name = arguments.harness.name();
    console::say(&match (&action, plan.changes_anything()) {
        (Action::Connect(_), true) => format!("{name} is connected; start it anew to see the tools"),
        (Action::Connect(_), false) => format!("{name} was connected already"),
        (Action::Remove, true) => format!("{name} is as it was"),
        (Action::Remove, false) => format!("{name} was not connected"),
    });
    match action {
        Action::Remove => Ok(0),
        Action::Connect(_) => check(config, &connect::read(arguments.harness, &config.agents)?).await,
    }
}

fn http_server(config: &Config) -> Result<HttpServer, CommandError> {
    let endpoint = configured(config)?.ok_or_else(|| {
        CommandError::usage(
            "--http registers the configured server, and none is set: `prevet login` sets one",
        )
    })?;
    // A key that the environment gives stays there.
    let api_key = config.api_url.is_none().then_some(endpoint.api_key);
    Ok(HttpServer { url: endpoint.url, api_key })
}

/// The steps, and what would be registered, on standard output.
fn print(facts: &Facts, plan: &Plan, action: &Action) -> Result<u8, CommandError> {
    let mut text: String = plan.steps.iter().map(|step| format!("{step}\n")).collect();
    if let Action::Connect(registration) = action {
        let mut shown = registration.clone();
        if let Some(http) = &mut shown.http
            && http.api_key.is_some()
        {
            http.api_key = Some(MASKED.to_owned());
        }
        let entries = shown.entries(facts.harness, &[]);
        let entries = facts.document_of("").with(&entries).map_err(|problem| facts.unreadable(problem))?;
        text.push_str(&format!("\n{}:\n{entries}", facts.config.display()));
    }
    if !plan.changes_anything() {
        text.push_str("nothing would change\n");
    }
    console::data(text.as_bytes())?;
    Ok(0)
}

/// Starts what stands in the configuration now, and speaks to it.
async fn check(config: &Config, facts: &Facts) -> Result<u8, CommandError> {
    let entries = facts.document().entries(&NAMES).map_err(|problem| facts.unreadable(problem))?;
    let mut failed = false;
    for entry in &entries {
        let Some(server) = Server::of(entry) else { continue };
        match handshake(&server, config).await {
            Ok(tools) => console::say(&format!("{} answers: {}", server.name, tools.join(", "))),
            Err(problem) => {
                failed = true;
                console::say(&format!("{} does not answer: {problem}", server.name));
            }
        }
    }
    if let Err(problem) = reach(config).await {
        failed = true;
        console::say(&format!("the configured server does not answer: {problem}"));
    }
    Ok(if failed { 2 } else { 0 })
}

impl From<ConnectError> for CommandError {
    fn from(error: ConnectError) -> Self {
        let kind = match error.kind() {
            // A folder that is not there is for the user to make.
            Kind::Missing => Kind::Invalid,
            kind => kind,
        };
        Self::of(kind, &error)
    }
}
