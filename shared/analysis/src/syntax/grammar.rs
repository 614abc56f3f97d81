//! The tree-sitter grammar of each language, in the shape ast-grep wants.

use std::borrow::Cow;

use ast_grep_core::language::Language as PatternLanguage;
use ast_grep_core::matcher::{Pattern, PatternBuilder, PatternError};
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc, TSLanguage};
use ast_grep_language::SupportLang;

use crate::language::Language;

/// A language with its grammar. ast-grep's own list has no Dockerfile, hence not its `SupportLang`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Grammar(pub Language);

impl Grammar {
    fn built_in(self) -> Option<SupportLang> {
        Some(match self.0 {
            Language::Python => SupportLang::Python,
            Language::JavaScript => SupportLang::JavaScript,
            Language::TypeScript => SupportLang::TypeScript,
            Language::Tsx => SupportLang::Tsx,
            Language::Go => SupportLang::Go,
            Language::Java => SupportLang::Java,
            Language::Rust => SupportLang::Rust,
            Language::Ruby => SupportLang::Ruby,
            Language::Php => SupportLang::Php,
            Language::CSharp => SupportLang::CSharp,
            Language::Shell => SupportLang::Bash,
            Language::Yaml => SupportLang::Yaml,
            Language::Json => SupportLang::Json,
            Language::Terraform => SupportLang::Hcl,
            Language::Dockerfile => return None,
        })
    }
}

/// Stands for `$` in a Dockerfile pattern, where `$NAME` is an expansion. No image or word holds it.
const DOCKERFILE_EXPANDO: char = 'µ';

impl PatternLanguage for Grammar {
    fn kind_to_id(&self, kind: &str) -> u16 {
        self.get_ts_language().id_for_node_kind(kind, true)
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.get_ts_language().field_id_for_name(field).map(std::num::NonZero::get)
    }

    fn expando_char(&self) -> char {
        self.built_in().map_or(DOCKERFILE_EXPANDO, |language| language.expando_char())
    }

    fn pre_process_pattern<'q>(&self, query: &'q str) -> Cow<'q, str> {
        match self.built_in() {
            Some(language) => language.pre_process_pattern(query),
            None => Cow::Owned(query.replace('$', &DOCKERFILE_EXPANDO.to_string())),
        }
    }

    fn build_pattern(&self, builder: &PatternBuilder) -> Result<Pattern, PatternError> {
        builder.build(|text| StrDoc::try_new(text, *self))
    }
}

impl LanguageExt for Grammar {
    fn get_ts_language(&self) -> TSLanguage {
        match (self.0, self.built_in()) {
            // ast-grep's own is the grammar without HTML around the code, which no template fits.
            (Language::Php, _) => tree_sitter_php::LANGUAGE_PHP.into(),
            (_, Some(language)) => language.get_ts_language(),
            (_, None) => tree_sitter_containerfile::LANGUAGE.into(),
        }
    }
}
