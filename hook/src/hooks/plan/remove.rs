//! Taking the hook away: what was there comes back byte for byte, and only what is ours goes.

use std::collections::BTreeSet;

use super::super::block::{self, Found};
use super::super::owner::{self, Owner, owner as owner_of};
use super::super::{Entry, Facts, HookError, HookFile, Place, kept_beside, script};
use super::{Plan, Step};

pub(super) fn plan(facts: &Facts) -> Result<Plan, HookError> {
    let mut plan = Plan::default();
    let mut restored = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let husky = facts.husky.iter().map(|husky| &husky.hook);
    let hooks = [&facts.hook, &facts.legacy].into_iter().chain(husky).chain(&facts.asleep);
    for place in hooks.chain(&facts.lefthook_local) {
        // Under husky 8 the team's hook is the one that git runs, and comes by twice.
        if let Entry::File(file) = &place.entry
            && seen.insert(&place.path)
        {
            from_place(place, file, &mut restored, &mut plan)?;
        }
    }
    let launcher = facts.launcher.entry.file();
    if launcher.is_some_and(|file| owner::marked(&file.contents, owner::LAUNCHER_MARKER).is_some()) {
        plan.push(Step::Delete { path: facts.launcher.path.clone() });
    }
    if facts.site.is_global() && plan.changes_anything() {
        plan.tell("core.hooksPath leads outside this repository: other repositories lose the hook too");
    }
    Ok(plan)
}

fn from_place(
    place: &Place,
    file: &HookFile,
    restored: &mut BTreeSet<std::path::PathBuf>,
    plan: &mut Plan,
) -> Result<(), HookError> {
    let path = place.path.clone();
    if matches!(owner_of(&file.contents), Owner::Prevet(_)) {
        let kept = kept_beside(&path);
        if place.kept.file().is_some() && restored.insert(kept.clone()) {
            plan.push(Step::Move { from: kept, to: path });
        } else {
            plan.push(Step::Delete { path });
        }
        return Ok(());
    }
    match block::find(&file.contents) {
        Found::Nothing => Ok(()),
        Found::Broken => Err(HookError::BrokenBlock { path }),
        Found::Block(range, _) => {
            let contents = block::cut(&file.contents, &range);
            plan.push(if was_made_by_us(&contents) {
                Step::Delete { path }
            } else {
                Step::Edit { path, contents }
            });
            Ok(())
        }
    }
}

fn was_made_by_us(rest: &[u8]) -> bool {
    let made = [script::CREATED_HEADER, script::CREATED_HEADER_HUSKY_8];
    made.iter().any(|header| rest == header.as_bytes())
}
