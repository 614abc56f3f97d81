//! What is known of a value: who may have set it, and what it is still dangerous for.

use serde::Deserialize;

/// Who sets a value. In the order in which one is named when a value has several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Origin {
    /// Arguments of an MCP tool.
    Mcp,
    /// Arguments of an agent's tool.
    Agent,
    /// What a model answered.
    Model,
    /// A request.
    Http,
    /// Pages and documents fetched from elsewhere.
    Web,
    /// Command line, standard input, environment.
    Local,
}

impl Origin {
    pub const ALL: [Self; 6] = [Self::Mcp, Self::Agent, Self::Model, Self::Http, Self::Web, Self::Local];
}

/// What a value can do harm in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Danger {
    /// A shell's command line.
    Shell,
    /// The program, as the first of an argument list.
    Program,
    /// Code.
    Eval,
    /// SQL.
    Sql,
    /// The name of a file.
    Path,
    /// An address that this program asks.
    Url,
    /// An address that the browser is sent to.
    Redirect,
    /// A page.
    Html,
    /// A template.
    Template,
    /// An object stream.
    Deserialize,
    /// The instructions of a model.
    Prompt,
    /// The name of a module.
    Import,
}

/// A set of dangers and of facts about the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Dangers(u32);

impl Dangers {
    pub const NONE: Self = Self(0);
    pub const EVERY: Self = Self(u32::MAX);
    /// The text was put together here and reads as SQL.
    pub const BUILT_SQL: Self = Self(1 << 20);
    /// The text was put together here and reads as HTML.
    pub const BUILT_HTML: Self = Self(1 << 21);
    /// The text was put together here.
    pub const BUILT: Self = Self(1 << 22);
    /// A path in which `..` may still stand.
    pub const DOTTED: Self = Self(1 << 23);
    /// The text was put together here and begins as the arguments of a shell that runs it.
    pub const BUILT_COMMAND: Self = Self(1 << 24);
    /// What only holds of text that was put together.
    const LATER: Self = Self(Self::BUILT_SQL.0 | Self::BUILT_HTML.0 | Self::BUILT.0 | Self::BUILT_COMMAND.0);

    pub const fn of(danger: Danger) -> Self {
        Self(1 << danger as u32)
    }

    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// What a value is checked against as the start of an address or a path.
    pub const PLACES: Self =
        Self(Self::of(Danger::Url).0 | Self::of(Danger::Redirect).0 | Self::of(Danger::Program).0);
}

/// What is known of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Taint {
    dangers: [Dangers; Origin::ALL.len()],
    /// Where in the file it came in, for the first of its origins.
    pub at: usize,
}

impl Taint {
    /// Nobody outside sets it.
    pub const CLEAN: Self = Self { dangers: [Dangers::NONE; Origin::ALL.len()], at: 0 };

    /// Set by `origin` at `at`.
    pub fn new(origin: Origin, at: usize) -> Self {
        let mut taint = Self { at, ..Self::CLEAN };
        taint.dangers[origin as usize] = Dangers::EVERY.without(Dangers::LATER);
        taint
    }

    pub fn is_clean(self) -> bool {
        self.dangers.iter().all(|dangers| *dangers == Dangers::NONE)
    }

    pub fn join(self, other: Self) -> Self {
        if self.is_clean() {
            return other;
        }
        let mut joined = self;
        for (own, more) in joined.dangers.iter_mut().zip(other.dangers) {
            *own = own.and(more);
        }
        joined
    }

    pub fn without(self, dangers: Dangers) -> Self {
        self.map(|own| own.without(dangers))
    }

    /// Adds the fact `later` where `danger` is still on.
    pub fn granted(self, later: Dangers, danger: Danger) -> Self {
        self.map(|own| if own.has(Dangers::of(danger)) { own.and(later) } else { own })
    }

    fn map(mut self, change: impl Fn(Dangers) -> Dangers) -> Self {
        for dangers in &mut self.dangers {
            *dangers = change(*dangers);
        }
        // Facts alone are no danger.
        let facts = Dangers::LATER.and(Dangers::DOTTED);
        for dangers in &mut self.dangers {
            if dangers.without(facts) == Dangers::NONE {
                *dangers = Dangers::NONE;
            }
        }
        self
    }

    /// The origins for which `danger` is on, and `needs`, where anything is needed.
    pub fn origins(self, danger: Danger, needs: Dangers) -> impl Iterator<Item = Origin> {
        Origin::ALL.into_iter().filter(move |origin| {
            let own = self.dangers[*origin as usize];
            own.has(Dangers::of(danger)) && (needs == Dangers::NONE || own.has(needs))
        })
    }

    /// Whether a path may still climb.
    pub fn is_dotted(self) -> bool {
        self.dangers.iter().any(|own| own.has(Dangers::DOTTED))
    }
}
