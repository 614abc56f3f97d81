//! Every row of the table of next steps, and random histories.

use proptest::prelude::*;

use super::super::answer::parse;
use super::super::subject::Mode;
use super::*;

const SUBJECTS: [Subject; 5] = [
    Subject::Plan,
    Subject::Impl(Mode::WorkingTree),
    Subject::Impl(Mode::Branch),
    Subject::Think,
    Subject::Pr,
];
const APPROVAL: &str = "### VERDICT\n- Status: APPROVE\n";
const REVISION: &str = "### VERDICT\n- Status: REVISE\n";
const ISSUE: &str = "### ISSUE-1: Lost write\n- Severity: high\n";
const NIT: &str = "### ISSUE-2: A name\n- Severity: low\n";
const OTHER: &str = "### ISSUE-3: Wrong unit\n- Severity: high\n";
const INSIGHT: &str = "### INSIGHT-1: Cache\n";

fn said(text: &str) -> Report {
    Report::Completed(parse([text]))
}

fn broken(cause: BrokenCause, recoverable: bool) -> Report {
    Report::Broken(Broken { cause, error: "e".into(), progress: recoverable, recoverable })
}

/// A session with a thread, after these rounds.
fn after(subject: Subject, reports: impl IntoIterator<Item = Report>) -> Session {
    let (session, _) = Session::begin(subject);
    let (mut session, _) = session.step(Event::ThreadKnown("t".into())).unwrap();
    for report in reports {
        if !session.is_running() {
            session = session.step(Event::Replied(Claims::default())).unwrap().0;
        }
        session = session.step(Event::RoundEnded(report)).unwrap().0;
    }
    session
}

#[test]
fn the_table_of_next_steps() {
    use Next::{AskUser, CrossCheck, Done, Respond, Running, Stopped};
    let check = |subjects: &[Subject], reports: &[Report], expected: (Next, &str)| {
        for subject in subjects {
            let (next, reason) = after(*subject, reports.iter().cloned()).next();
            assert_eq!((next, reason.as_str()), expected, "{subject:?} {reports:?}");
        }
    };
    let (judged, peers) = (&SUBJECTS[..3], &SUBJECTS[3..]);
    let text = |parts: &[&str]| said(&parts.concat());

    check(&SUBJECTS, &[], (Running, "reviewer_running"));

    check(judged, &[text(&[ISSUE, REVISION])], (Respond, "open_issues"));
    check(judged, &[text(&[ISSUE])], (Respond, "open_issues"));
    check(judged, &[text(&[NIT, REVISION])], (Respond, "open_issues"));
    check(judged, &[text(&[ISSUE, APPROVAL])], (Respond, "open_issues"));
    check(judged, &[text(&[REVISION])], (Respond, "verdict_revise"));
    check(judged, &[text(&["### VERDICT\n- Status: APPROVE if fixed"])], (Respond, "verdict_approve_if"));
    check(judged, &[text(&["### VERDICT\n- Status: CONTINUE"])], (Respond, "verdict_continue"));
    check(judged, &[text(&[ISSUE, REVISION]), text(&[OTHER, REVISION])], (Respond, "open_issues"));

    check(judged, &[text(&[APPROVAL])], (Done, "approved"));
    check(judged, &[text(&[NIT, APPROVAL])], (Done, "approved"));
    check(judged, &[text(&[ISSUE, REVISION]), text(&[APPROVAL])], (Done, "approved"));
    check(judged, &[text(&[NIT, REVISION]), text(&[NIT, APPROVAL])], (Done, "approved"));

    check(&SUBJECTS, &[text(&[ISSUE, REVISION]), text(&[ISSUE, REVISION])], (Done, "stalemate"));
    check(judged, &[text(&[ISSUE, APPROVAL]), text(&[ISSUE, APPROVAL])], (Done, "stalemate"));
    check(judged, &[text(&[REVISION]), text(&[REVISION])], (Respond, "verdict_revise"));
    check(
        judged,
        &[text(&[ISSUE]), broken(BrokenCause::TurnFailed, true), text(&[ISSUE])],
        (Respond, "open_issues"),
    );
    check(judged, &[text(&[ISSUE]), text(&[ISSUE, OTHER])], (Respond, "open_issues"));

    for status in ["CONTINUE", "CONSENSUS", "STALEMATE", "APPROVE", "REVISE"] {
        let verdict = format!("### VERDICT\n- Status: {status}\n");
        check(peers, &[text(&[INSIGHT, &verdict])], (CrossCheck, "peer_verdict_is_advisory"));
        check(peers, &[text(&[ISSUE, &verdict])], (CrossCheck, "peer_verdict_is_advisory"));
        check(peers, &[text(&[&verdict]), text(&[&verdict])], (CrossCheck, "peer_verdict_is_advisory"));
    }
    check(peers, &[text(&[INSIGHT])], (CrossCheck, "peer_verdict_is_advisory"));

    check(&SUBJECTS, &[said("")], (AskUser, "missing_verdict"));
    check(&SUBJECTS, &[said("All good, I approve.")], (AskUser, "missing_verdict"));
    check(&SUBJECTS, &[said(&format!("```\n{ISSUE}{APPROVAL}```"))], (AskUser, "missing_verdict"));

    check(&SUBJECTS, &[broken(BrokenCause::Timeout, true)], (Stopped, "recoverable_timeout"));
    check(&SUBJECTS, &[broken(BrokenCause::Timeout, false)], (Stopped, "timeout"));
    check(&SUBJECTS, &[broken(BrokenCause::Stalled, true)], (Stopped, "stalled"));
    check(&SUBJECTS, &[broken(BrokenCause::TurnFailed, true)], (Stopped, "turn_failed"));
    check(&SUBJECTS, &[broken(BrokenCause::ProcessExit, false)], (Stopped, "reviewer_process_exit"));
}

