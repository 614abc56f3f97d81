//! Requests, lots and reuse, as tables.

use super::canonical::Canonical;
use super::freshness::freshness;
use super::lot::{Actor, Answer, Lot, LotError, State};
use super::record::{Correction, CorrectionError, Decision, Outcome, Verb, Way};
use super::request::{Choice, Request, RequestError, Scope};
use super::reuse::{Candidate, Obstacle, Wanted, joins, judge_all};
use super::synonyms::Synonyms;
use crate::ids::{DecisionId, LotId, RepositoryName, TenantKey};
use crate::limits::LOT_IDLE_SECONDS;

const NOW: u64 = 1_800_000_000;

fn words(text: &str) -> Vec<String> {
    text.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn scope(concepts: &str, files: &str, repository: Option<&str>) -> Scope {
    let repository = repository.map(|name| RepositoryName::parse(name).unwrap());
    Scope::parse(&words(concepts), &words(files), repository).unwrap()
}

fn choices(values: &str) -> Vec<Choice> {
    let choice = |value: String| Choice { label: value.to_uppercase(), value, consequence: None };
    words(values).into_iter().map(choice).collect()
}

fn request(question: &str, values: &str) -> Request {
    Request::parse(question, choices(values), None, Scope::default()).unwrap()
}

fn lot(values: &str) -> Lot {
    Lot::open(LotId::parse("lot_1").unwrap(), "k1", "h".to_owned(), request("Use Redis?", values), NOW)
}

fn actor() -> Actor {
    Actor { by: "key_1".to_owned(), at: NOW, way: Way::Terminal }
}

fn decision(id: &str, question: &str, answer: &str, scope: Scope) -> Decision {
    let request = Request::parse(question, Vec::new(), None, scope).unwrap();
    let lot = Lot::open(LotId::parse("lot_1").unwrap(), "k", "h".to_owned(), request, NOW);
    lot.answered(DecisionId::parse(id).unwrap(), &Answer::Text(answer.to_owned()), &actor()).unwrap().1
}

fn corrected(decision: &Decision, verb: Verb, expires_at: Option<u64>) -> Decision {
    decision.corrected(Correction { verb, by: "key_1".to_owned(), at: NOW, expires_at }).unwrap()
}

#[test]
fn requests_are_checked() {
    let parse =
        |question: &str, choices: Vec<Choice>| Request::parse(question, choices, None, Scope::default());
    let check = |outcome: Result<Request, RequestError>, expected: &str| {
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains(expected), "{error:?} lacks {expected:?}");
    };
    check(parse("  ", Vec::new()), "question is empty");
    check(parse(&"x".repeat(10_000), Vec::new()), "10000 characters; the limit is 2000");
    let fifty: Vec<String> = (0..50).map(|at| format!("o{at}")).collect();
    check(parse("Which?", choices(&fifty.join(","))), "50 options; the limit is 20");
    check(parse("Which?", choices("a,b,A")), "\"A\" twice");
    check(parse("Which?", choices("a, ")), "option's label is empty");
    let many: Vec<String> = (0..21).map(|at| at.to_string()).collect();
    assert!(Scope::parse(&many, &[], None).unwrap_err().to_string().contains("21 concepts"));
    let long = Scope::parse(&[], &vec!["é".repeat(1_000); 1], None).unwrap();
    let large = (0..20).map(|at| Choice {
        label: format!("{at}{}", "é".repeat(480)),
        value: at.to_string(),
        consequence: Some("é".repeat(500)),
    });
    check(Request::parse("Which?", large.collect(), None, long), "bytes of text; the limit is 32768");
}

