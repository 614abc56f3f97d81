//! What the names in a file stand for: imports, typed variables, and dotted paths of expressions.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use regex::Regex;
use tree_sitter::Node;

use super::grammar::{self, Shape};
use super::tracker::Tracker;
use crate::language::Language;

/// Longer chains are not named.
const PARTS_MAX: usize = 12;

/// The first parts of names, and what they stand for.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    stands_for: HashMap<String, String>,
    /// Functions that are given as tools somewhere in the file.
    pub tools: HashSet<String>,
}

impl Names {
    /// `name` and what it stands for.
    pub fn readings(&self, name: &str) -> Vec<String> {
        let mut readings = vec![name.to_owned()];
        let (first, rest) = name.split_once('.').map_or((name, ""), |(first, rest)| (first, rest));
        let bare = super::pattern::bare(first);
        if let Some(full) = self.stands_for.get(bare) {
            let suffix = &first[bare.len()..];
            let dot = if rest.is_empty() { "" } else { "." };
            readings.push(format!("{full}{suffix}{dot}{rest}"));
        }
        readings
    }

    pub fn learn(&mut self, name: &str, full: &str) {
        if name != full && !name.is_empty() && !full.is_empty() {
            self.stands_for.insert(name.to_owned(), full.to_owned());
        }
    }

    pub fn forget(&mut self, name: &str) {
        self.stands_for.remove(name);
    }

    pub fn read_imports(&mut self, language: Language, root: Node, text: &str) {
        match language {
            Language::Python => self.read_python(root, text),
            Language::JavaScript | Language::TypeScript | Language::Tsx => self.read_javascript(text),
            Language::Go => self.read_go(text),
            _ => {}
        }
    }

    fn read_python(&mut self, root: Node, text: &str) {
        for node in grammar::named(root) {
            let module = node.child_by_field_name("module_name").and_then(|name| text.get(name.byte_range()));
            for name in grammar::children_in(node, "name") {
                if !node.kind().starts_with("import") {
                    continue;
                }
                let own = name.child_by_field_name("name").unwrap_or(name);
                let alias = name.child_by_field_name("alias");
                let Some(own_text) = text.get(own.byte_range()) else { continue };
                let local = alias.and_then(|alias| text.get(alias.byte_range())).unwrap_or(own_text);
                let full =
                    module.map_or_else(|| own_text.to_owned(), |module| format!("{module}.{own_text}"));
                self.learn(local, &full);
            }
        }
        for found in TOOL_LISTS.captures_iter(text) {
            let list = found.iter().skip(1).flatten().map(|list| list.as_str());
            self.tools
                .extend(list.flat_map(|list| WORD.find_iter(list)).map(|word| word.as_str().to_owned()));
        }
    }

    fn read_javascript(&mut self, text: &str) {
        for found in JS_IMPORTS.captures_iter(text) {
            let module =
                found.name("from").or_else(|| found.name("require")).map_or("", |name| name.as_str());
            let module = module.trim_start_matches("node:").replace(['/', '.'], "_");
            let Some(what) = found.name("names").or_else(|| found.name("bound")) else { continue };
            self.learn_bindings(what.as_str(), &module);
        }
    }

    fn learn_bindings(&mut self, bindings: &str, module: &str) {
        let (outside, inside) = match (bindings.find('{'), bindings.rfind('}')) {
            (Some(open), Some(close)) if open < close => (&bindings[..open], &bindings[open + 1..close]),
            _ => (bindings, ""),
        };
        for name in outside.split(',') {
            let name = name.trim().trim_start_matches("* as ").trim();
            self.learn(name, module);
        }
        for name in inside.split(',') {
            let name = name.trim().trim_start_matches("type ");
            let (own, local) =
                name.split_once(" as ").or_else(|| name.split_once(':')).unwrap_or((name, name));
            self.learn(local.trim(), &format!("{module}.{}", own.trim()));
        }
    }

    fn read_go(&mut self, text: &str) {
        for found in GO_IMPORTS.captures_iter(text) {
            let package = found[2].rsplit('/').next().unwrap_or_default().to_owned();
            self.learn(&found[1], &package);
        }
    }
}

/// `Query` of `Query<User>`.
fn without_types(name: &str) -> &str {
    name.split('<').next().unwrap_or(name)
}

#[expect(clippy::expect_used, reason = "the pattern is a constant and a test compiles it")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

