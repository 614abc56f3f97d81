//! Comments that turn a finding of another tool off and say why: `#nosec G402 -- only in tests`.
//!
//! Somebody looked at the place and wrote down what they saw. That is no proof, so the finding stays, one step lower.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use crate::source::Source;

/// Lines of a finding that are looked through.
const LINES_MAX: u32 = 12;
/// A shorter reason is none.
const REASON_BYTES_MIN: usize = 6;
/// What a compiled pattern may weigh.
const REGEX_BYTES_MAX: usize = 1 << 20;

/// Each with the reason as its group. A linter of style counts only where the rule that it names is one of security.
const COMMENT: &str = r"(?x)
    (?:\#|//|/\*|--|;|<!--|\{/\*) \s*
    (?:
        \#? nosec \b (?:[:\s]* [BG]\d{3} ,? )* [\s:\-]*
      | nosemgrep \b (?: :\s* [\w.\-]+ )? [\s:\-]*
      | NOSONAR \b (?: \( [\w:,\s]+ \) )? [\s:\-]*
      | (?:checkov|tfsec|trivy|kics|snyk) : (?:skip|ignore) [=:] [\w.\-]+ \s* [:\-]* \s*
      | nolint : \s* [\w,]* gosec [\w,]* \s* //+ \s*
      | noqa : \s* (?:[A-Z]+\d+ ,? \s*)* S\d{3} (?: ,? \s* [A-Z]+\d+)* [\s:\-\#]*
      | biome-ignore (?:-all|-start)? \s+ lint/security/\w+ \s* : \s*
      | eslint-disable (?:-next-line|-line)? \s+ [\w@/,\s\-]*? (?:security|no-eval|no-implied-eval|no-new-func|no-danger|no-unsanitized|no-unsafe|sql|xss|detect-) [\w@/,\s\-]*? \s -- \s*
      | rubocop:disable \s+ [\w/,\s]*? Security/\w+ [\w/,\s]*? \s -- \s*
    )
    (?P<reason>\S.*)
  | ^\s* \#pragma \s+ warning \s+ disable \s+ [\w,\s]*? (?:CA[235]\d{3}|SCS\d+|SYSLIB\d+) [\w,\s]*? // \s* (?P<pragma>\S.*)
";

/// The line of the comment that excuses what stands on the lines from `first` to `last`: on one of them, or right
/// before.
pub fn excusing_line(source: &Source<'_>, first: u32, last: u32) -> Option<u32> {
    let last = last.min(first.saturating_add(LINES_MAX));
    (first.saturating_sub(1).max(1)..=last).find(|number| excuses(source.line(*number)))
}

fn excuses(line: &[u8]) -> bool {
    static REGEX: LazyLock<Option<Regex>> =
        LazyLock::new(|| RegexBuilder::new(COMMENT).unicode(false).size_limit(REGEX_BYTES_MAX).build().ok());
    let captures = REGEX.as_ref().and_then(|regex| regex.captures(line));
    let reason = captures.and_then(|found| found.name("reason").or_else(|| found.name("pragma")));
    reason.is_some_and(|reason| {
        let letters = reason.as_bytes().iter().filter(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
        letters.count() >= REASON_BYTES_MIN
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments() {
        let check = |line: &str, expected: bool| assert_eq!(excuses(line.as_bytes()), expected, "{line}");
        check("InsecureSkipVerify: t, // #nosec G402 -- only set in tests", true);
        check("x = run(c, shell=True)  # nosec B602: the list is fixed", true);
        check("x = run(c, shell=True)  # noqa: S602 the list is fixed", true);
        check("{/* biome-ignore lint/security/noDangerouslySetInnerHtml: sanitized on the server */}", true);
        check("// eslint-disable-next-line react/no-danger -- sanitized on the server", true);
        check("#pragma warning disable CA5350 // The remote side is always SHA1.", true);
        check("eval(x) # rubocop:disable Security/Eval -- the text is ours", true);
        check("cidr = x #tfsec:ignore:aws-vpc-open the office only", true);
        check("x(); //nolint:gosec // the path is checked", true);
        check("x(); // NOSONAR the path is checked", true);
        check("x = run(c, shell=True)  # nosec", false);
        check("x = run(c, shell=True)  # nosec B602", false);
        check("// eslint-disable-next-line no-console -- for debugging", false);
        check("// eslint-disable-next-line react/no-danger", false);
        check("x = run(c)  # noqa: E501 the line is long", false);
        check("#pragma warning disable CS0168 // the name is used later", false);
        check("nosec is a word that stands in this text", false);
    }

    #[test]
    fn places() {
        let text = b"a\n# nosec B602: the list is fixed\nrun(\n  c)\nd\n";
        let source = Source::new("a.py", None, text, true);
        assert_eq!(excusing_line(&source, 3, 4), Some(2));
        assert_eq!(excusing_line(&source, 4, 4), None);
        assert_eq!(excusing_line(&source, 1, 1), None);
    }
}