#[test]
fn the_stable_key_is_the_requests_own() {
    let tenant = TenantKey::parse("t").unwrap();
    let key = |question: &str, values: &str, concepts: &str, files: &str, tenant: &TenantKey| {
        Request::parse(question, choices(values), None, scope(concepts, files, None))
            .unwrap()
            .stable_key(tenant)
    };
    let first = key("Use Redis?", "a,b", "x,y", "f", &tenant);
    assert_eq!(first, key("  use   REDIS?", "b,a", "Y,x,x", "f", &tenant));
    for other in [
        key("Use Redis", "a,b", "x,y", "f", &tenant),
        key("Use Redis?", "a", "x,y", "f", &tenant),
        key("Use Redis?", "a,b", "x", "f", &tenant),
        key("Use Redis?", "a,b", "x,y", "", &tenant),
        key("Use Redis?", "a,b", "x,y", "f", &TenantKey::parse("u").unwrap()),
        key("Use Redis?", "", "a,b,x,y", "f", &tenant),
    ] {
        assert_ne!(first, other);
    }
}

#[test]
fn who_answers_first_wins() {
    let lot = lot("yes,no");
    let id = || DecisionId::parse("dec_1").unwrap();
    let option = |value: &str| Answer::Option(value.to_owned());
    let (closed, record) = lot.answered(id(), &option("YES"), &actor()).unwrap();
    assert_eq!((record.answer(), closed.version), (Some("yes"), 1));
    assert_eq!(closed.state, State::Answered { decision: id() });
    let late = closed.answered(id(), &option("no"), &actor()).unwrap_err();
    assert_eq!(late, LotError::Closed(closed.state.clone()));
    assert!(
        lot.answered(id(), &option("maybe"), &actor())
            .unwrap_err()
            .to_string()
            .contains("none of the options: yes, no")
    );
    assert_eq!(lot.answered(id(), &Answer::Text("No".into()), &actor()).unwrap().1.answer(), Some("no"));
    let free = self::lot("");
    assert_eq!(free.answered(id(), &option("x"), &actor()).unwrap_err(), LotError::NoOptions);
    assert!(free.answered(id(), &Answer::Text(" ".into()), &actor()).is_err());
    let (gone, record) = lot.dismissed(id(), Some("not ours"), &actor()).unwrap();
    assert_eq!(record.outcome, Outcome::Dismissed(Some("not ours".to_owned())));
    assert!(gone.dismissed(id(), None, &actor()).is_err());
    assert_eq!(gone.reopened(NOW).unwrap().state, State::Open);
    assert_eq!(lot.reopened(NOW).unwrap_err(), LotError::Open);
}

#[test]
fn a_lot_that_nobody_asks_for_expires() {
    let lot = lot("");
    let late = Actor { at: NOW + LOT_IDLE_SECONDS, ..actor() };
    let id = DecisionId::parse("dec_1").unwrap();
    assert_eq!(lot.answered(id.clone(), &Answer::Text("x".into()), &late).unwrap_err(), LotError::Expired);
    let again = lot.joined("k1", "Use Redis?", NOW + 1_000, 60).unwrap();
    assert!(again.answered(id, &Answer::Text("x".into()), &late).is_ok());
    assert_eq!(lot.joined("k1", "Use Redis?", NOW + 10, 60), None, "no news");
    assert_eq!(lot.joined("k2", "Redis?", NOW, 60).unwrap().asks.len(), 2);
}

#[test]
fn a_lot_is_split_by_its_asks() {
    let lot = lot("").joined("k2", "Do we use redis?", NOW, 60).unwrap();
    let id = || LotId::parse("lot_2").unwrap();
    let (old, new) = lot.split(&["k1".to_owned()], id(), "h", NOW + 5).unwrap();
    assert_eq!(
        (old.request.question.as_str(), new.request.question.as_str()),
        ("Do we use redis?", "Use Redis?")
    );
    assert_eq!((old.asks.len(), new.asks.len(), new.opened_at), (1, 1, NOW));
    assert_eq!(lot.split(&[], id(), "h", NOW).unwrap_err(), LotError::NothingToSplit(2));
    let both = ["k1".to_owned(), "k2".to_owned()];
    assert_eq!(lot.split(&both, id(), "h", NOW).unwrap_err(), LotError::NothingToSplit(2));
    assert_eq!(lot.split(&["k9".to_owned()], id(), "h", NOW).unwrap_err(), LotError::UnknownAsk("k9".into()));
}

