//! A merge commit's combined patch, turned into an ordinary one that adds what no parent has.
//!
//! What a merge takes over from a parent is shown by the commit that made it. What the merge itself brings in,
//! a resolution or a line slipped in, stands in no other commit: those lines have a `+` in each column.

/// Whether a file's part of a patch is combined.
pub(super) fn is_combined(part: &[u8]) -> bool {
    part.starts_with(b"diff --cc ") || part.starts_with(b"diff --combined ")
}

/// The ordinary form of one file's combined patch; empty if it brings in nothing of its own.
pub(super) fn ordinary(part: &[u8]) -> Vec<u8> {
    let mut lines = part.split_inclusive(|byte| *byte == b'\n').peekable();
    let name = lines.next().and_then(header_name).unwrap_or_default();
    let mut written = Vec::new();
    while let Some(line) = lines.next() {
        if line.starts_with(b"Binary files differ") {
            written.extend_from_slice(b"Binary files ");
            written.extend([&prefixed(b"a/", name), b" and ".as_slice(), &prefixed(b"b/", name)].concat());
            written.extend_from_slice(b" differ\n");
        }
        let Some((parents, start)) = hunk_header(line) else { continue };
        let mut hunk = Hunk::default();
        while let Some(body) = lines.next_if(|next| hunk_header(next).is_none()) {
            hunk.take(body, parents);
        }
        if hunk.added > 0 {
            if written.is_empty() {
                written.extend([b"--- ".as_slice(), &prefixed(b"a/", name), b"\n"].concat());
                written.extend([b"+++ ".as_slice(), &prefixed(b"b/", name), b"\n"].concat());
            }
            hunk.write(&mut written, start);
        }
    }
    if written.is_empty() {
        return written;
    }
    let header = [b"diff --git ".as_slice(), &prefixed(b"a/", name), b" ", &prefixed(b"b/", name), b"\n"];
    [header.concat(), written].concat()
}

/// The lines of one hunk that are in the merge's result.
#[derive(Default)]
struct Hunk {
    body: Vec<u8>,
    added: usize,
    context: usize,
    last_kept: bool,
}

impl Hunk {
    fn take(&mut self, line: &[u8], parents: usize) {
        if line.starts_with(b"\\ ") {
            if self.last_kept {
                self.body.extend_from_slice(line);
            }
            return;
        }
        let (columns, text) = line.split_at(parents.min(line.len()));
        self.last_kept = !columns.contains(&b'-');
        if !self.last_kept {
            return;
        }
        let new = columns.iter().all(|column| *column == b'+');
        if new {
            self.added += 1;
        } else {
            self.context += 1;
        }
        self.body.push(if new { b'+' } else { b' ' });
        self.body.extend_from_slice(text);
    }

    /// The old side has no line numbers of its own: it is the result without the new lines.
    fn write(&self, written: &mut Vec<u8>, start: u32) {
        let old_start = if self.context == 0 { start.saturating_sub(1) } else { start };
        let lines = self.context + self.added;
        written.extend(format!("@@ -{old_start},{} +{start},{lines} @@\n", self.context).bytes());
        written.extend_from_slice(&self.body);
    }
}

fn header_name(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"diff --cc ").or_else(|| line.strip_prefix(b"diff --combined "))?;
    Some(rest.strip_suffix(b"\n").unwrap_or(rest))
}

/// `name` behind a prefix, inside its quotes if it has any.
fn prefixed(prefix: &[u8], name: &[u8]) -> Vec<u8> {
    match name.strip_prefix(b"\"") {
        Some(quoted) => [b"\"", prefix, quoted].concat(),
        None => [prefix, name].concat(),
    }
}

/// `@@@ -1,2 -1,2 +1,3 @@@`: how many parents there are, and where the result's lines begin.
fn hunk_header(line: &[u8]) -> Option<(usize, u32)> {
    let marks = line.iter().take_while(|byte| **byte == b'@').count();
    let rest = line.get(marks..).filter(|_| marks >= 3)?.strip_prefix(b" -")?;
    let end = rest.windows(2).position(|pair| pair == b" @")?;
    let ranges = std::str::from_utf8(&rest[..end]).ok()?;
    let (_, result) = ranges.rsplit_once(" +")?;
    let start = result.split(',').next()?.parse().ok()?;
    Some((marks - 1, start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_no_parent_has() {
        let check = |part: &str, expected: &str| {
            assert_eq!(String::from_utf8(ordinary(part.as_bytes())).unwrap(), expected);
        };
        check(
            "diff --cc f\nindex 1,2..3\n--- a/f\n+++ b/f\n@@@ -1,3 -1,2 +1,4 @@@ fn x\n  one\n- two\n -too\n++SECRET\n +mine\n+ theirs\n",
            "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n one\n+SECRET\n mine\n theirs\n",
        );
        check(
            "diff --cc \"n\\303\"\nindex 1,2..3\nnew file mode 100644\n--- /dev/null\n+++ \"b/n\\303\"\n@@@ -1,0 -1,0 +1,1 @@@\n++NEW\n\\ No newline at end of file\n",
            "diff --git \"a/n\\303\" \"b/n\\303\"\n--- \"a/n\\303\"\n+++ \"b/n\\303\"\n@@ -0,0 +1,1 @@\n+NEW\n\\ No newline at end of file\n",
        );
        check("diff --cc f\n--- a/f\n+++ b/f\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n +b\n", "");
        check(
            "diff --cc b\nindex 1,2..3\nBinary files differ\n",
            "diff --git a/b b/b\nBinary files a/b and b/b differ\n",
        );
    }
}
