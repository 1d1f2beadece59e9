//! The PTX language: text to tree and back.
//!
//! Follows NVIDIA's PTX ISA 9.4 for the language, and ptxas 13.5 for how strictly it is read. This crate knows what
//! PTX looks like, not what it means: names are resolved and instructions executed elsewhere.

pub mod ast;
mod codes;
mod directive;
mod format;
mod intern;
mod lex;
mod parse;
mod print;
pub mod shape;

pub use format::{format, same_tokens};
pub use parse::{parse, parse_bytes};
pub use print::print;
