//! `inspect_diff`: from its parameters to a result that fits.

use prevet_app::error::AppError;
use prevet_app::inspection::{InspectDiff, Inspection, StoredReport};
use prevet_app::progress::Progress;
use prevet_domain::finding::{Profile, ReportType};
use prevet_domain::ids::SessionId;
use prevet_domain::limits::{FREE_TEXT_BYTES_MAX, RESULT_TOKENS_MAX};
use prevet_domain::verdict::{Cause, Verdict};
use prevet_wire::inspect::{
    Counts, Degraded, Deviation, FindingRecord, Fixed, InspectContext, InspectParameters, InspectResult,
    More, NotReviewedRecord, ReviewConfig,
};
use serde_json::Value;

use crate::failure::Failure;
use crate::{Service, pack};

/// What clients are told.
pub const DESCRIPTION: &str = "Inspects the diff that was uploaded for a session and returns JSON: verdict \
    (approve, request_changes, incomplete, error), findings worst first, counts, and whatever was not read. \
    profile: inspect (bugs, the default), security (security, LLM, agent, MCP and secrets) or review (all). \
    intent: one line on what was just changed; on a recheck, which findings were addressed. \
    The diff itself is never passed here: POST /session and POST /upload/{session_id} come first.";

/// A token is counted as this many bytes: low for English and code, so that the limit errs to the safe side.
const BYTES_PER_TOKEN: usize = 4;
/// What findings may take of a result; the rest is for everything else.
const FINDINGS_BYTES_MAX: usize = (RESULT_TOKENS_MAX - 4_000) * BYTES_PER_TOKEN;
/// Parts that were not read which one result names; the rest are counted.
const NOT_REVIEWED_MAX: usize = 120;
/// Gone findings which one result names.
const FIXED_MAX: usize = 100;
/// What each of the lists beside the findings may take of a result.
const LIST_BYTES_MAX: usize = 3_500;
/// Ends the cursor of a run that changed the branch's history.
const CHANGED_MARK: &str = "c";

/// Runs the tool.
pub async fn call(
    service: &Service,
    arguments: Value,
    progress: &Progress,
) -> Result<InspectResult, Failure> {
    // serde would take a list for a struct.
    if arguments.get("context").is_some_and(|it| !it.is_object() && !it.is_null()) {
        return Err(Failure::invalid("the parameters of inspect_diff are not right: context is an object"));
    }
    let parameters: InspectParameters = prevet_wire::json::from_value(arguments).map_err(|error| {
        Failure::invalid(format!("the parameters of inspect_diff are not right: {error}"))
    })?;
    let context = parameters.context.clone().unwrap_or_default();
    let call = parse(&parameters, &context)?;
    let inspection = service.app.inspect_diff(call, pack::decode, progress).await?;
    page(&inspection, context.cursor.as_deref())
}

fn parse(parameters: &InspectParameters, context: &InspectContext) -> Result<InspectDiff, Failure> {
    let guidelines = match &context.review_config {
        None => Vec::new(),
        Some(ReviewConfig::Text(text)) => vec![text.clone()],
        Some(ReviewConfig::List(texts)) => texts.clone(),
    };
    let texts = [Some(&parameters.intent), context.pr_title.as_ref(), context.pr_description.as_ref()];
    for text in texts.into_iter().flatten().chain(&guidelines) {
        if text.len() > FREE_TEXT_BYTES_MAX {
            return Err(Failure::invalid(format!(
                "a text of {} bytes; the limit is {FREE_TEXT_BYTES_MAX}",
                text.len()
            )));
        }
    }
    Ok(InspectDiff {
        // An id that is none is unknown as well.
        session_id: SessionId::parse(&parameters.session_id).map_err(|_| AppError::UnknownSession)?,
        profile: Profile::parse(&parameters.profile),
        report_types: context.report_types.as_deref().map(report_types).transpose()?,
        intent: parameters.intent.clone(),
        guidelines,
        continues: context.cursor.as_deref().map(|cursor| cursor.ends_with(CHANGED_MARK)),
        title: context.pr_title.clone().unwrap_or_default(),
        description: context.pr_description.clone().unwrap_or_default(),
        expected_diff_sha256: context.diff_sha256.clone(),
    })
}

fn report_types(names: &[String]) -> Result<Vec<ReportType>, Failure> {
    let known = ReportType::ALL.map(ReportType::as_str).join(", ");
    let unknown = |name: &str| Failure::invalid(format!("report_types: {name:?} is not one of {known}"));
    let mut types = names.iter().map(|name| ReportType::parse(name).ok_or_else(|| unknown(name)));
    let mut types = types.by_ref().collect::<Result<Vec<_>, _>>()?;
    types.sort_unstable();
    types.dedup();
    if types.is_empty() {
        return Err(Failure::invalid(format!("report_types is empty; name at least one of {known}")));
    }
    Ok(types)
}

