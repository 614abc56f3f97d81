use super::*;

fn line(remote_ref: &str) -> PushLine {
    PushLine {
        local_ref: "HEAD".into(),
        local_id: Some("local".into()),
        remote_ref: remote_ref.into(),
        remote_id: None,
    }
}

#[test]
fn lines_are_cut_from_the_right() {
    let (one, zero) = ("1".repeat(40), "0".repeat(40));
    let check = |text: String, local_ref: &str, deletes: bool, is_new: bool| {
        let lines = parse_push_lines(text.as_bytes()).unwrap();
        assert_eq!(lines.len(), 1, "{text:?}");
        let shown = (lines[0].local_ref.as_str(), lines[0].local_id.is_none(), lines[0].remote_id.is_none());
        assert_eq!(shown, (local_ref, deletes, is_new), "{text:?}");
    };
    check(format!("refs/heads/x {one} refs/heads/x {zero}\n"), "refs/heads/x", false, true);
    check(format!("HEAD@{{1 day ago}} {one} refs/heads/x {one}\n"), "HEAD@{1 day ago}", false, false);
    check(format!("(delete) {zero} refs/heads/x {one}"), "(delete)", true, false);
    let (one, zero) = ("1".repeat(64), "0".repeat(64));
    check(format!("x {one} refs/heads/x {zero}\n"), "x", false, true);
    assert!(parse_push_lines(b"").unwrap().is_empty());
    for bad in ["x", "a b c d", "refs/heads/x 12 refs/heads/x 34"] {
        assert!(parse_push_lines(bad.as_bytes()).is_err(), "{bad}");
    }
}

#[test]
fn bases() {
    let facts = PushFacts {
        commit: Some("tip".into()),
        remote_commit: Some("remote".into()),
        is_target: false,
        merge_base: Some("base".into()),
        boundary: Some("boundary".into()),
        empty_tree: "empty".into(),
    };
    let check = |name: &str, change: &dyn Fn(&mut PushFacts), expected: &str| {
        let mut facts = facts.clone();
        change(&mut facts);
        let shown = match decide(&line(name), &facts) {
            Decision::Review { base, commit, .. } => format!("{base}..{commit}"),
            Decision::Skip(reason) => reason.to_string(),
        };
        assert_eq!(shown, expected, "{name} {facts:?}");
    };
    check("refs/heads/x", &|_| {}, "base..tip");
    check("refs/tags/v1", &|_| {}, "base..tip");
    check("refs/heads/main", &|facts| facts.is_target = true, "remote..tip");
    let gone = |facts: &mut PushFacts| facts.remote_commit = None;
    check("refs/heads/main", &|facts| (gone(facts), facts.is_target = true).0, "base..tip");
    check("refs/heads/x", &|facts| facts.merge_base = None, "remote..tip");
    check("refs/heads/x", &|facts| (gone(facts), facts.merge_base = None).0, "boundary..tip");
    let nothing = |facts: &mut PushFacts| {
        *facts =
            PushFacts { commit: facts.commit.take(), empty_tree: "empty".into(), ..PushFacts::default() };
    };
    check("refs/heads/x", &nothing, "empty..tip");
    check(
        "refs/heads/x",
        &|facts| facts.merge_base = facts.commit.clone(),
        "brings no commit that is not there already",
    );
    check("refs/tags/blob", &|facts| facts.commit = None, "names no commit");
    check("refs/notes/commits", &|_| {}, "is neither a branch nor a tag");
}

#[test]
fn a_deletion_is_skipped() {
    let deletion = PushLine { local_id: None, ..line("refs/heads/x") };
    assert_eq!(decide(&deletion, &PushFacts::default()), Decision::Skip(NothingToReview::Deleted));
}
