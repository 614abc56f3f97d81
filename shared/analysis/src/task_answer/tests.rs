use bytes::Bytes;
use prevet_domain::change::parse;
use prevet_domain::task::Standing;

use super::*;
use crate::prompt::masked::masked;

const TASK: &str = "Show a greeting.\nThe name comes from the  profile.\n\n## Acceptance criteria\n- says hello\n\
                    - in Dutch too\n\n## Environment\n- linux\n- [ ] is documented\n";

fn shown() -> Shown {
    let text = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,5 @@\n def f():\n-    return 1\n\
                +    greet(profile.name)\n+    }\n+    # greeting is finished\n+    note = 'greeting is finished'\n";
    Shown::of(&masked(&parse(&Bytes::from(text)).unwrap(), |_| true))
}

#[test]
fn requirements_are_quotes() {
    let told = |answer: &str, expected: Option<&[&str]>, complete: bool| {
        let what = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect();
        let expected = expected.map(|it| Told { what: what(it), complete });
        assert_eq!(requirements(answer, TASK), expected, "{answer}");
    };
    let check = |answer: &str, expected| told(answer, expected, true);
    let two = Some(&["Show a greeting.", "the name comes from the profile."][..]);
    let json = r#"{"requirements": ["Show a greeting.", "the name comes from the profile.", "Be fast."]}"#;
    check(json, two);
    check(&format!("Here:\n```json\n{json}\n```\nbye"), two);
    check(&serde_json::to_string(json).unwrap(), two);
    told(&json[..json.len() - 5], two, false);
    check(r#"[{"requirement": "says hello"}, {"quote": "invented"}]"#, Some(&["says hello"]));
    check(r#"{"requirements": []}"#, Some(&[]));
    check("I think it is all done.", None);
    check("", None);
    check("{\"requirements\": 7}", None);
}

#[test]
fn lists_of_the_task_are_not_forgotten() {
    assert_eq!(listed_requirements(TASK), ["says hello", "in Dutch too", "is documented"]);
    let all = united(vec!["Page says hello".into()], listed_requirements(TASK));
    assert_eq!(all, ["Page says hello", "in Dutch too", "is documented"]);
}

#[test]
fn judgements_are_distrusted() {
    let one = |answer: &str| judgements(answer, 2, &shown()).and_then(|mut told| told.what.remove(&1));
    let standing = |answer: &str| one(answer).map(|it| it.standing);
    let of = |status: &str, evidence: &str| {
        format!(r#"{{"judgements": [{{"number": 1, "status": "{status}", "evidence": {evidence}}}]}}"#)
    };
    let check = |status: &str, evidence: &str, expected| {
        assert_eq!(standing(&of(status, evidence)), Some(expected), "{status} {evidence}");
    };
    check("DONE", r#"[{"file": "a.py", "quote": "2 + greet(profile.name)"}]"#, Standing::Done);
    check("done", r#"["greet( profile.name )"]"#, Standing::Done);
    check("DONE", r#"[{"file": "a.py", "quote": "return 1"}]"#, Standing::Done);
    check("DONE", r#"[{"file": "b.py", "quote": "greet(profile.name)"}]"#, Standing::Partial);
    check("DONE", r#"[{"file": "a.py", "quote": "def f():"}]"#, Standing::Partial);
    check("DONE", r#"[{"file": "a.py", "quote": "}"}]"#, Standing::Partial);
    check("DONE", r#"[{"file": "a.py", "quote": "greet(profile.name)\nlog(profile)"}]"#, Standing::Partial);
    check("DONE", r##"["# greeting is finished"]"##, Standing::Partial);
    check("DONE", r#"["greeting is finished"]"#, Standing::Partial);
    check("DONE", "[]", Standing::Partial);
    check("PARTIALLY", "[]", Standing::Partial);
    check("fertig", r#"["greet(profile.name)"]"#, Standing::NotDone);
    assert_eq!(standing(r#"{"judgements": [{"number": 9, "status": "DONE"}]}"#), None);
    assert_eq!(standing("All requirements are DONE."), None);
    let evidence = one(&of("DONE", r#"["greet(profile.name)"]"#)).unwrap().evidence;
    assert_eq!((evidence[0].file.as_str(), evidence[0].line), ("a.py", 2));
}
