//! A marked block of lines in a file that belongs to somebody else: put in, renewed, cut out again so that not
//! one other byte changes.

use std::ops::Range;

/// How the block's first line starts; its version follows.
const BEGIN: &[u8] = b"# >>> prevet v";
const END: &[u8] = b"# <<< prevet <<<";

/// The block as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// There is none.
    Nothing,
    /// Its bytes, line ends included, and its version.
    Block(Range<usize>, u32),
    /// It begins and never ends.
    Broken,
}

/// Looks for the block; line ends may have become CRLF since it was written.
pub(super) fn find(text: &[u8]) -> Found {
    let mut begin = None;
    let mut at = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let bare = line.trim_ascii_end();
        match begin {
            None if bare.starts_with(BEGIN) => begin = Some((at, version(&bare[BEGIN.len()..]))),
            Some((start, version)) if bare == END => return Found::Block(start..at + line.len(), version),
            _ => {}
        }
        at += line.len();
    }
    if begin.is_some() { Found::Broken } else { Found::Nothing }
}

/// The number at the start of `text`; 0 where there is none.
pub(super) fn version(text: &[u8]) -> u32 {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number: u32, digit| number.saturating_mul(10).saturating_add(u32::from(digit - b'0')))
}

/// `text` with `block` (whole lines) at `at`, a line's start or the end of the text. Behind an unfinished last
/// line the block brings the line end before it and leaves its own out, which [`cut`] undoes.
pub(super) fn insert(text: &[u8], at: usize, block: &str) -> Vec<u8> {
    let (before, after) = text.split_at(at);
    if before.last().is_some_and(|byte| *byte != b'\n') {
        return [before, b"\n", block.trim_end().as_bytes(), after].concat();
    }
    [before, block.as_bytes(), after].concat()
}

/// `text` with the block at `range` renewed in its place.
pub(super) fn renew(text: &[u8], range: &Range<usize>, block: &str) -> Vec<u8> {
    let unfinished = text[range.clone()].last() != Some(&b'\n');
    let block = if unfinished { block.trim_end() } else { block };
    [&text[..range.start], block.as_bytes(), &text[range.end..]].concat()
}

/// `text` without the block at `range`.
pub(super) fn cut(text: &[u8], range: &Range<usize>) -> Vec<u8> {
    let unfinished = text[range.clone()].last() != Some(&b'\n');
    let start = if unfinished { range.start.saturating_sub(1) } else { range.start };
    [&text[..start], &text[range.end..]].concat()
}

/// Where the block goes in a shell script: behind the shebang, and behind the line by which husky 8 runs the
/// file a second time (before it, the block would run twice). Never at the end, which a script that ends in
/// `exit 0` or `exec` does not reach.
pub(super) fn place_in_shell(text: &[u8]) -> usize {
    let mut at = 0;
    let mut place = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let is_shebang = at == 0 && line.starts_with(b"#!");
        at += line.len();
        if is_shebang || sources_husky(line) {
            place = at;
        }
    }
    place
}

fn sources_husky(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let sources = line.starts_with(b". ") || line.starts_with(b"source ");
    sources && line.windows(10).any(|part| part == b"_/husky.sh")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "# >>> prevet v1 >>> note\nbody\n# <<< prevet <<<\n";

    #[test]
    fn what_goes_in_comes_out() {
        let check = |text: &str, expected: &str| {
            let with = insert(text.as_bytes(), place_in_shell(text.as_bytes()), BLOCK);
            assert_eq!(String::from_utf8_lossy(&with), expected, "{text:?}");
            let Found::Block(range, 1) = find(&with) else { panic!("no block in {text:?}") };
            assert_eq!(renew(&with, &range, BLOCK), with, "{text:?}");
            assert_eq!(cut(&with, &range), text.as_bytes(), "{text:?}");
        };
        check("", BLOCK);
        check("npm test\n", &format!("{BLOCK}npm test\n"));
        check("npm test", &format!("{BLOCK}npm test"));
        check("#!/bin/sh\nexec x\n", &format!("#!/bin/sh\n{BLOCK}exec x\n"));
        check("#!/bin/sh\r\nexit 0\r\n", &format!("#!/bin/sh\r\n{BLOCK}exit 0\r\n"));
        check("#!/bin/sh", &format!("#!/bin/sh\n{}", BLOCK.trim_end()));
        let husky = "#!/usr/bin/env sh\n. \"$(dirname -- \"$0\")/_/husky.sh\"\n";
        check(&format!("{husky}\nnpm test"), &format!("{husky}{BLOCK}\nnpm test"));
        check(husky.trim_end(), &format!("{husky}{}", BLOCK.trim_end()));
    }

    #[test]
    fn finds_what_editors_made_of_it() {
        let crlf = format!("a\r\n{}b\r\n", BLOCK.replace('\n', "\r\n"));
        let Found::Block(range, 1) = find(crlf.as_bytes()) else { panic!("not found") };
        assert_eq!(cut(crlf.as_bytes(), &range), b"a\r\nb\r\n");
        assert_eq!(find(b"# >>> prevet v12 >>>\nx\n"), Found::Broken);
        assert_eq!(find(b"echo '# >>> prevet v1 >>>'\n"), Found::Nothing);
        assert!(matches!(find(b"# >>> prevet v12 >>>\n# <<< prevet <<<"), Found::Block(_, 12)));
    }
}
