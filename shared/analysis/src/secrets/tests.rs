//! Every rule against its own examples, and what must hold for any text.

use std::collections::BTreeSet;

use super::catalog::{FILES, RuleFile, catalog};
use super::detector::{Engine, Entry};
use super::*;

/// Stands in the examples where other scanners would take offence.
const SPLIT: &str = "{}";

fn entries() -> Vec<(&'static str, Entry)> {
    let read = |(file, text): (&'static str, &str)| {
        let rules: RuleFile = toml::from_str(text).unwrap_or_else(|error| panic!("{file}: {error}"));
        rules.rule.into_iter().map(move |entry| (file, entry))
    };
    FILES.into_iter().flat_map(read).collect()
}

fn joined(example: &str) -> String {
    example.replacen(SPLIT, "", 2)
}

fn ids(text: &str) -> Vec<String> {
    scan_bytes(text.as_bytes()).into_iter().map(|secret| secret.rule.id.clone()).collect()
}

#[test]
fn rules_are_whole() {
    let mut seen = BTreeSet::new();
    for (file, entry) in entries() {
        let id = &entry.id;
        assert!(seen.insert(id.clone()), "{file}: {id} twice");
        assert!(!entry.matches.is_empty() && !entry.passes.is_empty(), "{file}: {id} lacks examples");
        assert!(entry.source.as_ref().is_none_or(|source| !source.is_empty()), "{file}: {id}");
        assert!(entry.keywords.iter().all(|keyword| keyword.len() >= 3), "{file}: {id} has a short keyword");
        assert_eq!(entry.engine == Engine::None, entry.keywords.is_empty(), "{file}: {id}");
    }
    assert!(seen.len() > 120, "{} rules", seen.len());
    for detector in &catalog().detectors {
        assert!(detector.engine != Engine::Pattern || detector.regex().is_some(), "{}", detector.rule.id);
    }
}

