//! Which nodes define, call, import and name something, per language.

use tree_sitter::Node;

use crate::language::Language;
use crate::structure::defines;

/// Whether the graph knows the language.
pub const fn is_covered(language: Language) -> bool {
    !matches!(language, Language::Yaml | Language::Json | Language::Dockerfile | Language::Terraform)
}

/// Languages whose files use each other's names, by the one that stands for them.
pub const fn family(language: Language) -> Language {
    match language {
        Language::TypeScript | Language::Tsx => Language::JavaScript,
        other => other,
    }
}

/// A node that gives something a name.
pub(super) struct Defining<'tree> {
    pub word: &'static str,
    pub name: Node<'tree>,
    /// The node with decorators and the keywords before it.
    pub whole: Node<'tree>,
}

/// A node on the way from the root. Asking a node for its parent walks down from the root again, along all siblings:
/// a file of many lines would take for ever.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'tree> {
    pub node: Node<'tree>,
    /// Its field in its parent.
    pub field: Option<&'tree str>,
}

/// What `node` defines, if anything; `above` is the way to it.
pub(super) fn defining<'tree>(
    language: Language,
    node: Node<'tree>,
    above: &[Step<'tree>],
) -> Option<Defining<'tree>> {
    if !node.is_named() {
        return None;
    }
    let kind = node.kind();
    match kind {
        "variable_declarator" => declarator(language, node, above),
        "assignment_expression" | "pair" | "field_definition" | "public_field_definition" => {
            function_value(node)
        }
        "assignment" => constant(node, above),
        "const_spec" | "var_spec" if language == Language::Go => {
            let name = node.child_by_field_name("name")?;
            at_top(above).then_some(Defining { word: "constant", name, whole: node })
        }
        _ => {
            let word = defines(language, kind)?;
            let field = if kind == "impl_item" { "type" } else { "name" };
            let name = node.child_by_field_name(field)?;
            // An implementation for `Shop<T>` is one for `Shop`.
            let name = name.child_by_field_name("type").unwrap_or(name);
            Some(Defining { word, name, whole: with_decorators(node, above) })
        }
    }
}

fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "arrow_function" | "function_expression" | "function" | "generator_function" | "class"
    )
}

fn declarator<'tree>(
    language: Language,
    node: Node<'tree>,
    above: &[Step<'tree>],
) -> Option<Defining<'tree>> {
    let name = node.child_by_field_name("name")?;
    let (declaration, further) = above.split_last()?;
    let whole = with_decorators(declaration.node, further);
    if node.child_by_field_name("value").is_some_and(is_function) {
        return Some(Defining { word: "function", name, whole });
    }
    let field = language == Language::Java && whole.kind() == "field_declaration";
    let word = if field { "field" } else { "constant" };
    (field || at_top(above) && name.kind() == "identifier").then_some(Defining { word, name, whole })
}

