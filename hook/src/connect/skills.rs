//! The skills: the same text for every agent, and for the plugin.

/// A skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skill {
    /// Its name, and its folder's.
    pub name: &'static str,
    /// Its `SKILL.md`.
    pub text: &'static str,
}

/// A file with this line was written by us, and is replaced and removed without asking.
const MARK: &str = "  written-by: prevet";

/// All of them.
pub const ALL: [Skill; 5] = [
    Skill { name: "inspect", text: include_str!("../../../plugins/prevet/skills/inspect/SKILL.md") },
    Skill { name: "review-impl", text: include_str!("../../../plugins/prevet/skills/review-impl/SKILL.md") },
    Skill { name: "review-plan", text: include_str!("../../../plugins/prevet/skills/review-plan/SKILL.md") },
    Skill { name: "review-pr", text: include_str!("../../../plugins/prevet/skills/review-pr/SKILL.md") },
    Skill {
        name: "review-think",
        text: include_str!("../../../plugins/prevet/skills/review-think/SKILL.md"),
    },
];

/// Whether a skill's file is ours.
pub fn is_ours(text: &str) -> bool {
    text.lines().any(|line| line == MARK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_one_that_agents_read() {
        for skill in ALL {
            let front = skill.text.strip_prefix("---\n").and_then(|text| text.split_once("\n---\n"));
            let (front, body) = front.unwrap_or_else(|| panic!("{} has no front matter", skill.name));
            assert!(front.lines().any(|line| line == format!("name: {}", skill.name)), "{}", skill.name);
            let description = front.lines().find_map(|line| line.strip_prefix("description: ")).unwrap();
            assert!((80..1024).contains(&description.len()) && !description.contains(": "), "{}", skill.name);
            assert!(is_ours(skill.text), "{}", skill.name);
            assert!(body.len() > 1_000 && skill.text.ends_with('\n'), "{}", skill.name);
        }
    }
}
