//! The near path: which earlier questions are similar. A query for the recent ones, and segments that this process
//! may have already.

use std::sync::Arc;

use prevet_domain::decision::canonical::Canonical;
use prevet_domain::decision::record::Decision;
use prevet_domain::decision::search::{Hit, Index, Manifest, RECENT_MAX, Segment, SegmentPointer, nearest};
use prevet_domain::ids::{DecisionId, TenantKey};

use super::ports::DecisionStore;
use crate::error::AppError;
use crate::ports::Storage;
use crate::{App, digest};

/// Recent questions that a lookup reads; more are in segments by then.
const RECENT_READ_MAX: usize = 4 * RECENT_MAX;
/// Questions that one segment takes in at a time.
const SEGMENT_QUESTIONS_MAX: usize = 50_000;
/// A decision is put into a segment only when it is this old: another with an earlier id may still be on its way.
const SETTLED_MILLISECONDS: u64 = 120_000;

impl<S: Storage + DecisionStore> App<S> {
    /// The nearest earlier questions, best first.
    pub(super) async fn near(
        &self,
        tenant: &TenantKey,
        manifest: &Manifest,
        form: &Canonical,
        limit: usize,
    ) -> Result<Vec<Hit>, AppError> {
        let after = manifest.covered_to.as_deref();
        let recent = self.storage.questions_after(tenant, after, RECENT_READ_MAX).await?;
        let recent = recent.iter().map(|(id, question)| (id.as_str(), question.as_str()));
        let mut indexes = vec![Arc::new(Index::new(Segment::build(recent)))];
        if let Some(segments) = self.segments(manifest).await? {
            indexes.extend(segments);
        } else {
            self.gather(tenant).await?;
            let manifest = self.storage.manifest(tenant).await?;
            indexes.extend(self.segments(&manifest).await?.unwrap_or_default());
        }
        let indexes: Vec<&Index> = indexes.iter().map(Arc::as_ref).collect();
        Ok(nearest(form, &indexes, limit))
    }

    /// All segments; `None` where one is gone, since the bucket forgets objects after a time.
    async fn segments(&self, manifest: &Manifest) -> Result<Option<Vec<Arc<Index>>>, AppError> {
        let mut segments = Vec::new();
        for pointer in &manifest.segments {
            match self.storage.segment(&pointer.object_key).await? {
                Some(index) => segments.push(index),
                None => return Ok(None),
            }
        }
        Ok(Some(segments))
    }

    /// The decisions of hits, with the score of each. One read.
    pub(super) async fn of_hits(
        &self,
        tenant: &TenantKey,
        hits: &[Hit],
    ) -> Result<Vec<(Decision, f64)>, AppError> {
        if hits.is_empty() {
            return Ok(Vec::new());
        }
        let ids = hits.iter().map(|hit| DecisionId::parse(&hit.id)).collect::<Result<Vec<_>, _>>()?;
        let decisions = self.storage.decisions(tenant, &ids).await?;
        let with_score = |decision: Decision| {
            let hit = hits.iter().find(|hit| hit.id == decision.id.as_str());
            (decision, hit.map_or(0.0, |hit| hit.score))
        };
        Ok(decisions.into_iter().map(with_score).collect())
    }

    /// Puts decisions that have gathered outside of segments into one, so that no lookup reads many. To be called after
    /// answers; what goes wrong is tried again with the next.
    pub async fn gather(&self, tenant: &TenantKey) -> Result<(), AppError> {
        let mut manifest = self.storage.manifest(tenant).await?;
        let mut segments = if let Some(segments) = self.segments(&manifest).await? {
            segments
        } else {
            // All of it is read again.
            (manifest.segments, manifest.covered_to) = (Vec::new(), None);
            Vec::new()
        };
        loop {
            let after = manifest.covered_to.as_deref();
            let mut questions = self.storage.questions_after(tenant, after, SEGMENT_QUESTIONS_MAX).await?;
            let settled = (self.world.now_milliseconds)().saturating_sub(SETTLED_MILLISECONDS);
            let settled = format!("dec_{settled:011x}");
            questions.retain(|(id, _)| *id < settled);
            if questions.len() < RECENT_MAX {
                return Ok(());
            }
            let Some(next) = self.gathered(&manifest, &mut segments, &questions).await? else {
                return Ok(());
            };
            if !self.storage.put_manifest(tenant, &next).await? {
                return Ok(());
            }
            manifest = next;
        }
    }

    /// The manifest after `questions` went into a segment, together with the small ones before it.
    async fn gathered(
        &self,
        manifest: &Manifest,
        segments: &mut Vec<Arc<Index>>,
        questions: &[(String, String)],
    ) -> Result<Option<Manifest>, AppError> {
        let Some((last, _)) = questions.last() else { return Ok(None) };
        let merges = manifest.merges(questions.len());
        let kept = manifest.segments.len() - merges;
        let new = Segment::build(questions.iter().map(|(id, question)| (id.as_str(), question.as_str())));
        let merged = segments.split_off(kept);
        let segment = Segment::merged(merged.iter().map(|index| index.segment()).chain([&new]));
        let object_key = digest(&[b"segment", self.token()?.as_bytes()]);
        self.storage.put_segment(&object_key, &segment).await?;
        let mut next = manifest.clone();
        next.version += 1;
        next.covered_to = Some(last.clone());
        next.segments.truncate(kept);
        next.segments.push(SegmentPointer { object_key, questions: segment.rows.len() });
        segments.push(Arc::new(Index::new(segment)));
        Ok(Some(next))
    }
}
