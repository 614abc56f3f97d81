//! What each kind of node means, by language.

mod csharp;
mod go;
mod java;
mod javascript;
mod php;
mod python;
mod ruby;

use std::sync::LazyLock;

use ast_grep_core::tree_sitter::LanguageExt;
use tree_sitter::Node;

use crate::language::Language;
use crate::syntax::Grammar as Parsing;

/// A field of a node, by name; the empty name stands for its position among the named children.
pub(super) type Field = &'static str;

/// What a kind of node means here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nothing special: its children are looked at in order.
    Other,
    /// Neither values nor effects.
    Skip,
    /// A variable.
    Name,
    /// `object.field`.
    Member(Field, Field),
    /// `object[index]`.
    Index(Field, Field),
    /// `callee(arguments)`.
    Call(Field, Field),
    /// `object.name(arguments)`, in one node.
    Method(Field, Field, Field),
    /// `new Class(arguments)`.
    New(Field, Field),
    /// A string, which may hold expressions.
    Text,
    /// Any other constant.
    Literal,
    /// `left operator right`.
    Binary,
    /// `operator argument`.
    Unary(Field),
    /// `condition ? yes : no`.
    Choice(Field, Field, Field),
    /// Stands for its last child.
    Wrap,
    /// Stands for a field.
    WrapField(Field),
    /// `(type) value`.
    Cast(Field, Field),
    /// A list, an object.
    Collection,
    /// `key: value`.
    Pair(Field, Field),
    /// `name=value` among arguments.
    Keyword,
    /// A comprehension.
    Comprehension,
    /// A function: parameters and body.
    Function(Field, Field),
    /// `left = right`.
    Assign(Field, Field),
    /// `left += right`.
    Augment(Field, Field),
    /// `if condition yes else no`.
    If(Field, Field, Field),
    /// The same with the condition turned round.
    Unless(Field, Field, Field),
    /// `for left in right body`.
    Each(Field, Field, Field),
    /// `while condition body`.
    While(Field, Field),
    /// A body, then what catches.
    Try,
    /// `switch value cases`.
    Switch(Field),
    /// One case: a branch of its own.
    Case,
    /// Leaves the function or the loop.
    Exit,
    /// Leaves with a value.
    Return,
}

/// A kind and what it means.
pub(super) type Row = (&'static str, Shape);

/// A language's kinds.
pub(super) struct Grammar {
    pub language: Language,
    /// Calls that end the function: `abort`, `sys.exit`.
    pub exits: &'static [&'static str],
    shapes: Vec<Shape>,
}

impl Grammar {
    fn new(language: Language, rows: &[Row], exits: &'static [&'static str]) -> Self {
        let parsing = Parsing(language).get_ts_language();
        let mut shapes = vec![Shape::Other; parsing.node_kind_count()];
        for (id, shape) in shapes.iter_mut().enumerate() {
            let name = u16::try_from(id).ok().and_then(|id| parsing.node_kind_for_id(id));
            if let Some((_, known)) = rows.iter().find(|(kind, _)| Some(*kind) == name) {
                *shape = *known;
            }
        }
        Self { language, exits, shapes }
    }

    pub fn shape(&self, node: Node) -> Shape {
        if !node.is_named() {
            return Shape::Skip;
        }
        self.shapes.get(usize::from(node.kind_id())).copied().unwrap_or(Shape::Other)
    }
}

/// The child of `node` in `field`; `0` to `9` is a position among the named children.
pub(super) fn child(node: Node<'_>, field: Field) -> Option<Node<'_>> {
    match field.parse::<u32>() {
        Ok(at) => named(node).nth(at as usize),
        Err(_) => node.child_by_field_name(field),
    }
}

/// The named children, without comments. Through a cursor: by index, long lists would take quadratic time.
pub(super) fn named(node: Node<'_>) -> std::vec::IntoIter<Node<'_>> {
    let mut cursor = node.walk();
    let children = node.named_children(&mut cursor).filter(|child| !child.is_extra());
    children.collect::<Vec<_>>().into_iter()
}

/// The children in `field`, in order.
pub(super) fn children_in(node: Node<'_>, field: Field) -> Vec<Node<'_>> {
    node.children_by_field_name(field, &mut node.walk()).collect()
}

static PYTHON: LazyLock<Grammar> = LazyLock::new(|| python::grammar(Language::Python));
static JAVASCRIPT: LazyLock<Grammar> = LazyLock::new(|| javascript::grammar(Language::JavaScript));
static TYPESCRIPT: LazyLock<Grammar> = LazyLock::new(|| javascript::grammar(Language::TypeScript));
static TSX: LazyLock<Grammar> = LazyLock::new(|| javascript::grammar(Language::Tsx));
static GO: LazyLock<Grammar> = LazyLock::new(|| go::grammar(Language::Go));
static JAVA: LazyLock<Grammar> = LazyLock::new(|| java::grammar(Language::Java));
static RUBY: LazyLock<Grammar> = LazyLock::new(|| ruby::grammar(Language::Ruby));
static CSHARP: LazyLock<Grammar> = LazyLock::new(|| csharp::grammar(Language::CSharp));
static PHP: LazyLock<Grammar> = LazyLock::new(|| php::grammar(Language::Php));

/// The grammar of `language`, where values are followed in it.
pub(super) fn of(language: Language) -> Option<&'static Grammar> {
    Some(match language {
        Language::Python => &*PYTHON,
        Language::JavaScript => &*JAVASCRIPT,
        Language::TypeScript => &*TYPESCRIPT,
        Language::Tsx => &*TSX,
        Language::Go => &*GO,
        Language::Java => &*JAVA,
        Language::Ruby => &*RUBY,
        Language::Php => &*PHP,
        Language::CSharp => &*CSHARP,
        _ => return None,
    })
}