/// `exports.total = function …`, `total: () => …`, and the like in a class.
fn function_value(node: Node<'_>) -> Option<Defining<'_>> {
    let value = node.child_by_field_name("right").or_else(|| node.child_by_field_name("value"))?;
    if !is_function(value) {
        return None;
    }
    let named = ["left", "key", "name", "property"].iter().find_map(|it| node.child_by_field_name(it))?;
    let name = named.child_by_field_name("property").unwrap_or(named);
    Some(Defining { word: "function", name, whole: node })
}

/// A name that a module gives a value, in Python and Ruby.
fn constant<'tree>(node: Node<'tree>, above: &[Step<'tree>]) -> Option<Defining<'tree>> {
    let name = node.child_by_field_name("left")?;
    let named = matches!(name.kind(), "identifier" | "constant");
    (named && at_top(above)).then_some(Defining { word: "constant", name, whole: node })
}

/// Whether nothing but statements and declarations stand between a node and its file.
fn at_top(above: &[Step<'_>]) -> bool {
    const BETWEEN: &[&str] = &[
        "expression_statement",
        "lexical_declaration",
        "variable_declaration",
        "export_statement",
        "const_declaration",
        "var_declaration",
        "var_spec_list",
    ];
    let Some((_, between)) = above.split_first() else { return false };
    between.iter().all(|step| BETWEEN.contains(&step.node.kind()))
}

fn with_decorators<'tree>(node: Node<'tree>, above: &[Step<'tree>]) -> Node<'tree> {
    match above.last() {
        Some(Step { node: parent, .. })
            if matches!(parent.kind(), "decorated_definition" | "export_statement") =>
        {
            *parent
        }
        _ => node,
    }
}

/// Leaves that name something.
pub(super) fn is_name(kind: &str) -> bool {
    matches!(
        kind,
        "identifier"
            | "field_identifier"
            | "type_identifier"
            | "property_identifier"
            | "private_property_identifier"
            | "shorthand_property_identifier"
            | "shorthand_field_identifier"
            | "constant"
            | "name"
            | "word"
    )
}

/// Nodes that bring names of other files in.
pub(super) fn is_import(language: Language, node: Node<'_>) -> bool {
    match (language, node.kind()) {
        (Language::Python, "import_statement" | "import_from_statement")
        | (
            Language::JavaScript | Language::TypeScript | Language::Tsx,
            "import_statement" | "import_require_clause",
        )
        | (Language::Go, "import_spec")
        | (Language::Java, "import_declaration")
        | (Language::Rust, "use_declaration")
        | (Language::Php, "namespace_use_declaration")
        | (Language::CSharp, "using_directive") => true,
        (Language::JavaScript | Language::TypeScript | Language::Tsx, "export_statement") => {
            node.child_by_field_name("source").is_some()
        }
        _ => false,
    }
}

/// Functions that bring a file in.
pub(super) fn is_loader(language: Language, name: &str) -> bool {
    match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => name == "require",
        Language::Ruby => matches!(name, "require" | "require_relative" | "load"),
        Language::Shell => matches!(name, "source" | "."),
        _ => false,
    }
}

/// Nodes that call, make or render what one of their fields names.
pub(super) fn is_call(kind: &str) -> bool {
    matches!(
        kind,
        "call"
            | "call_expression"
            | "new_expression"
            | "method_invocation"
            | "object_creation_expression"
            | "invocation_expression"
            | "function_call_expression"
            | "member_call_expression"
            | "nullsafe_member_call_expression"
            | "scoped_call_expression"
            | "macro_invocation"
            | "command"
            | "jsx_self_closing_element"
            | "jsx_opening_element"
            | "composite_literal"
            | "struct_expression"
    )
}

/// The fields of a call that name what is called.
pub(super) fn is_callee(field: &str) -> bool {
    matches!(field, "function" | "constructor" | "name" | "method" | "type" | "macro")
}

/// Nodes of which the last name is the one that counts.
pub(super) fn is_member(kind: &str) -> bool {
    matches!(
        kind,
        "attribute"
            | "member_expression"
            | "selector_expression"
            | "field_expression"
            | "scoped_identifier"
            | "scoped_type_identifier"
            | "member_access_expression"
            | "qualified_name"
            | "qualified_type"
            | "scope_resolution"
            | "nested_identifier"
            | "conditional_access_expression"
            | "member_binding_expression"
    )
}

/// Nodes that put type arguments or brackets around a name.
pub(super) fn is_wrapper(kind: &str) -> bool {
    matches!(
        kind,
        "generic_name"
            | "generic_type"
            | "generic_function"
            | "type_instantiation_expression"
            | "parenthesized_expression"
            | "command_name"
            | "non_null_expression"
            | "instantiation_expression"
    )
}

/// Whether a name in that field of that node is one that the code makes up: a parameter, or a label.
pub(super) fn binds(parent: &str, field: Option<&str>) -> bool {
    match parent {
        "parameters" | "lambda_parameters" | "formal_parameters" | "method_parameters"
        | "block_parameters" => true,
        "typed_parameter" => field.is_none(),
        "keyword_argument"
        | "default_parameter"
        | "typed_default_parameter"
        | "parameter_declaration"
        | "formal_parameter"
        | "parameter"
        | "required_parameter"
        | "optional_parameter"
        | "function_expression"
        | "class" => matches!(field, Some("name" | "pattern")),
        _ => false,
    }
}
