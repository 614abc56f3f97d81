//! Which earlier questions are near: TF-IDF over the words that count. It proposes; the guard decides.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::canonical::Canonical;
use super::synonyms::Synonyms;

/// Less than this is not near.
pub const SCORE_MIN: f64 = 0.18;

/// Questions that are searched together: kept as it is, never changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// The format's version.
    pub version: u32,
    /// Every word of the segment once.
    pub terms: Vec<String>,
    /// Id and words (by their place in `terms`) of each question.
    pub rows: Vec<(String, Vec<u32>)>,
}

/// The version of [`Segment`] that is written.
pub const SEGMENT_VERSION: u32 = 1;

/// A segment, ready to be searched.
#[derive(Debug, Default)]
pub struct Index {
    segment: Segment,
    postings: HashMap<String, Vec<u32>>,
}

/// A question that is near.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// From 0 to 1.
    pub score: f64,
}

impl Segment {
    /// Of ids and questions.
    pub fn build<'a>(questions: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let none = Synonyms::default();
        let mut segment = Self { version: SEGMENT_VERSION, ..Self::default() };
        let mut places: BTreeMap<String, u32> = BTreeMap::new();
        for (id, question) in questions {
            let form = Canonical::of(question, &none);
            let row = form.stems().into_iter().map(|stem| segment.place(&mut places, stem)).collect();
            segment.rows.push((id.to_owned(), row));
        }
        segment
    }

    fn place(&mut self, places: &mut BTreeMap<String, u32>, term: &str) -> u32 {
        if let Some(place) = places.get(term) {
            return *place;
        }
        let place = u32::try_from(self.terms.len()).unwrap_or(u32::MAX);
        self.terms.push(term.to_owned());
        places.insert(term.to_owned(), place);
        place
    }

    /// All rows of all segments in one.
    pub fn merged<'a>(segments: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut merged = Self { version: SEGMENT_VERSION, ..Self::default() };
        let mut places = BTreeMap::new();
        for segment in segments {
            for (id, row) in &segment.rows {
                let terms = row.iter().filter_map(|term| segment.terms.get(*term as usize));
                let row = terms.map(|term| merged.place(&mut places, term)).collect();
                merged.rows.push((id.clone(), row));
            }
        }
        merged
    }
}

impl Index {
    /// Ready to be searched.
    pub fn new(segment: Segment) -> Self {
        let mut by_place: Vec<Vec<u32>> = vec![Vec::new(); segment.terms.len()];
        for (at, (_, row)) in segment.rows.iter().enumerate() {
            for term in row {
                if let Some(rows) = by_place.get_mut(*term as usize) {
                    rows.push(u32::try_from(at).unwrap_or(u32::MAX));
                }
            }
        }
        let postings = segment.terms.iter().cloned().zip(by_place).collect();
        Self { segment, postings }
    }

    /// How many questions it has.
    pub fn len(&self) -> usize {
        self.segment.rows.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.segment.rows.is_empty()
    }

    /// The segment itself.
    pub fn segment(&self) -> &Segment {
        &self.segment
    }
}

/// The nearest questions of all indexes, best first; newer ones first among equals.
pub fn nearest(form: &Canonical, indexes: &[&Index], limit: usize) -> Vec<Hit> {
    let total: usize = indexes.iter().map(|index| index.len()).sum();
    let stems: Vec<&str> = form.stems().into_iter().collect();
    let weigh = |count: usize| {
        #[expect(clippy::cast_precision_loss, reason = "counts of questions")]
        let ratio = total as f64 / count.max(1) as f64;
        (1.0 + ratio).ln()
    };
    let count = |stem: &str| indexes.iter().map(|index| index.postings.get(stem).map_or(0, Vec::len)).sum();
    let wanted: Vec<(&str, f64)> = stems.iter().map(|stem| (*stem, weigh(count(stem)))).collect();
    let length = wanted.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
    let mut hits = Vec::new();
    for index in indexes {
        score(index, &wanted, length, &|stem| weigh(count(stem)), &mut hits);
    }
    hits.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| other.id.cmp(&one.id)));
    hits.truncate(limit);
    hits
}

fn score(
    index: &Index,
    wanted: &[(&str, f64)],
    length: f64,
    weigh: &dyn Fn(&str) -> f64,
    hits: &mut Vec<Hit>,
) {
    let mut dots = vec![0.0_f64; index.len()];
    for (stem, weight) in wanted {
        for row in index.postings.get(*stem).into_iter().flatten() {
            dots[*row as usize] += weight * weight;
        }
    }
    let mut weights: Vec<Option<f64>> = vec![None; index.segment.terms.len()];
    for (at, dot) in dots.iter().enumerate().filter(|(_, dot)| **dot > 0.0) {
        let (id, row) = &index.segment.rows[at];
        let mut square = 0.0;
        for term in row {
            let place = *term as usize;
            let weight = *weights[place].get_or_insert_with(|| weigh(&index.segment.terms[place]));
            square += weight * weight;
        }
        let score = dot / (length * square.sqrt());
        if score >= SCORE_MIN {
            hits.push(Hit { id: id.clone(), score: (score * 1000.0).round() / 1000.0 });
        }
    }
}

/// What of a tenant's questions lies in segments, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Counts changes; a writer that finds another number than it read has lost.
    pub version: u64,
    /// The segments.
    pub segments: Vec<SegmentPointer>,
    /// Decisions up to this id are in a segment.
    pub covered_to: Option<String>,
}

/// A segment's place and size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentPointer {
    /// The object that holds it.
    pub object_key: String,
    /// Its questions.
    pub questions: usize,
}

/// Decisions outside of segments from which on they are put into one.
pub const RECENT_MAX: usize = 256;
/// A new segment takes in the last ones that have at most this many times as many questions: so each question is
/// rewritten a few times only, and there are few segments.
const GROWTH: usize = 4;

impl Manifest {
    /// How many of the last segments go into a new one together with `recent` questions.
    pub fn merges(&self, recent: usize) -> usize {
        let mut questions = recent;
        let mut count = 0;
        for segment in self.segments.iter().rev() {
            if segment.questions > questions * GROWTH {
                break;
            }
            questions += segment.questions;
            count += 1;
        }
        count
    }
}
