//! Segments of questions: objects that never change, kept ready by whoever has read one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use prevet_app::error::StorageError;
use prevet_domain::decision::search::{Index, SEGMENT_VERSION, Segment};

use crate::{Store, unreadable};

/// Questions that one process keeps ready, about 100 bytes each.
const QUESTIONS_MAX: usize = 400_000;

/// Segments that were read, the latest last.
#[derive(Debug, Clone, Default)]
pub struct SegmentCache(Arc<Mutex<VecDeque<Kept>>>);

/// An object's key, and the segment that it holds.
type Kept = (String, Arc<Index>);

impl SegmentCache {
    fn get(&self, object_key: &str) -> Option<Arc<Index>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(key, _)| key == object_key)?;
        let entry = kept.remove(at)?;
        let index = Arc::clone(&entry.1);
        kept.push_back(entry);
        Some(index)
    }

    fn put(&self, object_key: &str, index: &Arc<Index>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((object_key.to_owned(), Arc::clone(index)));
        while kept.len() > 1 && kept.iter().map(|(_, index)| index.len()).sum::<usize>() > QUESTIONS_MAX {
            kept.pop_front();
        }
    }
}

impl Store {
    pub(super) async fn cached_segment(&self, object_key: &str) -> Result<Option<Arc<Index>>, StorageError> {
        let action = "reading a segment of questions";
        if let Some(index) = self.segments.get(object_key) {
            return Ok(Some(index));
        }
        let Some(json) = self.object(object_key).await? else { return Ok(None) };
        let segment: Segment = serde_json::from_slice(&json).map_err(|error| unreadable(action, error))?;
        if segment.version != SEGMENT_VERSION {
            return Ok(None);
        }
        let index = Arc::new(Index::new(segment));
        self.segments.put(object_key, &index);
        Ok(Some(index))
    }

    pub(super) async fn keep_segment(&self, object_key: &str, segment: &Segment) -> Result<(), StorageError> {
        let json = serde_json::to_vec(segment)
            .map_err(|error| unreadable("writing a segment of questions", error))?;
        self.put_object(object_key, &json).await
    }
}
