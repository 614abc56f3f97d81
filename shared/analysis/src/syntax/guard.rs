//! Texts that the grammars' C scanners must not see.
//!
//! A scanner keeps its state in 1,024 bytes. The ones for YAML, Python and Ruby check that bound before the last
//! write instead of after it, and past it they abort the process, so the state is estimated here first, from
//! above.

use crate::language::Language;

/// Open blocks; the YAML scanner holds 253, the Python one some 380.
const OPEN_BLOCKS_MAX: usize = 240;

/// Bytes of open here-documents' names; the Ruby scanner holds 1,020.
const OPEN_HEREDOC_BYTES_MAX: usize = 800;

/// One here-document's name; the Ruby scanner counts its bytes in 8 bits.
const HEREDOC_NAME_BYTES_MAX: usize = 200;

/// Globs and redirections in one line; the shell parser looks at the rest of the line for each of them.
const GLOBS_IN_LINE_MAX: usize = 500;

/// Open brackets in a shell script, whose parser takes ever longer with them.
const OPEN_BRACKETS_MAX: usize = 400;

/// Whether a scanner could run out of its state, or out of time.
pub(super) fn overflows_scanner(language: Language, text: &str) -> bool {
    match language {
        Language::Yaml => open_blocks_exceed(text, yaml_blocks_of),
        Language::Python => open_blocks_exceed(text, |_| 1),
        Language::Ruby => open_heredocs_exceed(text),
        Language::Shell => has_crowded_line(text) || open_heredocs_exceed(text) || open_brackets_exceed(text),
        _ => false,
    }
}

fn open_blocks_exceed(text: &str, blocks_of: fn(&str) -> usize) -> bool {
    let mut open = OpenBlocks::default();
    text.split('\n').any(|line| {
        let content = line.trim_start_matches([' ', '\t', '\r', '\u{c}']);
        if !content.is_empty() {
            open.line(column_after(&line[..line.len() - content.len()]), blocks_of(content));
        }
        open.total > OPEN_BLOCKS_MAX
    })
}

/// How many blocks the lines with ever greater columns may have opened.
#[derive(Default)]
struct OpenBlocks {
    columns: Vec<(usize, usize)>,
    total: usize,
}

impl OpenBlocks {
    fn line(&mut self, column: usize, blocks: usize) {
        while let Some((_, closed)) = self.columns.pop_if(|(opened_at, _)| *opened_at > column) {
            self.total -= closed;
        }
        if let Some((_, most)) = self.columns.last_mut().filter(|(opened_at, _)| *opened_at == column) {
            self.total += blocks.saturating_sub(*most);
            *most = blocks.max(*most);
        } else {
            self.columns.push((column, blocks));
            self.total += blocks;
        }
    }
}

fn column_after(indent: &str) -> usize {
    indent.bytes().fold(0, |column, byte| match byte {
        b' ' => column + 1,
        b'\t' => column + 8,
        _ => 0,
    })
}

/// Each `-`, `?` and key may open a block; two for what stands alone, for a sequence may share its key's column.
fn yaml_blocks_of(content: &str) -> usize {
    let opens = |word: &&str| matches!(*word, "-" | "?") || word.ends_with(':');
    1 + content.split_ascii_whitespace().filter(opens).count()
}

fn has_crowded_line(text: &str) -> bool {
    let globs = |line: &str| line.bytes().filter(|byte| b"?*+@!<>".contains(byte)).count();
    text.split('\n').any(|line| globs(line) > GLOBS_IN_LINE_MAX)
}

fn open_brackets_exceed(text: &str) -> bool {
    let mut open = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'(' | b'{' => open += 1,
            b')' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open > OPEN_BRACKETS_MAX
    })
}

fn open_heredocs_exceed(text: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for line in text.split('\n') {
        if let Some(at) = open.iter().position(|name| *name == line.trim()) {
            open.remove(at);
            continue;
        }
        open.extend(line.match_indices("<<").filter_map(|(at, _)| heredoc_name(&line[at + 2..])));
        let bytes: usize = open.iter().map(|name| name.len() + 4).sum();
        if bytes > OPEN_HEREDOC_BYTES_MAX || open.iter().any(|name| name.len() > HEREDOC_NAME_BYTES_MAX) {
            return true;
        }
    }
    false
}

fn heredoc_name(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix(['~', '-']).unwrap_or(rest);
    if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) {
        return rest[1..].split(quote).next();
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    (end > 0 && !rest.starts_with(|c: char| c.is_ascii_digit())).then(|| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn staircase(head: &str) -> String {
        (0..300).fold(String::new(), |text, at| text + &" ".repeat(at) + head + "\n")
    }

    #[test]
    fn ordinary_texts_pass() {
        let check = |language, text: &str, expected| {
            assert_eq!(overflows_scanner(language, text), expected, "{text:.40}");
        };
        check(Language::Yaml, "a:\n  - b: c\n    d: e\n  - f\n", false);
        check(Language::Yaml, &"- ".repeat(300), true);
        check(Language::Yaml, &"- a\n".repeat(3_000), false);
        check(Language::Yaml, &staircase("a:"), true);
        check(Language::Python, &staircase("if a:"), true);
        check(Language::Python, &"if a:\n    b\n".repeat(3_000), false);
        check(Language::Shell, &"a?".repeat(1_000), true);
        check(Language::Shell, &"if(x){".repeat(500), true);
        check(Language::Shell, &"case a in\n  b) c ;;\nesac\ncat <<EOF\nx\nEOF\n".repeat(3_000), false);
        check(Language::Ruby, &"x = <<~TEXT\n  a\nTEXT\n".repeat(3_000), false);
        check(Language::Ruby, &format!("x = <<{}\n", "A".repeat(300)), true);
        check(Language::Ruby, &"f(<<A, <<B) + <<C\n#{\n".repeat(100), true);
    }
}
