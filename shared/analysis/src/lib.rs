//! The deterministic engine: a change and its files in, findings out. Pure: no clock, network, environment.
//!
//! Four engines look at each file ([`secrets`], [`syntax`], [`taint`], [`parse_check`]) and give [`hit::Hit`]s;
//! [`place`] keeps what belongs to the change, [`ignore`] takes out what a comment silences, and [`inspect`]
//! makes the report. Rules are data under `rules/`.

pub mod answer;
pub mod citation;
pub mod convention;
pub mod graph;
pub mod hit;
pub mod ignore;
pub mod inspect;
pub mod language;
mod other_tools;
pub mod parse_check;
pub mod place;
pub mod prompt;
pub mod rule;
pub mod rule_name;
pub mod secrets;
pub mod source;
pub mod structure;
pub mod syntax;
pub mod taint;
pub mod task_answer;
pub mod text_rules;
