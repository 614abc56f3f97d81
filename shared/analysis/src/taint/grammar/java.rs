use super::Shape::{
    Assign, Binary, Case, Choice, Collection, Each, Exit, Function, If, Index, Literal, Member, Method, Name,
    New, Return, Skip, Switch, Text, Try, Unary, While, Wrap, WrapField,
};
use super::{Grammar, Row};
use crate::language::Language;

const ROWS: &[Row] = &[
    ("identifier", Name),
    ("this", Name),
    ("field_access", Member("object", "field")),
    ("array_access", Index("array", "index")),
    ("method_invocation", Method("object", "name", "arguments")),
    ("object_creation_expression", New("type", "arguments")),
    ("string_literal", Text),
    ("character_literal", Literal),
    ("decimal_integer_literal", Literal),
    ("hex_integer_literal", Literal),
    ("decimal_floating_point_literal", Literal),
    ("true", Literal),
    ("false", Literal),
    ("null_literal", Literal),
    ("class_literal", Literal),
    ("binary_expression", Binary),
    ("unary_expression", Unary("operand")),
    ("parenthesized_expression", Wrap),
    ("cast_expression", WrapField("value")),
    ("ternary_expression", Choice("condition", "consequence", "alternative")),
    ("array_initializer", Collection),
    ("array_creation_expression", WrapField("value")),
    ("lambda_expression", Function("parameters", "body")),
    ("method_declaration", Function("parameters", "body")),
    ("constructor_declaration", Function("parameters", "body")),
    ("variable_declarator", Assign("name", "value")),
    ("resource", Assign("name", "value")),
    ("assignment_expression", Assign("left", "right")),
    ("if_statement", If("condition", "consequence", "alternative")),
    ("enhanced_for_statement", Each("name", "value", "body")),
    ("for_statement", While("condition", "body")),
    ("while_statement", While("condition", "body")),
    ("do_statement", While("condition", "body")),
    ("try_statement", Try),
    ("try_with_resources_statement", Try),
    ("switch_expression", Switch("condition")),
    ("switch_block_statement_group", Case),
    ("switch_rule", Case),
    ("throw_statement", Exit),
    ("break_statement", Exit),
    ("continue_statement", Exit),
    ("return_statement", Return),
    ("import_declaration", Skip),
    ("modifiers", Skip),
    ("type_identifier", Skip),
];

pub(super) fn grammar(language: Language) -> Grammar {
    Grammar::new(language, ROWS, &["System.exit"])
}
