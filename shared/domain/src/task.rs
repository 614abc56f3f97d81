//! Whether a change does what a task asks for.

use std::fmt;

/// How far something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Nothing of it, as far as the change shows.
    NotDone,
    /// Some of it.
    Partial,
    /// All of it, shown in the change.
    Done,
}

impl Standing {
    /// The word of the reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "DONE",
            Self::Partial => "PARTIAL",
            Self::NotDone => "NOT DONE",
        }
    }

    /// The standing that `word` means, however it is written.
    pub fn parse(word: &str) -> Option<Self> {
        let plain: String = word.chars().filter(char::is_ascii_alphabetic).collect();
        Some(match plain.to_ascii_uppercase().as_str() {
            "DONE" | "COMPLETE" | "COMPLETED" | "FULFILLED" | "YES" => Self::Done,
            "PARTIAL" | "PARTIALLY" | "PARTIALLYDONE" | "INCOMPLETE" => Self::Partial,
            "NOTDONE" | "MISSING" | "NO" | "NONE" | "NOTFULFILLED" | "NOTCOMPLETE" => Self::NotDone,
            _ => return None,
        })
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The verdict that follows from those of the requirements; nothing to judge is nothing done. Where something
/// could not be looked at (`gaps`), the whole is not done.
pub fn overall(standings: &[Standing], gaps: bool) -> Standing {
    let all = |standing| standings.iter().all(|it| *it == standing);
    match standings {
        [] => Standing::NotDone,
        _ if all(Standing::Done) && !gaps => Standing::Done,
        _ if all(Standing::NotDone) => Standing::NotDone,
        _ => Standing::Partial,
    }
}

#[cfg(test)]
mod tests {
    use super::Standing::{Done, NotDone, Partial};
    use super::*;

    #[test]
    fn verdicts() {
        let check = |standings: &[Standing], gaps, expected| assert_eq!(overall(standings, gaps), expected);
        check(&[], false, NotDone);
        check(&[Done, Done], false, Done);
        check(&[Done, Done], true, Partial);
        check(&[Done, Partial], false, Partial);
        check(&[Done, NotDone], false, Partial);
        check(&[NotDone, NotDone], true, NotDone);
        check(&[Partial], false, Partial);
    }

    #[test]
    fn words() {
        let check = |word: &str, expected| assert_eq!(Standing::parse(word), expected, "{word}");
        check("done", Some(Done));
        check("**NOT_DONE**", Some(NotDone));
        check("not done", Some(NotDone));
        check("Partially done", Some(Partial));
        check("erledigt", None);
        check("", None);
    }
}
