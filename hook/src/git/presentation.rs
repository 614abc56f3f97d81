//! How git shows a patch when nobody has configured it.
//!
//! What changes the content of a file for git (filters, line endings, ignore rules, submodules' settings) stays
//! as the user has it; what changes only how a change is shown is pinned here.

/// Settings that have no option of their own.
pub(super) const NEUTRAL_SETTINGS: &[&str] = &[
    "advice.addEmbeddedRepo=false",
    "color.ui=false",
    "core.abbrev=auto",
    "core.fsmonitor=false",
    "core.quotePath=true",
    "core.safecrlf=false",
    "core.splitIndex=false",
    "diff.interHunkContext=0",
    "diff.mnemonicPrefix=false",
    "diff.noprefix=false",
    "diff.relative=false",
    "diff.renameLimit=1000",
    "diff.suppressBlankEmpty=false",
    "diff.wsErrorHighlight=none",
];

/// Options of `git diff` and `git log`.
pub(super) const NEUTRAL_OPTIONS: &[&str] = &[
    "--patch",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "-U3",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "-M50%",
    "-l1000",
    "--submodule=short",
    "--no-relative",
    "--output-indicator-new=+",
    "--output-indicator-old=-",
    "--output-indicator-context= ",
    "-O/dev/null",
];
