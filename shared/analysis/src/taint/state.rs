//! What each variable holds at one point of a function.

use std::collections::{HashMap, HashSet};

use super::value::{Dangers, Taint};

/// More variables than this are not told apart.
const NAMES_MAX: usize = 300;
/// How far facts travel from a value to what it was made from and what was made from it.
const KIN_MAX: usize = 64;

/// Variables by dotted name.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    values: HashMap<String, Taint>,
    made_from: HashMap<String, Vec<String>>,
    /// Whether the code here is no longer reached.
    pub left: bool,
}

impl State {
    /// What `name` holds: its own value, or that of the object it is part of.
    pub fn get(&self, name: &str) -> Option<Taint> {
        let mut part = name;
        loop {
            if let Some(taint) = self.values.get(part) {
                return Some(*taint);
            }
            part = &part[..part.rfind('.')?];
        }
    }

    /// What was recorded for `name` itself.
    pub fn exact(&self, name: &str) -> Option<Taint> {
        self.values.get(name).copied()
    }

    /// Assigns; `parents` are the names that the value was made from.
    pub fn set(&mut self, name: &str, taint: Taint, parents: Vec<String>) {
        let inside = format!("{name}.");
        self.values.retain(|own, _| !own.starts_with(&inside));
        self.made_from.remove(name);
        if self.values.len() >= NAMES_MAX {
            return;
        }
        self.values.insert(name.to_owned(), taint);
        if !parents.is_empty() && !parents.iter().any(|parent| parent == name) {
            self.made_from.insert(name.to_owned(), parents);
        }
    }

    /// Nothing is known of `name` any more.
    pub fn forget(&mut self, name: &str) {
        if !self.values.is_empty() {
            let inside = format!("{name}.");
            self.values.retain(|own, _| own != name && !own.starts_with(&inside));
            self.made_from.remove(name);
        }
    }

    /// Adds to what `name` may hold.
    pub fn add(&mut self, name: &str, taint: Taint) {
        if taint.is_clean() || self.values.len() >= NAMES_MAX {
            return;
        }
        let known = self.get(name).unwrap_or_default();
        self.values.insert(name.to_owned(), known.join(taint));
    }

    /// After a check of `name`: it, what it was made from and what was made from it no longer has `dangers`.
    pub fn clear(&mut self, name: &str, now: Taint, dangers: Dangers) {
        self.values.entry(name.to_owned()).or_insert(now);
        for kin in self.kin(name) {
            let inside = format!("{kin}.");
            if let Some(taint) = self.get(&kin) {
                self.values.insert(kin.clone(), taint.without(dangers));
            }
            for (own, taint) in &mut self.values {
                if own.starts_with(&inside) {
                    *taint = taint.without(dangers);
                }
            }
        }
    }

    fn kin(&self, name: &str) -> Vec<String> {
        let mut found = vec![name.to_owned()];
        let mut seen: HashSet<String> = found.iter().cloned().collect();
        self.follow(&mut found, &mut seen, |state, own| {
            state.made_from.get(own).cloned().unwrap_or_default()
        });
        let mut down = vec![name.to_owned()];
        let mut seen_down: HashSet<String> = down.iter().cloned().collect();
        self.follow(&mut down, &mut seen_down, Self::children);
        found.extend(down.into_iter().skip(1));
        found
    }

    fn follow(
        &self,
        found: &mut Vec<String>,
        seen: &mut HashSet<String>,
        next: impl Fn(&Self, &str) -> Vec<String>,
    ) {
        let mut at = 0;
        while at < found.len() && found.len() < KIN_MAX {
            let more = next(self, &found[at]);
            found.extend(more.into_iter().filter(|name| seen.insert(name.clone())));
            at += 1;
        }
    }

    fn children(&self, name: &str) -> Vec<String> {
        let own = self.made_from.iter().filter(|(_, parents)| parents.iter().any(|parent| parent == name));
        own.map(|(child, _)| child.clone()).collect()
    }

    /// What may hold where two branches meet.
    pub fn join(self, other: Self) -> Self {
        if self.left {
            return other;
        }
        if other.left {
            return self;
        }
        let mut joined = self.clone();
        for (name, taint) in &other.values {
            let own = self.get(name).unwrap_or_default();
            joined.values.insert(name.clone(), own.join(*taint));
        }
        for (name, taint) in &self.values {
            if !other.values.contains_key(name) {
                let theirs = other.get(name).unwrap_or_default();
                joined.values.insert(name.clone(), taint.join(theirs));
            }
        }
        joined.made_from.extend(other.made_from);
        joined
    }
}