/// The part of the result that begins at `cursor`.
fn page(inspection: &Inspection, cursor: Option<&str>) -> Result<InspectResult, Failure> {
    let start = cursor.map_or(Ok(0), |cursor| offset(cursor, &inspection.run.report_key))?;
    let report = &inspection.report;
    let total = report.findings.len();
    let records = report.findings.iter().skip(start).cloned().map(FindingRecord::from);
    let mut bytes = 0;
    let fits = |record: &FindingRecord| {
        bytes += serde_json::to_string(record).map_or(0, |text| text.len());
        bytes <= FINDINGS_BYTES_MAX
    };
    let findings: Vec<FindingRecord> = records.take_while(fits).collect();
    let end = start + findings.len();
    let counted = total > 0 || !report.suppressed.is_empty();
    Ok(InspectResult {
        verdict: report.verdict.as_str().to_owned(),
        profile: inspection.run.profile.as_str().to_owned(),
        session_id: inspection.session_id.clone(),
        findings,
        counts: counted.then(|| counts(report)),
        fixed: within(inspection.fixed.iter().take(FIXED_MAX).map(fixed)),
        degraded: degraded(report),
        context_refresh: context_refresh(report),
        secret_scan: secret_scan(report),
        compiler_check: compiler_check(report),
        cached: inspection.run.cached,
        more: (end < total).then(|| more(inspection, end, total)),
    })
}

/// As much of a list as fits beside the findings.
fn within<T: serde::Serialize>(list: impl Iterator<Item = T>) -> Vec<T> {
    let mut bytes = 0;
    list.take_while(|item| {
        bytes += serde_json::to_string(item).map_or(0, |text| text.len());
        bytes <= LIST_BYTES_MAX
    })
    .collect()
}

/// The counts; of what is ignored as much as fits, all of it counted.
fn counts(report: &StoredReport) -> Counts {
    let mut counts = Counts::of(&report.findings, report.suppressed.clone());
    counts.suppressed_total = counts.suppressed.len();
    counts.suppressed = within(counts.suppressed.into_iter());
    counts
}

fn fixed((id, title): &(String, String)) -> Fixed {
    Fixed { id: id.clone(), title: title.clone() }
}

/// `<report>.<offset>`, and [`CHANGED_MARK`] where it applies: a cursor of another report is not one of this.
fn offset(cursor: &str, report_key: &str) -> Result<usize, Failure> {
    let parts = cursor.split_once('.').filter(|(report, _)| report_key.get(..16) == Some(*report));
    parts.and_then(|(_, offset)| offset.trim_end_matches(CHANGED_MARK).parse().ok()).ok_or_else(|| {
        Failure::invalid(
            "context.cursor is not of this result (the diff or the parameters changed); call without it",
        )
    })
}

fn more(inspection: &Inspection, end: usize, total: usize) -> More {
    let mark = if inspection.run.changed_history { CHANGED_MARK } else { "" };
    let cursor = format!("{}.{end}{mark}", inspection.run.report_key.get(..16).unwrap_or_default());
    let instruction =
        "call inspect_diff again with the same parameters and context.cursor set to this cursor";
    More { cursor, remaining: total - end, instruction: instruction.to_owned() }
}

fn degraded(report: &StoredReport) -> Option<Degraded> {
    let parts = &report.coverage.not_reviewed;
    if parts.is_empty() {
        return None;
    }
    let gaps = report.coverage.gaps().count();
    let cause = match (report.verdict, gaps) {
        (_, 0) => "files that nobody reads by convention or policy were left out".to_owned(),
        (Verdict::Error, _) => "nothing of the change could be read".to_owned(),
        (_, gaps) => format!("{gaps} part(s) of the change were not read"),
    };
    // Gaps first: they are what counts, should the list be cut.
    let mut sorted: Vec<_> = parts.iter().collect();
    sorted.sort_by_key(|part| part.cause == Cause::Convention);
    let mut named: Vec<NotReviewedRecord> =
        within(sorted.into_iter().take(NOT_REVIEWED_MAX).cloned().map(Into::into));
    if parts.len() > named.len() {
        let reason = format!("{} more, not named here", parts.len() - named.len());
        let by_convention = gaps <= named.len();
        named.push(NotReviewedRecord { file: "*".to_owned(), line: None, reason, by_convention });
    }
    Some(Degraded { cause, not_reviewed: named })
}

/// Secrets cannot be looked for where the diff shows no text.
fn secret_scan(report: &StoredReport) -> Option<Deviation> {
    let files = report.coverage.not_reviewed.iter().filter(|part| part.reason == "binary").count();
    (files > 0).then(|| Deviation {
        status: "partial".to_owned(),
        reason: format!(
            "{files} binary file(s) show no text in the diff: no secrets could be looked for in them"
        ),
    })
}

fn context_refresh(report: &StoredReport) -> Option<Deviation> {
    let deviation = |status: &str, reason: String| Some(Deviation { status: status.to_owned(), reason });
    if let Some(refresh) = &report.refresh {
        return deviation(refresh.status.as_str(), refresh.reason.clone());
    }
    match (report.has_context, report.fragments) {
        (_, 0) if report.has_context => None,
        (false, _) => deviation(
            "diff_only",
            "no context was uploaded: the change was inspected from the diff alone".to_owned(),
        ),
        (true, files) => deviation("partial", format!("{files} file(s) were inspected from the diff alone")),
    }
}

fn compiler_check(report: &StoredReport) -> Option<Deviation> {
    (report.fragments > 0).then(|| Deviation {
        status: "skipped".to_owned(),
        reason: format!(
            "whether {} file(s) still parse cannot be told from the diff alone",
            report.fragments
        ),
    })
}
