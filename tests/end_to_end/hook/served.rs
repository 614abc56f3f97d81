//! A `prevet serve` beside what is tested.

use std::path::Path;
use std::time::Duration;

use prevet_testkit::world::{Call, Running, World, wait_until};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(30);
const WHOLE_TEST: Duration = Duration::from_secs(150);

/// A running `prevet serve`.
pub struct Served {
    pub running: Running,
    ready: Value,
}

impl Served {
    /// On the world's own data folder, which every command finds.
    pub fn start(world: &World) -> Self {
        Self::started(world.prevet(&["serve"]))
    }

    /// On another folder, which a command finds only by URL and key.
    pub fn elsewhere(world: &World, folder: &Path) -> Self {
        Self::started(world.prevet(&["serve", "--data", &folder.display().to_string()]))
    }

    fn started(call: Call) -> Self {
        let mut running = call.within(WHOLE_TEST).start();
        wait_until("prevet serve", PATIENCE, || {
            assert!(running.is_running(), "it ended: {}", running.stderr());
            running.stdout().ends_with('\n')
        });
        let ready = serde_json::from_str(&running.stdout()).unwrap();
        Self { running, ready }
    }

    /// A field of the line that it prints once it is ready.
    pub fn field(&self, name: &str) -> &str {
        self.ready[name].as_str().unwrap()
    }

    /// `call`, told by its environment to use this server with the agent's key.
    pub fn used_by(&self, call: Call) -> Call {
        self.used_with(call, self.field("agent_key"))
    }

    /// `call`, told by its environment to use this server with this key.
    pub fn used_with(&self, call: Call, key: &str) -> Call {
        let call = call.env("PREVET_API_URL", self.field("url")).env("PREVET_API_KEY", key);
        call.env("PREVET_TENANT_KEY", self.field("tenant_key"))
    }

    /// Ends it, which must be a success.
    pub fn stop(self) {
        self.running.signal("TERM");
        let outcome = self.running.end();
        assert_eq!(outcome.code, 0, "{outcome}");
    }
}