#[test]
fn endings() {
    let check = |session: &Session, outcome: Option<Outcome>, expected: Option<Conclusion>| {
        let (ended, effects) = session.step(Event::EndAsked(outcome)).unwrap();
        assert_eq!(ended.ending, Some(expected.map_or(Ending::Stopped, Ending::Finalized)), "{session:?}");
        let finalize = expected.map(Effect::Finalize);
        assert_eq!(effects, [Effect::StopReviewer].into_iter().chain(finalize).collect::<Vec<_>>());
        assert!(!ended.is_running());
        assert_eq!(ended.step(Event::EndAsked(None)).unwrap(), (ended.clone(), vec![]), "a second end");
        assert_eq!(ended.step(Event::Replied(Claims::default())), Err(Refusal::Ended));
    };
    let plan = |texts: &[&str]| after(Subject::Plan, texts.iter().map(|text| said(text)));
    let think = |texts: &[&str]| after(Subject::Think, texts.iter().map(|text| said(text)));
    check(&plan(&[]), None, None);
    check(&plan(&[APPROVAL]), None, Some(Conclusion::Approve));
    check(&plan(&[REVISION]), Some(Outcome::Consensus), None);
    check(&plan(&[ISSUE, ISSUE]), None, Some(Conclusion::Stalemate));
    check(&plan(&[""]), None, None);
    check(&think(&[]), Some(Outcome::Consensus), None);
    check(&think(&[INSIGHT]), None, None);
    check(&think(&[INSIGHT]), Some(Outcome::Consensus), Some(Conclusion::Consensus));
    check(&think(&[INSIGHT]), Some(Outcome::Stalemate), Some(Conclusion::Stalemate));
    check(&think(&[""]), Some(Outcome::Consensus), None);
    let failed = after(Subject::Pr, [broken(BrokenCause::TurnFailed, true)]);
    check(&failed, Some(Outcome::Consensus), None);
}

#[test]
fn refusals() {
    let (running, launched) = Session::begin(Subject::Plan);
    assert_eq!(launched, [Effect::Launch { round: 1, thread: None }]);
    let reply = || Event::Replied(Claims::default());
    assert_eq!(running.step(reply()), Err(Refusal::StillRunning));
    let (unnamed, _) = running.step(Event::RoundEnded(broken(BrokenCause::ProcessExit, false))).unwrap();
    assert_eq!(unnamed.step(reply()), Err(Refusal::NoThread));
    assert_eq!(unnamed.step(Event::RoundEnded(said(""))), Err(Refusal::NotRunning));
    let (_, effects) = after(Subject::Plan, [said(ISSUE)]).step(reply()).unwrap();
    assert_eq!(effects, [Effect::Launch { round: 2, thread: Some("t".into()) }]);
}

