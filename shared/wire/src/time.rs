//! Points in time, as people and programs write them.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Seconds since the epoch as RFC 3339; empty for what no calendar has.
pub fn timestamp(seconds: u64) -> String {
    let point = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    point.map(|point| point.to_string()).unwrap_or_default()
}

/// `90d`, `12h`, `30m`, `45s`, `2w` from `now` on, or a date or a point in time: seconds since the epoch. A date is its
/// first moment in UTC. `None` for anything else.
pub fn point(text: &str, now: u64) -> Option<u64> {
    let text = text.trim();
    if let Some(seconds) = duration_seconds(text) {
        return now.checked_add(seconds).filter(|point| !timestamp(*point).is_empty());
    }
    let point = match text.parse::<Timestamp>() {
        Ok(point) => point,
        Err(_) => text.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp(),
    };
    u64::try_from(point.as_second()).ok()
}

/// `90d`, `12h`, `30m`, `45s`, `2w` in seconds; `None` for anything else and for nothing.
pub fn duration_seconds(text: &str) -> Option<u64> {
    let unit = text.chars().last()?;
    let seconds: u64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        'w' => 7 * 24 * 60 * 60,
        _ => return None,
    };
    let count: u64 = text[..text.len() - 1].parse().ok()?;
    count.checked_mul(seconds).filter(|seconds| *seconds > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points() {
        let check = |text: &str, expected: Option<u64>| assert_eq!(point(text, 1_000), expected, "{text:?}");
        check("90d", Some(1_000 + 7_776_000));
        check(" 30m ", Some(2_800));
        check("2027-01-31", Some(1_801_353_600));
        check("2027-01-31T01:00:00Z", Some(1_801_357_200));
        for bad in [
            "",
            "d",
            "90",
            "-1d",
            "0d",
            "1y",
            "9é",
            "99999999999999999999d",
            "tomorrow",
            "1960-01-01",
            "9999999999d",
        ] {
            check(bad, None);
        }
    }
}
