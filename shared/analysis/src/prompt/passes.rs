//! What each report type looks for.

use prevet_domain::finding::ReportType;

/// The task of a report type: what counts, and what does not.
pub fn task(report_type: ReportType) -> &'static str {
    match report_type {
        ReportType::Bug => BUG,
        ReportType::Security => SECURITY,
        ReportType::LlmSecurity => LLM_SECURITY,
        ReportType::AgentSecurity => AGENT_SECURITY,
        ReportType::Mcp => MCP,
        ReportType::Secret => SECRET,
    }
}

const BUG: &str = "\
Your subject is plain bugs: code that will do something else than its author wants.
Walk through each changed function with ordinary, empty, largest and hostile input, and with the failure of each call \
that it makes. Look for: wrong conditions and off-by-one; a value used before it is checked, or after it is freed, \
closed or moved; errors swallowed, or turned into success; resources and locks that stay held on one path; state that \
two callers change at once; a loop that need not end; units, signs, rounding, overflow, time zones; arguments in the \
wrong order; a caller or a second place that the change forgot; a promise of the function's name, comment or type \
that is not kept any more; data that is lost when something fails half way.
Style, naming, missing tests, missing documentation and taste are not bugs. Do not report them.";

const SECURITY: &str = "\
Your subject is the security of ordinary code: what somebody outside can make it do.
Follow what comes from outside (requests, files, environment, other services, databases that others fill) to where it \
acts: queries, commands, paths, URLs, templates, deserialisation, redirects, headers, log lines. Look at who may do \
what: a missing or late check of identity, tenant, ownership or role; a check on another object than the one that is \
used; defaults that are open. Look at secrets, tokens and randomness: weak or fixed ones, comparison that leaks, \
certificates not verified, ciphers out of date. Look at removed lines too: a guard that is gone is a finding.
Name the way from the input to the harm. Where you see no such way, there is no finding. Give the CWE where one fits.";

const LLM_SECURITY: &str = "\
Your subject is code around a language model (OWASP Top 10 for LLM applications).
Look for: untrusted text that becomes part of a prompt as if it were an instruction; a model's output that is run, \
rendered, put into a query, a path or a request without a check; secrets and personal data sent to a model or kept in \
its context; retrieval that mixes tenants; missing bounds on tokens, money, time or depth; system prompts that hold \
secrets or are the only guard; models, adapters and data sets loaded from places that nobody verifies.
Give `owasp` as LLM01:2025 to LLM10:2025. Code that has nothing to do with a model gets no finding here.";

const AGENT_SECURITY: &str = "\
Your subject is agents: programs that let a model decide what is done (OWASP agentic threats).
Look for: tools that can do more than the task needs, or run with the rights of another user; actions that cannot be \
taken back and that nobody confirms; a confirmation that the model itself can give; goals, memory or plans that text \
from outside can rewrite; shell, file and network access without a sandbox or an allow-list; agents that trust each \
other's messages without proof; loops without an end; actions that leave no record.
Code that has nothing to do with agents gets no finding here.";

const MCP: &str = "\
Your subject is servers and clients of the Model Context Protocol (OWASP MCP Top 10).
Look for: tool descriptions or results that carry instructions and are passed on as trusted; tool parameters that \
reach commands, paths, queries or URLs unchecked; missing authentication, or a token that is passed through to \
another service; sessions that can be guessed or taken over; servers that listen beyond loopback or take any Origin \
or Host; annotations that call a destructive tool read-only; servers started from packages without a pinned version; \
secrets in configuration; errors that tell callers what is inside.
Code that has nothing to do with MCP gets no finding here.";

const SECRET: &str = "\
Your subject is credentials. Their values were taken out before you see the code: `[masked]` stands in their place, \
and rules have reported those already; do not report a `[masked]` as such.
Look for what rules cannot see: a credential that is printed, logged, put into an error, a URL, a page, an image or \
an artefact; one that is written to a file others can read; a default password; a key made from something that \
others know; one real value that clearly is a credential and was not masked; a check that lets a fixed value in.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_its_own() {
        let tasks: std::collections::BTreeSet<&str> = ReportType::ALL.into_iter().map(task).collect();
        assert_eq!(tasks.len(), ReportType::ALL.len());
    }
}
