//! The rules, read from their data files once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde::Deserialize;

use super::detector::{Detector, Entry};

/// The data files. Read at compile time: a binary without its rules would find nothing and say so to nobody.
pub(super) const FILES: [(&str, &str); 13] = [
    ("structure", include_str!("../../rules/secrets/structure.toml")),
    ("generic", include_str!("../../rules/secrets/generic.toml")),
    ("cloud", include_str!("../../rules/secrets/cloud.toml")),
    ("hosting", include_str!("../../rules/secrets/hosting.toml")),
    ("code", include_str!("../../rules/secrets/code.toml")),
    ("build", include_str!("../../rules/secrets/build.toml")),
    ("vaults", include_str!("../../rules/secrets/vaults.toml")),
    ("models", include_str!("../../rules/secrets/models.toml")),
    ("messages", include_str!("../../rules/secrets/messages.toml")),
    ("payments", include_str!("../../rules/secrets/payments.toml")),
    ("data", include_str!("../../rules/secrets/data.toml")),
    ("watch", include_str!("../../rules/secrets/watch.toml")),
    ("work", include_str!("../../rules/secrets/work.toml")),
];

/// All detectors and the literal prefilter that says which of them to ask, and where.
pub(super) struct Catalog {
    /// In the order of the data files.
    pub detectors: Vec<Detector>,
    /// Every keyword once, case-insensitive.
    pub prefilter: AhoCorasick,
    /// For each pattern of the prefilter, the detectors that it concerns.
    pub owners: Vec<Vec<usize>>,
}

#[derive(Deserialize)]
pub(super) struct RuleFile {
    pub rule: Vec<Entry>,
}

/// The catalog, built on first use.
pub(super) fn catalog() -> &'static Catalog {
    static CATALOG: LazyLock<Catalog> = LazyLock::new(build);
    &CATALOG
}

#[expect(clippy::expect_used, reason = "embedded data: a test reads every file and builds the catalog")]
fn build() -> Catalog {
    let entries = FILES.iter().flat_map(|(name, text)| {
        let file: RuleFile = toml::from_str(text).expect(name);
        file.rule
    });
    let mut keywords: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut detectors = Vec::new();
    for (at, entry) in entries.enumerate() {
        for keyword in &entry.keywords {
            keywords.entry(keyword.to_lowercase()).or_default().push(at);
        }
        detectors.push(Detector::new(entry));
    }
    let prefilter = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(keywords.keys())
        .expect("keywords are few and short");
    Catalog { detectors, prefilter, owners: keywords.into_values().collect() }
}

impl Catalog {
    /// The detector of rule `id`, for what code decides and not the keyword.
    #[expect(clippy::expect_used, reason = "the ids are constants of this module's engines, and tested")]
    pub fn index_of(&self, id: &str) -> usize {
        self.detectors.iter().position(|detector| detector.rule.id == id).expect("a rule that code names")
    }
}