#[test]
fn what_was_said_before_a_round_that_broke_counts_for_the_next() {
    let said_before = |number: u32| Claims { disputed: [number].into(), ..Claims::default() };
    let session = after(Subject::Plan, [said(ISSUE)]);
    let (session, _) = session.step(Event::Replied(said_before(1))).unwrap();
    let (session, _) = session.step(Event::RoundEnded(broken(BrokenCause::Timeout, true))).unwrap();
    let (session, _) = session.step(Event::Replied(Claims::default())).unwrap();
    let (session, _) = session.step(Event::RoundEnded(said(APPROVAL))).unwrap();
    let standings: Vec<_> = session.ledger().entries.iter().map(|it| it.standing.as_str()).collect();
    assert_eq!(standings, ["withdrawn"]);
}

#[test]
fn rounds_have_a_limit() {
    let mut session = after(Subject::Plan, [said("")]);
    while session.rounds.len() < REVIEW_ROUNDS_MAX {
        let (next, _) = session.step(Event::Replied(Claims::default())).unwrap();
        session = next.step(Event::RoundEnded(said(""))).unwrap().0;
    }
    assert_eq!(session.step(Event::Replied(Claims::default())), Err(Refusal::TooManyRounds));
}

fn report() -> impl Strategy<Value = Report> {
    let parts = prop::collection::vec(
        prop::sample::select(vec![APPROVAL, REVISION, ISSUE, NIT, OTHER, INSIGHT, "prose\n", "```\n", "> "]),
        0..4,
    );
    let causes = prop::sample::select(vec![
        BrokenCause::Timeout,
        BrokenCause::Stalled,
        BrokenCause::TurnFailed,
        BrokenCause::ProcessExit,
        BrokenCause::OutputLimit,
    ]);
    prop_oneof![
        3 => parts.prop_map(|parts| said(&parts.concat())),
        1 => (causes, any::<bool>()).prop_map(|(cause, recoverable)| broken(cause, recoverable)),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let outcome = prop::sample::select(vec![None, Some(Outcome::Consensus), Some(Outcome::Stalemate)]);
    prop_oneof![
        1 => Just(Event::ThreadKnown("t".into())),
        4 => report().prop_map(Event::RoundEnded),
        3 => Just(Event::Replied(Claims::default())),
        1 => outcome.prop_map(Event::EndAsked),
    ]
}

/// The words that the tools' reference has, and no others.
fn is_in_the_reference(session: &Session, next: Next, reason: &str) -> bool {
    let judged = !session.skill().is_peer();
    match next {
        Next::Running => reason == "reviewer_running",
        Next::Respond => judged && (reason == "open_issues" || reason.starts_with("verdict_")),
        Next::CrossCheck => !judged && reason == "peer_verdict_is_advisory",
        Next::Done => (judged && reason == "approved") || reason == "stalemate",
        Next::AskUser => reason == "missing_verdict",
        Next::Stopped => reason == "recoverable_timeout" || BrokenCause::parse(reason).is_some(),
    }
}

proptest! {
    #[test]
    fn no_history_leads_elsewhere(at in 0..SUBJECTS.len(), events in prop::collection::vec(event(), 0..30)) {
        let (mut session, _) = Session::begin(SUBJECTS[at]);
        for event in events {
            let before = session.clone();
            let Ok((next, effects)) = session.step(event.clone()) else { continue };
            session = next;
            let running = session.rounds.iter().filter(|round| round.report.is_none()).count();
            prop_assert!(running <= 1 && session.is_running() == (running == 1));
            let launches = effects.iter().filter(|effect| matches!(effect, Effect::Launch { .. })).count();
            prop_assert_eq!(launches, session.rounds.len() - before.rounds.len());
            prop_assert!(before.ending.is_none() || session == before || matches!(event, Event::ThreadKnown(_)));
            let (word, reason) = session.next();
            prop_assert!(is_in_the_reference(&session, word, &reason), "{:?} {}", word, reason);
            let last = session.rounds.last().and_then(|round| round.report.as_ref());
            let approved = matches!(
                last,
                Some(Report::Completed(answer))
                    if answer.verdict.as_ref().is_some_and(|it| it.status == "APPROVE") && !answer.blocks()
            );
            prop_assert!(reason != "approved" || approved);
            prop_assert!(session.ending != Some(Ending::Finalized(Conclusion::Approve)) || approved);
        }
    }
}
