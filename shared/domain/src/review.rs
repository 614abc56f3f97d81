//! Review rounds: another program reviews a plan, a change or a question, round by round, on one thread.
//!
//! [`input`] is what the caller gives, [`answer`] what the reviewer says, [`stream`] what its process shows, and
//! [`ledger`] what becomes of its issues. Two machines decide: [`watch`] over one running round, [`session`] over
//! all of them.

pub mod answer;
pub mod input;
pub mod ledger;
mod markup;
pub mod session;
pub mod stream;
pub mod subject;
pub mod watch;
