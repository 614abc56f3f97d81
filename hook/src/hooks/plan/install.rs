//! Putting the hook in place.

use sha2::{Digest as _, Sha256};

use super::super::block::{self, Found};
use super::super::lefthook::{self, Extension};
use super::super::owner::{self, Owner, looks_at_its_name, owner as owner_of};
use super::super::script::{self, Finder};
use super::super::{
    Entry, Facts, HOOK_BYTES_MAX, HookError, HookFile, HooksDir, Husky, KEPT_NAME, Place, kept_beside,
};
use super::{Plan, Step};

const EXECUTABLE: u32 = 0o755;
const PLAIN: u32 = 0o644;

pub(super) fn plan(facts: &Facts) -> Result<Plan, HookError> {
    if facts.hooks_dir == HooksDir::Other {
        return Err(HookError::HooksDirIsNoDirectory { path: facts.site.hooks_dir.clone() });
    }
    let mut plan = Plan::default();
    if let Some(husky) = &facts.husky {
        under_husky(facts, husky, &mut plan)?;
        return Ok(plan);
    }
    match &facts.hook.entry {
        Entry::Directory => return Err(HookError::HookIsDirectory { path: facts.hook.path.clone() }),
        Entry::Missing => own(facts, &facts.hook, &mut plan)?,
        Entry::File(file) => beside(facts, file, &mut plan)?,
    }
    remarks(facts, &mut plan);
    Ok(plan)
}

/// A hook is there already.
fn beside(facts: &Facts, file: &HookFile, plan: &mut Plan) -> Result<(), HookError> {
    match owner_of(&file.contents) {
        Owner::Prevet(_) => own(facts, &facts.hook, plan),
        _ if calls_us_by_hand(file) => {
            plan.tell(format!("{} calls prevet already and stays as it is", facts.hook.path.display()));
            Ok(())
        }
        Owner::PreCommit => own(facts, &facts.legacy, plan),
        Owner::Lefthook => through_lefthook(facts, plan),
        Owner::SimpleGitHooks => {
            own(facts, &facts.hook, plan)?;
            plan.tell(
                "simple-git-hooks writes the hook anew whenever it runs: run `prevet init` again after that, or \
                 put `prevet hook pre-push \"$@\"` first in its pre-push command",
            );
            Ok(())
        }
        Owner::Other if has_block(file) || takes_block(facts, file) => {
            launcher(facts, plan)?;
            in_block(&facts.hook, file, plan)
        }
        Owner::Other => own(facts, &facts.hook, plan),
    }
}

fn calls_us_by_hand(file: &HookFile) -> bool {
    !has_block(file) && owner::calls_us(&file.contents)
}

fn has_block(file: &HookFile) -> bool {
    block::find(&file.contents) != Found::Nothing
}

/// A shell hook that is shared is the team's, and a diff of a few lines in it is better than a renamed file;
/// one that looks at its own name would not work under another.
fn takes_block(facts: &Facts, file: &HookFile) -> bool {
    let editable = file.executable && file.whole && !file.symlink && owner::is_shell(&file.contents);
    editable && (facts.site.is_shared() || looks_at_its_name(&file.contents))
}

/// `place` becomes a hook of ours; what is there is kept beside it.
fn own(facts: &Facts, place: &Place, plan: &mut Plan) -> Result<(), HookError> {
    let finder = if facts.site.is_shared() {
        launcher(facts, plan)?;
        Finder::Launcher
    } else {
        Finder::Path(&facts.site.binary)
    };
    let contents = script::hook(finder)?.into_bytes();
    let write = Step::Write { path: place.path.clone(), contents: contents.clone(), mode: EXECUTABLE };
    match &place.entry {
        Entry::Directory => return Err(HookError::HookIsDirectory { path: place.path.clone() }),
        Entry::Missing => plan.push(write),
        Entry::File(file) => match owner_of(&file.contents) {
            Owner::Prevet(version) if version > script::VERSION => {
                plan.tell(format!("{} is of a newer prevet and stays as it is", place.path.display()));
            }
            Owner::Prevet(_) if file.contents != contents => plan.push(write),
            Owner::Prevet(_) if !file.executable => {
                plan.push(Step::MakeExecutable { path: place.path.clone() });
            }
            Owner::Prevet(_) => {}
            _ => {
                keep(place, file, plan)?;
                plan.push(write);
            }
        },
    }
    Ok(())
}

