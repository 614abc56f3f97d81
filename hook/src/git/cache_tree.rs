//! The index's record of which folders still are the trees of the last commit (the `TREE` extension).
//!
//! Git skips those folders when it compares with a commit, which is a fifth of a comparison's cost.

use super::index_file::{NewEntry, ObjectFormat};

/// The extension's name.
pub(super) const SIGNATURE: &[u8] = b"TREE";
const INVALID: &[u8] = b"-1";

/// The record without the folders that get one of `new` (sorted); `None` if it cannot be read.
///
/// Folders stand in depth-first order, each as `<name> NUL <entries> SP <subfolders> LF <object id>`; one that
/// is not known has -1 entries and no id.
pub(super) fn without_folders_of(
    new: &[NewEntry],
    mut record: &[u8],
    format: ObjectFormat,
) -> Option<Vec<u8>> {
    let mut written = Vec::with_capacity(record.len());
    // How many subfolders of each open folder are still to come, and how long the path was outside it.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut path = Vec::new();
    while !record.is_empty() {
        let name = until(&mut record, 0)?;
        let entries = until(&mut record, b' ')?;
        let subfolders = until(&mut record, b'\n')?;
        let id_bytes = if entries.starts_with(b"-") { 0 } else { format.empty_blob().len() };
        let (id, rest) = record.split_at_checked(id_bytes)?;
        record = rest;
        let outside = path.len();
        if !name.is_empty() {
            path.extend_from_slice(name);
            path.push(b'/');
        }
        let touched = holds_any(&path, new);
        written
            .extend([name, &[0], if touched { INVALID } else { entries }, b" ", subfolders, b"\n"].concat());
        written.extend_from_slice(if touched { &[] } else { id });
        open.push((std::str::from_utf8(subfolders).ok()?.parse().ok()?, outside));
        leave_finished(&mut open, &mut path);
    }
    Some(written)
}

/// Closes the folders without further subfolders, and counts each of them off from the one around it.
fn leave_finished(open: &mut Vec<(usize, usize)>, path: &mut Vec<u8>) {
    while let Some((0, outside)) = open.last().copied() {
        path.truncate(outside);
        open.pop();
        if let Some((left, _)) = open.last_mut() {
            *left = left.saturating_sub(1);
        }
    }
}

fn holds_any(folder: &[u8], new: &[NewEntry]) -> bool {
    let at = new.partition_point(|entry| entry.path.as_slice() < folder);
    new.get(at).is_some_and(|entry| entry.path.starts_with(folder))
}

/// Takes what stands before `end`, and `end` too.
fn until<'a>(bytes: &mut &'a [u8], end: u8) -> Option<&'a [u8]> {
    let at = bytes.iter().position(|byte| *byte == end)?;
    let (taken, rest) = bytes.split_at(at);
    *bytes = &rest[1..];
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_the_folders_on_the_way() {
        let id = "i".repeat(20);
        let node = |name: &str, entries: i32, subfolders: u32| {
            format!("{name}\0{entries} {subfolders}\n{}", if entries < 0 { "" } else { &id })
        };
        let record =
            [node("", 9, 2), node("a", 5, 2), node("b", 2, 0), node("c", 2, 0), node("ab", 4, 0)].concat();
        let check = |paths: &[&str], expected: &[String]| {
            let new: Vec<NewEntry> =
                paths.iter().map(|path| NewEntry { path: path.as_bytes().to_vec(), mode: 0 }).collect();
            let left = without_folders_of(&new, record.as_bytes(), ObjectFormat::Sha1).unwrap();
            assert_eq!(String::from_utf8(left).unwrap(), expected.concat(), "{paths:?}");
        };
        let (b, c, ab) = (node("b", 2, 0), node("c", 2, 0), node("ab", 4, 0));
        check(&["z"], &[node("", -1, 2), node("a", 5, 2), b.clone(), c.clone(), ab.clone()]);
        check(&["a/c/new"], &[node("", -1, 2), node("a", -1, 2), b, node("c", -1, 0), ab]);
    }
}
