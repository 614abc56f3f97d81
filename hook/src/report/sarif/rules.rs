//! Rules, and the weakness catalogues that they refer to.

use prevet_domain::finding::{Finding, ReportType, Severity};
use serde_json::json;
use serde_sarif::sarif::{
    MultiformatMessageString, PropertyBag, ReportingConfiguration, ReportingDescriptor,
    ReportingDescriptorReference, ReportingDescriptorRelationship, ToolComponent, ToolComponentReference,
};

use super::super::model::Inspection;
use super::{bag, plain};

/// The rule of what a model found.
const MODEL_RULE: &str = "model";
const CWE: &str = "CWE";
const OWASP: &str = "OWASP";

/// The ids of the rules in the order of `rules`, for `ruleIndex`.
pub(super) fn ids(inspection: &Inspection) -> Vec<&str> {
    let found = inspection.findings.iter().map(|reported| reported.finding.rule.as_str());
    let suppressed = inspection.suppressed.iter().map(|entry| entry.rule.as_str());
    in_order(found.chain(suppressed))
}

pub(super) fn rules(inspection: &Inspection) -> Vec<ReportingDescriptor> {
    ids(inspection).into_iter().map(|id| rule(inspection, id)).collect()
}

fn rule(inspection: &Inspection, id: &str) -> ReportingDescriptor {
    let all = inspection.findings.iter().map(|reported| &reported.finding);
    let findings: Vec<_> = all.filter(|finding| finding.rule == id).collect();
    let mut rule = ReportingDescriptor::builder().id(id).build();
    let Some(worst) = findings.iter().max_by_key(|finding| finding.severity) else { return rule };
    let (short, help) = match id {
        MODEL_RULE => ("A finding of the model", "What the model found; each result says what and why."),
        _ => (worst.title.as_str(), worst.message.as_str()),
    };
    rule.short_description = Some(text(short));
    rule.help = Some(text(&with_reference(help, worst)));
    rule.help_uri = worst.cwe.as_deref().filter(|_| id != MODEL_RULE).and_then(cwe_page);
    let level = json!(super::results::level(worst.severity).to_string());
    rule.default_configuration = Some(ReportingConfiguration::builder().level(level).build());
    rule.properties = Some(properties(&findings, worst));
    let taxa = in_order(findings.iter().flat_map(|finding| taxa(finding)));
    let relationships = taxa.into_iter().map(|(catalogue, id)| {
        let target = reference(inspection, catalogue, id);
        ReportingDescriptorRelationship::builder().target(target).kinds(vec!["relevant".to_owned()]).build()
    });
    rule.relationships = Some(relationships.collect::<Vec<_>>()).filter(|all| !all.is_empty());
    rule
}

fn with_reference(help: &str, finding: &Finding) -> String {
    let ids: Vec<_> = taxa(finding).map(|(_, id)| id).collect();
    if ids.is_empty() || finding.rule == MODEL_RULE {
        return help.to_owned();
    }
    format!("{help}\n\nSee {}.", ids.join(", "))
}

/// `security-severity` is what code scanning services rank security results by, on the scale of CVSS.
fn properties(findings: &[&Finding], worst: &Finding) -> PropertyBag {
    let is_security = findings.iter().any(|finding| finding.report_type != ReportType::Bug);
    let cwes = findings.iter().filter_map(|finding| finding.cwe.as_deref()).filter_map(cwe_number);
    let mut tags: Vec<String> =
        in_order(cwes).into_iter().map(|number| format!("external/cwe/cwe-{number:0>3}")).collect();
    tags.insert(0, if is_security { "security" } else { "correctness" }.to_owned());
    let mut properties = bag([]);
    properties.tags = Some(tags);
    if is_security {
        let score = match worst.severity {
            Severity::Critical => "9.5",
            Severity::High => "8.0",
            Severity::Medium => "5.5",
            Severity::Low => "3.0",
        };
        properties.additional_properties.insert("security-severity".to_owned(), json!(score));
    }
    properties
}

fn text(text: &str) -> MultiformatMessageString {
    MultiformatMessageString::builder().text(plain(text)).build()
}

/// The catalogues that findings refer to, each with the entries in use.
pub(super) fn taxonomies(inspection: &Inspection) -> Vec<ToolComponent> {
    catalogues(inspection)
        .into_iter()
        .map(|catalogue| {
            let entries = entries(inspection, catalogue).into_iter().map(|id| {
                let mut entry = ReportingDescriptor::builder().id(id).build();
                entry.help_uri = cwe_page(id);
                entry
            });
            let organization = if catalogue == CWE { "MITRE" } else { "OWASP Foundation" };
            ToolComponent::builder()
                .name(catalogue)
                .organization(organization)
                .taxa(entries.collect::<Vec<_>>())
                .build()
        })
        .collect()
}

pub(super) fn references(taxonomies: &[ToolComponent]) -> Vec<ToolComponentReference> {
    let reference = |(index, taxonomy): (usize, &ToolComponent)| {
        ToolComponentReference::builder().name(&taxonomy.name).index(to_index(index)).build()
    };
    taxonomies.iter().enumerate().map(reference).collect()
}

/// The catalogue entries of a finding.
pub(super) fn taxa(finding: &Finding) -> impl Iterator<Item = (&'static str, &str)> {
    let cwe = finding.cwe.as_deref().map(|id| (CWE, id));
    cwe.into_iter().chain(finding.owasp.as_deref().map(|id| (OWASP, id)))
}

pub(super) fn reference(
    inspection: &Inspection,
    catalogue: &'static str,
    id: &str,
) -> ReportingDescriptorReference {
    let position = catalogues(inspection).iter().position(|name| *name == catalogue);
    let component =
        ToolComponentReference::builder().name(catalogue).index(position.map_or(-1, to_index)).build();
    let index = entries(inspection, catalogue).iter().position(|entry| *entry == id);
    ReportingDescriptorReference::builder()
        .id(id)
        .index(index.map_or(-1, to_index))
        .tool_component(component)
        .build()
}

fn catalogues(inspection: &Inspection) -> Vec<&'static str> {
    in_order(all_taxa(inspection).map(|(catalogue, _)| catalogue))
}

fn entries<'a>(inspection: &'a Inspection, catalogue: &str) -> Vec<&'a str> {
    in_order(all_taxa(inspection).filter(|(name, _)| *name == catalogue).map(|(_, id)| id))
}

fn all_taxa(inspection: &Inspection) -> impl Iterator<Item = (&'static str, &str)> {
    inspection.findings.iter().flat_map(|reported| taxa(&reported.finding))
}

fn cwe_number(id: &str) -> Option<&str> {
    id.strip_prefix("CWE-").filter(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

fn cwe_page(id: &str) -> Option<String> {
    cwe_number(id).map(|number| format!("https://cwe.mitre.org/data/definitions/{number}.html"))
}

/// Without repetitions, sorted.
fn in_order<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    items.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

/// SARIF counts in 64 bits with a sign.
pub(super) fn to_index(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(-1)
}