static WORD: LazyLock<Regex> = LazyLock::new(|| regex(r"[A-Za-z_]\w*"));

static TOOL_LISTS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\btools\s*=\s*\[([^\]]{0,2000})\]|\b(?:func|coroutine)\s*=\s*(\w+)|\b(?:from_function|FunctionTool|from_defaults)\(\s*(?:fn=)?(\w+)",
    )
});

static JS_IMPORTS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?m)(?:^\s*import\s+(?P<names>[^'";]{1,800}?)\s+from\s+['"](?P<from>[^'"]+)['"]|(?:const|let|var)\s+(?P<bound>\w+|\{[^}]{1,800}\})\s*=\s*(?:await\s+import|require)\(\s*['"](?P<require>[^'"]+)['"]\s*\))"#,
    )
});

static GO_IMPORTS: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(?m)^\s*(?:import\s+)?(\w+)\s+"([\w./-]+)"\s*$"#));

impl<'t> Tracker<'t> {
    /// The dotted name of an expression, `None` where it has none.
    pub fn path(&self, node: Node<'t>) -> Option<String> {
        self.path_within(node, PARTS_MAX)
    }

    fn path_within(&self, node: Node<'t>, parts: usize) -> Option<String> {
        if parts == 0 {
            return None;
        }
        let inner = |child: Option<Node>| self.path_within(child?, parts - 1);
        match self.shape(node) {
            Shape::Name => Some(without_types(self.text_of(node)).to_owned()),
            Shape::Member(object, field) => {
                let field = without_types(self.text_of(grammar::child(node, field)?));
                Some(format!("{}.{field}", inner(grammar::child(node, object))?))
            }
            Shape::Index(object, index) => {
                let object = inner(grammar::child(node, object))?;
                Some(match grammar::child(node, index).and_then(|index| self.key_text(index)) {
                    Some(key) if key.parse::<i64>().is_err() => format!("{object}.{key}"),
                    _ => format!("{object}[]"),
                })
            }
            Shape::Call(callee, _) => Some(format!("{}()", inner(grammar::child(node, callee))?)),
            Shape::Method(object, name, _) => {
                let name = self.text_of(grammar::child(node, name)?);
                match grammar::child(node, object) {
                    Some(object) => Some(format!("{}.{name}()", inner(Some(object))?)),
                    None => Some(format!("{name}()")),
                }
            }
            Shape::New(class, _) => {
                Some(format!("{}()", without_types(self.text_of(grammar::child(node, class)?))))
            }
            Shape::Wrap => inner(grammar::named(node).last()),
            Shape::WrapField(field) => inner(grammar::child(node, field)),
            Shape::Other if node.kind().ends_with("type_identifier") => Some(self.text_of(node).to_owned()),
            _ => None,
        }
    }

    /// The dotted name of what is called.
    pub fn callee_path(&self, node: Node<'t>) -> Option<String> {
        if matches!(self.shape(node), Shape::Name) && self.grammar.language == Language::Ruby {
            return Some(self.text_of(node).to_owned());
        }
        match self.path(node) {
            Some(path) => {
                let callee = path.strip_suffix("()").unwrap_or(&path);
                // What a call gives back and is called at once has no name.
                (!callee.ends_with("()")).then(|| callee.to_owned())
            }
            None => self.method_name(node).map(|name| format!("?.{name}")),
        }
    }

    /// The last part of what is called, where the object has no name.
    fn method_name(&self, node: Node<'t>) -> Option<&'t str> {
        let name = match self.shape(node) {
            Shape::Call(callee, _) => return self.method_name(grammar::child(node, callee)?),
            Shape::Member(_, name) | Shape::Method(_, name, _) => grammar::child(node, name)?,
            _ => return None,
        };
        Some(self.text_of(name))
    }

    /// The text of a constant key, without quotes and sigils.
    pub fn key_text(&self, node: Node<'t>) -> Option<String> {
        match self.shape(node) {
            Shape::Text | Shape::Literal => {
                let text = self.text_of(node);
                Some(text.trim_matches(['"', '\'', '`', ':']).to_owned())
            }
            _ => None,
        }
    }

    /// Whether the value under `path`, as written or as what it stands for, matches.
    pub fn readings(&self, path: &str) -> Vec<String> {
        self.names.readings(path)
    }
}
