//! Which nodes of a tree define something that has a name.

use crate::language::Language;

/// The word for what a node of `kind` defines; `None` for a node that defines nothing.
pub fn defines(language: Language, kind: &str) -> Option<&'static str> {
    table(language).iter().find(|(node, _)| *node == kind).map(|(_, word)| *word)
}

const fn table(language: Language) -> &'static [(&'static str, &'static str)] {
    match language {
        Language::Python => PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => SCRIPT,
        Language::Go => GO,
        Language::Java => JAVA,
        Language::Rust => RUST,
        Language::Ruby => RUBY,
        Language::Php => PHP,
        Language::CSharp => CSHARP,
        Language::Shell => SHELL,
        Language::Yaml | Language::Json | Language::Dockerfile | Language::Terraform => &[],
    }
}

const PYTHON: &[(&str, &str)] = &[("function_definition", "function"), ("class_definition", "class")];
const SCRIPT: &[(&str, &str)] = &[
    ("function_declaration", "function"),
    ("generator_function_declaration", "function"),
    ("variable_declarator", "function"),
    ("method_definition", "method"),
    ("class_declaration", "class"),
    ("abstract_class_declaration", "class"),
    ("interface_declaration", "interface"),
    ("type_alias_declaration", "type"),
    ("enum_declaration", "enum"),
];
const GO: &[(&str, &str)] =
    &[("function_declaration", "function"), ("method_declaration", "method"), ("type_spec", "type")];
const JAVA: &[(&str, &str)] = &[
    ("class_declaration", "class"),
    ("interface_declaration", "interface"),
    ("enum_declaration", "enum"),
    ("record_declaration", "record"),
    ("method_declaration", "method"),
    ("constructor_declaration", "constructor"),
];
const RUST: &[(&str, &str)] = &[
    ("function_item", "function"),
    ("function_signature_item", "function"),
    ("struct_item", "struct"),
    ("enum_item", "enum"),
    ("union_item", "union"),
    ("trait_item", "trait"),
    ("impl_item", "impl"),
    ("mod_item", "module"),
    ("const_item", "constant"),
    ("static_item", "static"),
    ("type_item", "type"),
    ("macro_definition", "macro"),
];
const RUBY: &[(&str, &str)] =
    &[("method", "method"), ("singleton_method", "method"), ("class", "class"), ("module", "module")];
const PHP: &[(&str, &str)] = &[
    ("function_definition", "function"),
    ("method_declaration", "method"),
    ("class_declaration", "class"),
    ("interface_declaration", "interface"),
    ("trait_declaration", "trait"),
    ("enum_declaration", "enum"),
];
const CSHARP: &[(&str, &str)] = &[
    ("class_declaration", "class"),
    ("struct_declaration", "struct"),
    ("interface_declaration", "interface"),
    ("record_declaration", "record"),
    ("enum_declaration", "enum"),
    ("method_declaration", "method"),
    ("constructor_declaration", "constructor"),
    ("property_declaration", "property"),
];
const SHELL: &[(&str, &str)] = &[("function_definition", "function")];
