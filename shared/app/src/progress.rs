//! How far a call has come, told while it lasts.

use std::fmt;
use std::sync::Arc;

/// How far a call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What is being done.
    pub doing: &'static str,
    /// Units that are done.
    pub done: usize,
    /// Units that there are.
    pub total: usize,
}

/// Who is told; nobody by default. Telling never waits and never fails.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Fn(Step) + Send + Sync>>);

impl Progress {
    /// Tells `listener`.
    pub fn to(listener: impl Fn(Step) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listener)))
    }

    /// Tells that `done` of `total` are done.
    pub fn tell(&self, doing: &'static str, done: usize, total: usize) {
        if let Some(listener) = &self.0 {
            listener(Step { doing, done, total });
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Progress" } else { "Progress(nobody)" })
    }
}