/// A name for old contents that only the same contents can have.
fn short_hash(contents: &[u8]) -> String {
    Sha256::digest(contents).iter().take(4).fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// Renames what is at `place`. An older kept hook is never written over: the tool that replaced our hook left
/// it behind, so it moves on to a free name.
fn keep(place: &Place, file: &HookFile, plan: &mut Plan) -> Result<(), HookError> {
    let kept = kept_beside(&place.path);
    match &place.kept {
        Entry::Missing => {}
        Entry::Directory => return Err(HookError::HookIsDirectory { path: kept }),
        Entry::File(older) if older == file => {}
        Entry::File(older) => {
            let aside = kept.with_file_name(format!("{KEPT_NAME}.{}", short_hash(&older.contents)));
            plan.tell(format!(
                "an older kept hook moves to {} and is not run; look whether you still need it",
                aside.display()
            ));
            plan.push(Step::Move { from: kept.clone(), to: aside });
        }
    }
    if !file.executable {
        plan.tell(format!(
            "{} was not executable, so git did not run it, and it is still not run",
            place.path.display()
        ));
    }
    plan.push(Step::Move { from: place.path.clone(), to: kept });
    Ok(())
}

fn launcher(facts: &Facts, plan: &mut Plan) -> Result<(), HookError> {
    let place = &facts.launcher;
    let contents = script::launcher(&facts.site.binary)?.into_bytes();
    let file = place.entry.file();
    let version = file.and_then(|file| owner::marked(&file.contents, owner::LAUNCHER_MARKER));
    if version.is_some_and(|version| version > script::VERSION) {
        return Ok(());
    }
    if !file.is_some_and(|file| file.contents == contents && file.executable) {
        plan.push(Step::Write { path: place.path.clone(), contents, mode: EXECUTABLE });
    }
    Ok(())
}

fn under_husky(facts: &Facts, husky: &Husky, plan: &mut Plan) -> Result<(), HookError> {
    let place = &husky.hook;
    launcher(facts, plan)?;
    match &place.entry {
        Entry::Directory => Err(HookError::HookIsDirectory { path: place.path.clone() }),
        Entry::Missing => {
            let header =
                if husky.sources_script { script::CREATED_HEADER_HUSKY_8 } else { script::CREATED_HEADER };
            let at = if husky.sources_script { header.len() } else { 0 };
            let contents = block::insert(header.as_bytes(), at, &script::block());
            plan.push(Step::Write { path: place.path.clone(), contents, mode: EXECUTABLE });
            Ok(())
        }
        Entry::File(file) if calls_us_by_hand(file) => {
            plan.tell(format!("{} calls prevet already and stays as it is", place.path.display()));
            Ok(())
        }
        Entry::File(file) if husky.sources_script && !owner::is_shell(&file.contents) => {
            own(facts, place, plan)
        }
        Entry::File(file) => {
            in_block(place, file, plan)?;
            if husky.sources_script && !file.executable {
                plan.tell(format!("{} is not executable, so git does not run it", place.path.display()));
            }
            Ok(())
        }
    }
}

/// Puts the block into the file, or renews it.
fn in_block(place: &Place, file: &HookFile, plan: &mut Plan) -> Result<(), HookError> {
    let path = place.path.clone();
    if !file.whole {
        return Err(HookError::TooLarge { path, limit_bytes: HOOK_BYTES_MAX });
    }
    let text = &file.contents;
    let contents = match block::find(text) {
        Found::Broken => return Err(HookError::BrokenBlock { path }),
        Found::Block(_, version) if version > script::VERSION => return Ok(()),
        Found::Block(range, _) => block::renew(text, &range, &script::block()),
        Found::Nothing => block::insert(text, block::place_in_shell(text), &script::block()),
    };
    if contents != *text {
        plan.push(Step::Edit { path, contents });
    }
    Ok(())
}

fn through_lefthook(facts: &Facts, plan: &mut Plan) -> Result<(), HookError> {
    let extension = facts.lefthook_local.as_ref().map(|local| (local, lefthook::extend(local)));
    match extension {
        Some((local, Extension::Contents(contents))) => {
            launcher(facts, plan)?;
            let path = local.path.clone();
            if local.entry == Entry::Missing {
                plan.tell(format!(
                    "{} is for this machine alone: have git ignore it if it does not yet",
                    path.display()
                ));
                plan.push(Step::Write { path, contents, mode: PLAIN });
            } else {
                plan.push(Step::Edit { path, contents });
            }
            Ok(())
        }
        Some((_, Extension::Done)) => launcher(facts, plan),
        Some((_, Extension::ByHand)) | None => {
            own(facts, &facts.hook, plan)?;
            plan.tell(
                "lefthook writes the hook anew when its configuration changes: run `prevet init` again after \
                 that. To have it for good, run `prevet init --remove` and add to lefthook's local \
                 configuration:\n  pre-push:\n    commands:\n      prevet: { run: \"prevet hook pre-push {0}\", \
                 use_stdin: true }",
            );
            Ok(())
        }
    }
}

fn remarks(facts: &Facts, plan: &mut Plan) {
    if !plan.changes_anything() {
        return;
    }
    if facts.husky_asleep {
        plan.tell("husky is not active in this clone yet; run `prevet init` again once it is");
    }
    if facts.site.is_global() {
        plan.tell(format!(
            "core.hooksPath leads outside this repository, to {}: the hook serves every repository that uses it",
            facts.site.hooks_dir.display()
        ));
    }
}
