use super::Shape::{
    Assign, Binary, Call, Case, Collection, Each, Exit, Function, If, Index, Literal, Member, Name, Pair,
    Return, Skip, Switch, Text, Unary, While, Wrap, WrapField,
};
use super::{Grammar, Row};
use crate::language::Language;

const ROWS: &[Row] = &[
    ("identifier", Name),
    ("selector_expression", Member("operand", "field")),
    ("index_expression", Index("operand", "index")),
    ("slice_expression", WrapField("operand")),
    ("call_expression", Call("function", "arguments")),
    ("type_conversion_expression", WrapField("operand")),
    ("type_assertion_expression", WrapField("operand")),
    ("interpreted_string_literal", Text),
    ("raw_string_literal", Text),
    ("int_literal", Literal),
    ("float_literal", Literal),
    ("rune_literal", Literal),
    ("true", Literal),
    ("false", Literal),
    ("nil", Literal),
    ("binary_expression", Binary),
    ("unary_expression", Unary("operand")),
    ("parenthesized_expression", Wrap),
    ("variadic_argument", Wrap),
    ("composite_literal", WrapField("body")),
    ("literal_value", Collection),
    ("literal_element", Wrap),
    ("keyed_element", Pair("0", "1")),
    ("expression_list", Collection),
    ("func_literal", Function("parameters", "body")),
    ("function_declaration", Function("parameters", "body")),
    ("method_declaration", Function("parameters", "body")),
    ("short_var_declaration", Assign("left", "right")),
    ("assignment_statement", Assign("left", "right")),
    ("var_spec", Assign("name", "value")),
    ("if_statement", If("condition", "consequence", "alternative")),
    ("range_clause", Each("left", "right", "body")),
    ("for_statement", While("condition", "body")),
    ("expression_switch_statement", Switch("value")),
    ("type_switch_statement", Switch("value")),
    ("expression_case", Case),
    ("type_case", Case),
    ("default_case", Case),
    ("break_statement", Exit),
    ("continue_statement", Exit),
    ("return_statement", Return),
    ("import_declaration", Skip),
    ("type_declaration", Skip),
];

pub(super) fn grammar(language: Language) -> Grammar {
    Grammar::new(language, ROWS, &["panic", "os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic"])
}