#[test]
fn examples_match_their_rule_alone() {
    let mut wrong = Vec::new();
    for (_, entry) in entries() {
        for example in &entry.matches {
            let found = ids(&joined(example));
            if found != [format!("secrets.{}", entry.id)] {
                wrong.push(format!("{}: {example} gave {found:?}", entry.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{} wrong", wrong.join("\n"), wrong.len());
}

#[test]
fn counterexamples_pass() {
    let mut wrong = Vec::new();
    for (_, entry) in entries() {
        for example in &entry.passes {
            let split = joined(example);
            let found: Vec<_> = [example, &split].into_iter().flat_map(|text| ids(text)).collect();
            if !found.is_empty() {
                wrong.push(format!("{}: {example} gave {found:?}", entry.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{} wrong", wrong.join("\n"), wrong.len());
}

#[test]
fn the_rules_are_quiet_on_themselves() {
    for (file, text) in FILES {
        let path = format!("shared/analysis/rules/secrets/{file}.toml");
        let hits = scan(&Source::new(&path, None, text.as_bytes(), true));
        let shown: Vec<_> = hits.iter().map(|hit| (&hit.rule.id, &text[hit.span.clone()])).collect();
        assert!(shown.is_empty(), "{file}: {shown:?}");
    }
}

mod masks {
    use super::*;

    fn check(text: &str, secrets: &[&str]) {
        let text = joined(text);
        let masked = String::from_utf8(mask(text.as_bytes()).into_owned()).expect("UTF-8");
        for secret in secrets {
            assert!(text.contains(secret), "{text} lacks {secret}");
            assert!(!masked.contains(secret), "{masked} keeps {secret}");
        }
        assert_eq!(masked.lines().count(), text.lines().count(), "{masked}");
        assert_eq!(mask(masked.as_bytes()), masked.as_bytes(), "not idempotent");
    }

    fn check_kept(text: &str) {
        assert_eq!(String::from_utf8_lossy(&mask(text.as_bytes())), text);
    }

    #[test]
    fn every_example() {
        for (_, entry) in entries() {
            for example in &entry.matches {
                let text = joined(example);
                let secrets: Vec<_> =
                    scan_bytes(text.as_bytes()).into_iter().map(|found| found.span).collect();
                let shown: Vec<_> = secrets.iter().map(|span| &text[span.clone()]).collect();
                check(&text, &shown);
            }
        }
    }

    #[test]
    fn what_is_not_reported() {
        check("password = \"changeme\"", &["changeme"]);
        check("  password: hunter\n", &["hunter"]);
        check("MY_SECRET=abc\n", &["abc"]);
        check("{\"token\": \"plain words here\"}", &["plain words here"]);
        check("postgres://user:password@localhost/x", &["password"]);
        check("key AK{}IAIOSFODNN7EXAMPLE", &["IOSFODNN7"]);
    }

    #[test]
    fn keys_cut_by_a_hunk() {
        let line = "q7Rk2mZ0Xv9LtB4sHn8WcY1pDf6GjKe3TuAaQwZ5xM7bPo0IrNyVhEgUlCiSdFkJ";
        check(
            &format!("+{line}\n+{line}\n+Q0vVtQ==\n+-----END {{}}RSA PRIVATE KEY-----\n"),
            &[line, "Q0vVtQ"],
        );
        check(&format!(" {line}\n {line}\n {line}\n@@ -1 +1 @@\n"), &[line]);
        check(&format!("-----BEGIN {{}}RSA PRIVATE KEY-----\n{line}\n{line}\n\nfn main() {{}}\n"), &[line]);
        let text = format!("-----BEGIN {{}}RSA PRIVATE KEY-----\r\n{line}\r\n{line}\r\nQ0vVtQ==\r\n");
        check(&text, &[line, "Q0vVtQ"]);
    }

    #[test]
    fn a_secret_that_recurs() {
        check("password = \"kT8q{}Pz1xWm\"\nlogin(\"kT8q{}Pz1xWm\")\n", &["kT8qPz1xWm"]);
    }

    #[test]
    fn code_stays() {
        check_kept("password = os.environ[\"DB_PASSWORD\"]\n");
        check_kept("let token = tokens.next();\n");
        check_kept("password: ${DB_PASSWORD}\n");
        check_kept("fn check(password: &str, token: String) -> bool {\n");
        check_kept("interface A { password: string; token?: string }\n");
        check_kept("if password == expected {\n    return Err(Token::Bad);\n}\n");
        check_kept("connect(password=password, token=token)\n");
        check_kept("headers = {\"Authorization\": f\"Bearer {token}\"}\n");
        check_kept("permissions:\n  id-token: write\n");
        check_kept("struct A {\n    api_key: Option<String>,\n    new_token: &'a Setting<T>,\n}\n");
        check_kept("runesPerToken = 1\nmaxToken = 4_096\nyytoken = -1\ntoken = 0\n");
        check_kept("secrets = authCookieSecret1 + authCookieSecret2\n");
        check_kept("x = f\"http://{user[:10]}...@{ip}:{port}\"\n");
        check("String password1 = \"password1\";\nf(password1);\n", &["\"password1\""]);
    }
}

mod reports {
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let text = joined(text);
        let hits = scan(&Source::new(path, None, text.as_bytes(), true));
        let shown: Vec<_> = hits.iter().map(|hit| format!("{} {}", hit.rule.id, hit.rule.severity)).collect();
        assert_eq!(shown, expected, "{path}: {text}");
    }

    #[test]
    fn the_place_matters_for_names_only() {
        let password = "password = \"kT8q{}Pz1xWm\"";
        check("src/db.py", password, &["secrets.generic-password medium"]);
        check("tests/test_db.py", password, &["secrets.generic-password low"]);
        check("web/locales/de.json", password, &[]);
        check("src/db.py", "password: kT8q{}Pz1xWm", &[]);
        check("deploy/db.yaml", "password: kT8q{}Pz1xWm", &["secrets.generic-password medium"]);
        check("config/app.yaml", "a:\n  example:\n    password: kT8q{}Pz1xWm", &[]);
        check("docs/api-reference/a.yaml", "token: 'q8Zt2LmX0v{}B7nR4kYd1W'", &[]);
        check("docs/a.yaml", "token: 'q8Zt2LmX0v{}B7nR4kYd1W'", &["secrets.generic-token low"]);
        check("docs/openapi.yaml", "k: AK{}IAIOSFODNN7EXAMPLX", &["secrets.aws-access-key-id high"]);
        check("tests/a.py", "k = 'AK{}IAIOSFODNN7EXAMPLX'", &["secrets.aws-access-key-id high"]);
        check("yarn.lock", "k AK{}IAIOSFODNN7EXAMPLX", &["secrets.aws-access-key-id high"]);
    }

    #[test]
    fn spans_are_the_secret() {
        let text = joined("x = \"AK{}IAIOSFODNN7EXAMPLX\"");
        let found = scan_bytes(text.as_bytes());
        assert_eq!(&text[found[0].span.clone()], joined("AK{}IAIOSFODNN7EXAMPLX"));
    }

    #[test]
    fn one_long_line_is_linear_and_bounded() {
        let key = joined("AK{}IAQ2RT5UXW3EYZ7MNP");
        let unit = format!("var a=\"eyJ.eyJ.\";b:\"{key}\",password:function(){{return token}},sk-://:@");
        let text = unit.repeat((1 << 20) / unit.len());
        assert_eq!(scan_bytes(text.as_bytes()).len(), HITS_MAX);
        assert!(!mask(text.as_bytes()).windows(key.len()).any(|window| window == key.as_bytes()));
    }
}

/// Each of these once made some rule look at the whole line for each keyword.
#[test]
fn texts_made_to_resist_end() {
    let begin = joined("-----BEGIN {}RSA PRIVATE KEY-----");
    let end = joined("-----END {}RSA PRIVATE KEY-----");
    for unit in
        [&begin, &end, "eyJ.", "://a:b@", "password=\"", "\"private_key\": \"", " fm2_", "server=a;password="]
    {
        let text = unit.repeat((1 << 15) / unit.len());
        assert!(scan_bytes(text.as_bytes()).len() <= HITS_MAX, "{unit}");
        assert!(mask(text.as_bytes()).split(|byte| *byte == b'\n').count() == 1, "{unit}");
    }
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    fn pieces() -> impl Strategy<Value = Vec<u8>> {
        let examples: Vec<String> =
            entries().into_iter().flat_map(|(_, entry)| entry.matches).map(|text| joined(&text)).collect();
        let glue = "[ \\n\\r\"'=:,;/@A-Za-z0-9_\\[\\]{}+-]{0,12}";
        let piece = prop_oneof![
            3 => proptest::sample::select(examples).prop_map(String::into_bytes),
            1 => glue.prop_map(String::into_bytes),
            1 => proptest::collection::vec(any::<u8>(), 0..12),
        ];
        proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

    fn newlines(text: &[u8]) -> usize {
        text.split(|byte| *byte == b'\n').count()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn nothing_of_a_secret_remains(text in pieces()) {
            let masked = mask(&text).into_owned();
            for secret in scan_bytes(&text) {
                let is_quiet = secret.rule.severity == prevet_domain::finding::Severity::Low;
                let bytes = &text[secret.span];
                if is_quiet && masking::could_be_name(bytes) {
                    continue;
                }
                prop_assert!(!masked.windows(bytes.len()).any(|window| window == bytes));
            }
            prop_assert_eq!(newlines(&masked), newlines(&text));
            prop_assert_eq!(mask(&masked).into_owned(), masked.clone());
            prop_assert!(scan_bytes(&masked).is_empty());
        }

        #[test]
        fn no_bytes_panic(text in proptest::collection::vec(any::<u8>(), 0..2_000)) {
            let masked = mask(&text);
            prop_assert_eq!(newlines(&masked), newlines(&text));
        }
    }
}

#[test]
fn words_of_secrets_in_texts_are_no_values() {
    let texts = [
        r#"print("Enter password:", end="")"#,
        r#"{"Enter your password:": "x"}"#,
        "class A\n  has_secure_token :token\n  has_secure_password :recovery_password\nend\n",
        "url = '/index.php?user_token=' + f('user_token')",
        "\"Your password:\": \"x\"\n",
        "'password' => ['required', 'min:16', 'confirmed'],",
    ];
    for text in texts {
        assert_eq!(String::from_utf8_lossy(&super::mask(text.as_bytes())), text);
    }
}

#[test]
fn a_long_line_of_assignments_is_masked_whole() {
    let line = "password=\"hunter2x\",".repeat(3_000);
    let masked = super::mask(line.as_bytes());
    assert!(!String::from_utf8_lossy(&masked).contains("hunter2x"));
    assert!(super::scan_bytes(line.as_bytes()).is_empty());
}
