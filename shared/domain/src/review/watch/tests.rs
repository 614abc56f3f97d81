//! The clock over one round, and what the round comes to.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::stream::Activity;
use super::*;

const LIMITS: Limits = Limits {
    deadline: Duration::from_mins(30),
    silence: Duration::from_mins(5),
    linger: Duration::from_secs(10),
};

fn activity() -> Activity {
    Activity { kind: "command", text: "sleep".into(), failed: false }
}

fn started(id: &str) -> Observation {
    Observation::Event(ReviewerEvent::Started { id: id.into(), activity: activity() })
}

fn finished(id: &str) -> Observation {
    Observation::Event(ReviewerEvent::Finished { id: id.into(), activity: activity() })
}

fn thread() -> Observation {
    Observation::Event(ReviewerEvent::Thread("t".into()))
}

/// Observations at seconds, to when it is stopped and why.
fn check(seen: &[(u64, Observation)], expected: Option<(u64, StopCause)>) {
    let mut watch = Watch::start(LIMITS);
    let mut stopped = None;
    for second in 0..=2000 {
        let now = seen.iter().filter(|(at, _)| *at == second).map(|(_, it)| it.clone());
        for seen in now.chain([Observation::Tick]) {
            let (next, effect) = watch.step(Duration::from_secs(second), &seen);
            watch = next;
            stopped = stopped.or(effect.map(|cause| (second, cause)));
        }
        if stopped.is_some() {
            break;
        }
    }
    assert_eq!(stopped, expected, "{seen:?}");
}

#[test]
fn when_a_round_is_over() {
    let done = || Observation::Event(ReviewerEvent::TurnCompleted);
    check(&[], Some((300, StopCause::Silence)));
    check(&[(200, Observation::Noise)], Some((300, StopCause::Silence)));
    check(&[(200, thread())], Some((500, StopCause::Silence)));
    // A plan that is open for as long as the turn is no reason to be silent.
    let plan = Activity { kind: "other", text: String::new(), failed: false };
    let plan = ReviewerEvent::Started { id: "p".into(), activity: plan };
    check(&[(5, Observation::Event(plan))], Some((305, StopCause::Silence)));
    // A silent command of ten minutes and more is no stall, until it has ended.
    check(&[(1, thread()), (5, started("a")), (700, finished("a"))], Some((1000, StopCause::Silence)));
    check(&[(5, started("a")), (6, started("b")), (7, finished("b"))], Some((1800, StopCause::Deadline)));
    check(&[(5, started("a")), (305, Observation::Tick)], Some((1800, StopCause::Deadline)));
    check(&[(5, started("a")), (9, done())], Some((19, StopCause::Lingered)));
    check(&[(1, thread()), (2, Observation::StopAsked)], Some((2, StopCause::Asked)));
    check(&[(3, Observation::TooMuchOutput)], Some((3, StopCause::TooMuchOutput)));
}

fn stream(events: &[ReviewerEvent]) -> Stream {
    let mut stream = Stream::default();
    for event in events {
        stream.observe(event);
    }
    stream
}

#[test]
fn what_a_round_comes_to() {
    use ReviewerEvent::{Message, Thread, TurnCompleted, TurnFailed, Warning};
    let exited = || ProcessEnd::Exited { how: "exit code 1".into(), said: String::new() };
    let check = |events: &[ReviewerEvent], end: ProcessEnd, expected: Option<(BrokenCause, bool)>| {
        let broken = match report(&stream(events), &end, Some("t")) {
            Report::Completed(_) => None,
            Report::Broken(broken) => Some((broken.cause, broken.recoverable)),
        };
        assert_eq!(broken, expected, "{events:?} {end:?}");
    };
    let thread = || Thread("t".into());
    let done = [thread(), Message("m".into()), TurnCompleted];
    check(&done, exited(), None);
    check(&done, ProcessEnd::Stopped(StopCause::Lingered), None);
    check(&done, ProcessEnd::Stopped(StopCause::Asked), None);
    check(&done, ProcessEnd::Lost, None);
    check(&[thread(), TurnCompleted], exited(), None);
    check(&[thread(), TurnFailed("429".into())], exited(), Some((BrokenCause::TurnFailed, false)));
    check(
        &[thread(), Message("m".into()), TurnFailed("drop".into())],
        exited(),
        Some((BrokenCause::TurnFailed, true)),
    );
    check(&[thread(), Message("m".into())], exited(), Some((BrokenCause::ProcessExit, true)));
    check(&[], exited(), Some((BrokenCause::ProcessExit, false)));
    check(&[thread(), Warning("w".into())], ProcessEnd::Lost, Some((BrokenCause::ProcessExit, false)));
    let stopped = ProcessEnd::Stopped;
    check(&[thread(), Message("m".into())], stopped(StopCause::Deadline), Some((BrokenCause::Timeout, true)));
    check(&[thread()], stopped(StopCause::Deadline), Some((BrokenCause::Timeout, false)));
    check(&[thread()], stopped(StopCause::Silence), Some((BrokenCause::Stalled, false)));
    check(&[], stopped(StopCause::TooMuchOutput), Some((BrokenCause::OutputLimit, false)));
    // A turn whose middle was not kept has no end.
    check(&done, stopped(StopCause::TooMuchOutput), Some((BrokenCause::OutputLimit, true)));
    check(&done, stopped(StopCause::OutputLost), Some((BrokenCause::OutputLost, true)));
    check(
        &[Thread("other".into()), Message("m".into()), TurnCompleted],
        exited(),
        Some((BrokenCause::ThreadChanged, false)),
    );
}

proptest! {
    #[test]
    fn no_command_that_lives_is_a_stall(seen in prop::collection::vec((0..5_usize, 0..3_u8, 0..400_u64), 0..40)) {
        let (mut watch, mut busy) = (Watch::start(LIMITS), BTreeSet::new());
        let (mut now, mut last_sign) = (0, 0);
        for (kind, id, pause) in seen {
            now += pause;
            let id = id.to_string();
            let seen = match kind {
                0 => { busy.insert(id.clone()); started(&id) }
                1 => { busy.remove(&id); finished(&id) }
                2 => Observation::Noise,
                _ => Observation::Tick,
            };
            last_sign = if matches!(seen, Observation::Tick | Observation::Noise) { last_sign } else { now };
            let (next, effect) = watch.step(Duration::from_secs(now), &seen);
            watch = next;
            let late = now >= LIMITS.deadline.as_secs();
            let silent = busy.is_empty() && now - last_sign >= LIMITS.silence.as_secs();
            let expected = if late { Some(StopCause::Deadline) } else { silent.then_some(StopCause::Silence) };
            prop_assert_eq!(effect, expected);
        }
    }
}