/// What becomes of `decisions` for a request.
fn judged(
    decisions: &[Decision],
    question: &str,
    options: &str,
    scope: &Scope,
    now: u64,
) -> Vec<Result<(), Obstacle>> {
    let none = Synonyms::default();
    let candidate = |decision: &Decision| Candidate {
        form: Canonical::of(&decision.question, &none),
        freshness: freshness(decision.receipt.at, now, None),
        decision: decision.clone(),
    };
    let candidates: Vec<Candidate> = decisions.iter().map(candidate).collect();
    let form = Canonical::of(question, &none);
    judge_all(&candidates, &Wanted { form: &form, options: &words(options), scope, now })
}

#[test]
fn what_stands_in_the_way_of_reuse() {
    let asked = "Do we use Redis?";
    let plain = decision("dec_1", "Should we use Redis?", "yes", scope("cache,db", "", Some("o/a")));
    let (all, own) = (Scope::default(), scope("cache", "", None));
    let check = |decision: &Decision, scope: &Scope, options: &str, expected: Result<(), Obstacle>| {
        assert_eq!(
            judged(std::slice::from_ref(decision), asked, options, scope, NOW),
            [expected],
            "{scope:?} {options}"
        );
    };
    check(&plain, &own, "", Ok(()));
    check(&plain, &own, "no,YES", Ok(()));
    check(&plain, &own, "a,b", Err(Obstacle::NoOption));
    check(&plain, &scope("cache,ui", "", None), "", Err(Obstacle::Scope));
    // Whoever names nothing asks for everything.
    check(&plain, &all, "", Err(Obstacle::Scope));
    check(&plain, &scope("cache", "a.rs", None), "", Ok(()));
    let of_file = decision("dec_1", "Should we use Redis?", "yes", scope("cache", "a.rs", None));
    check(&of_file, &own, "", Err(Obstacle::Scope));
    let wrong = corrected(&plain, Verb::Wrong, None);
    check(&wrong, &own, "", Err(Obstacle::Retracted));
    let narrow = corrected(&plain, Verb::TooBroad, None);
    check(&narrow, &scope("db", "", None), "", Ok(()));
    let unscoped = decision("dec_1", "Should we use Redis?", "yes", all.clone());
    check(&unscoped, &own, "", Ok(()));
    check(&corrected(&unscoped, Verb::TooBroad, None), &own, "", Err(Obstacle::Scope));
    check(&corrected(&unscoped, Verb::TooBroad, None), &all, "", Err(Obstacle::Scope));
    let here = corrected(&plain, Verb::OnlyThisRepo, None);
    check(&here, &scope("cache", "", Some("o/a")), "", Ok(()));
    check(&here, &scope("cache", "", Some("o/b")), "", Err(Obstacle::Repository));
    check(&here, &own, "", Err(Obstacle::Repository));
    check(&corrected(&plain, Verb::AskNextTime, None), &own, "", Err(Obstacle::ConfirmNext));
    let ends = corrected(&plain, Verb::ExpiresAfter, Some(NOW + 1));
    check(&ends, &own, "", Ok(()));
    assert_eq!(judged(&[ends], asked, "", &own, NOW + 1), [Err(Obstacle::Expired)]);
    let late = NOW + 4 * 365 * 24 * 60 * 60;
    assert_eq!(judged(std::slice::from_ref(&plain), asked, "", &own, late), [Err(Obstacle::Stale)]);
    let dismissed = Decision { outcome: Outcome::Dismissed(None), ..plain };
    assert_eq!(judged(&[dismissed], asked, "", &own, late), [Ok(())]);
}

#[test]
fn what_says_too_little_is_not_known_again() {
    let check = |asked: &str, own: &Scope, theirs: &Scope, expected: Result<(), Obstacle>| {
        let known = decision("dec_1", asked, "yes", own.clone());
        assert_eq!(judged(&[known], asked, "", theirs, NOW), [expected], "{asked}");
    };
    let (all, file) = (Scope::default(), scope("", "prod.tf", None));
    for vague in ["Should I proceed?", "Fix it?", "Shall we continue with this?", "Delete it?"] {
        check(vague, &all, &file, Err(Obstacle::Vague));
        check(vague, &all, &all, Err(Obstacle::Vague));
        check(vague, &file, &file, Ok(()));
    }
    check("Do we use Redis?", &all, &all, Ok(()));
    check("Delete the cache?", &all, &file, Ok(()));
}

