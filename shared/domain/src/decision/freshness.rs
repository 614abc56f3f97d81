//! How fresh an answer is: it falls with age, and with changes to the files that it is about.

/// After this long an answer that nothing touched is half as fresh.
const HALF_LIFE_SECONDS: u64 = 365 * 24 * 60 * 60;
/// What each change to one of its files leaves of it.
const LEFT_PER_CHANGE: f64 = 0.85;
/// Changes that count; more make it no staler.
const CHANGES_MAX: u32 = 40;
const DAY_SECONDS: u64 = 24 * 60 * 60;
/// An answer less fresh than this is not applied without asking.
pub const FRESHNESS_MIN: f64 = 0.2;

/// A number from 0 to 1, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Freshness {
    /// 1 for an answer of today whose files nobody changed; two decimals.
    pub value: f64,
    /// In words.
    pub reason: String,
}

/// The freshness of an answer made at `made_at`, with `changes` to its files since; `None` where they are not known.
/// Both times are in seconds since the epoch; one that lies ahead counts as now.
pub fn freshness(made_at: u64, now: u64, changes: Option<u32>) -> Freshness {
    let age_seconds = now.saturating_sub(made_at);
    #[expect(clippy::cast_precision_loss, reason = "seconds of a few years")]
    let halvings = age_seconds as f64 / HALF_LIFE_SECONDS as f64;
    let counted = changes.unwrap_or(0).min(CHANGES_MAX);
    let value = 0.5_f64.powf(halvings) * LEFT_PER_CHANGE.powi(i32::try_from(counted).unwrap_or(0));
    let age = match age_seconds / DAY_SECONDS {
        0 => "decided today".to_owned(),
        1 => "decided a day ago".to_owned(),
        days => format!("decided {days} days ago"),
    };
    let reason = match changes {
        None => age,
        Some(0) => format!("{age}; its files have not changed since"),
        Some(1) => format!("{age}; 1 change to its files since"),
        Some(count) => format!("{age}; {count} changes to its files since"),
    };
    Freshness { value: (value * 100.0).round() / 100.0, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn falls_with_age_and_changes() {
        let check = |age_days: u64, changes: Option<u32>, expected: f64, reason: &str| {
            let found = freshness(1_000, 1_000 + age_days * DAY_SECONDS, changes);
            assert!((found.value - expected).abs() < 0.011, "{age_days} {changes:?}: {found:?}");
            assert!(found.reason.contains(reason), "{found:?}");
        };
        check(0, None, 1.0, "decided today");
        check(1, Some(0), 1.0, "a day ago; its files have not changed");
        check(365, None, 0.5, "365 days ago");
        check(0, Some(1), 0.85, "1 change to its files");
        check(0, Some(10), 0.2, "10 changes");
        check(365, Some(1), 0.43, "1 change");
        check(36_500, Some(4_000_000), 0.0, "4000000 changes");
        // A clock that goes wrong.
        assert!((freshness(2_000, 1_000, None).value - 1.0).abs() < f64::EPSILON);
    }
}
