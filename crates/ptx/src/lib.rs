//! The PTX language: text to tree and back.

pub mod ast;