#[test]
fn a_later_answer_that_is_not_offered_takes_the_earlier_one_out() {
    let all = Scope::default();
    let first = decision("dec_1", "Should we use Redis?", "yes", all.clone());
    let later = decision("dec_2", "Do we use Redis?", "leave it", all.clone());
    let outcomes = judged(&[first, later], "Do we use Redis?", "yes,no", &all, NOW);
    assert_eq!(outcomes, [Err(Obstacle::Superseded), Err(Obstacle::NoOption)]);
}

#[test]
fn a_later_decision_takes_the_place_of_earlier_ones() {
    let all = Scope::default();
    let first = decision("dec_1", "Should we use Redis?", "yes", all.clone());
    let later = decision("dec_2", "Do we use Redis?", "no", all.clone());
    let check = |decisions: &[Decision], expected: &[Result<(), Obstacle>]| {
        assert_eq!(judged(decisions, "Do we use Redis?", "", &all, NOW), expected);
    };
    check(&[first.clone(), later.clone()], &[Err(Obstacle::Superseded), Ok(())]);
    // The answer before a wrong one does not come back.
    check(
        &[first.clone(), corrected(&later, Verb::Wrong, None)],
        &[Err(Obstacle::Superseded), Err(Obstacle::Retracted)],
    );
    let same = decision("dec_3", "Do we use Redis?", "Yes", all.clone());
    check(&[first, same], &[Ok(()), Ok(())]);
}

#[test]
fn corrections_are_checked() {
    let plain = decision("dec_1", "Use Redis?", "yes", Scope::default());
    let correct =
        |verb, expires_at| plain.corrected(Correction { verb, by: "k".to_owned(), at: NOW, expires_at });
    assert_eq!(correct(Verb::ExpiresAfter, None).unwrap_err(), CorrectionError::NoExpiry);
    assert_eq!(correct(Verb::Wrong, Some(1)).unwrap_err(), CorrectionError::NeedlessExpiry);
    assert_eq!(correct(Verb::ExpiresAfter, Some(NOW)).unwrap_err(), CorrectionError::PastExpiry);
    assert_eq!(correct(Verb::OnlyThisRepo, None).unwrap_err(), CorrectionError::NoRepository);
    let twice = corrected(&corrected(&plain, Verb::Wrong, None), Verb::TooBroad, None);
    assert_eq!((twice.corrections.len(), twice.limits.retracted, twice.limits.own_scope), (2, true, true));
}

#[test]
fn requests_join_a_lot_that_asks_the_same() {
    let none = Synonyms::default();
    let check = |question: &str, options: &str, scope: &Scope, expected: bool| {
        let form = Canonical::of(question, &none);
        let wanted = Wanted { form: &form, options: &words(options), scope, now: NOW };
        let lot_scope = self::scope("cache", "", Some("o/a"));
        let lot = Canonical::of("Should we use Redis in staging?", &none);
        assert_eq!(
            joins(&lot, &words("yes,no"), &lot_scope, &wanted),
            expected,
            "{question} {options} {scope:?}"
        );
    };
    let all = Scope::default();
    check("Do we use redis in the staging env?", "yes,no", &all, true);
    check("Do we use redis in staging?", "No,yes", &all, true);
    check("Do we use redis in production?", "yes,no", &all, false);
    check("Do we use redis in staging?", "", &all, false);
    check("Do we use redis in staging?", "yes,no", &scope("ui", "", None), false);
    check("Do we use redis in staging?", "yes,no", &scope("ui,cache", "", None), true);
    check("Do we use redis in staging?", "yes,no", &scope("", "", Some("o/b")), false);
}
