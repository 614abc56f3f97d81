//! `describe_change`, `ask` and `check_task`: over real HTTP, with a scripted model and scripted GitHub and Jira,
//! and through the real binary.

#![expect(clippy::unwrap_used, reason = "tests")]

mod around;
mod asking;
mod binary;
mod checking;
mod describing;
mod injection;
mod provider;
mod shapes;
mod tickets;

use prevet_testkit::server::patch;

const BEFORE: &str = "def total(items):\n    return sum(items)\n";
const AFTER: &str = "def total(items):\n    return sum(item.price for item in items)\n\n\ndef greet(profile):\n    \
                     return 'hello ' + profile.name\n";

/// A change that adds `greet` to `shop.py` and changes `total`.
fn change() -> String {
    patch::replaced("shop.py", BEFORE, AFTER)
}

/// A provider's token in its real form, put together here so that nobody takes this file for a leak.
fn token() -> String {
    ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}
