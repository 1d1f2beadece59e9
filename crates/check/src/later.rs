//! Where a module declares its names, to tell who uses one before its declaration. Not for lookup: scopes are [`crate::names`]'s.

use diagnostics::Span;
use ptx::ast::{Block, Item, Module, Statement, Variable};
use std::collections::HashMap;

/// The first declaration of each name, and of each prefix of a range such as `%r<4>`.
pub(crate) struct Declared<'t> {
    names: HashMap<&'t str, Span>,
    ranges: HashMap<&'t str, (u32, Span)>,
}

impl<'t> Declared<'t> {
    /// Reads all of a module.
    pub fn new(tree: &'t Module) -> Self {
        let mut declared = Declared { names: HashMap::new(), ranges: HashMap::new() };
        for item in &tree.items {
            match item {
                Item::Function(function) => {
                    declared.names.entry(tree.name(function.name.symbol)).or_insert(function.name.span);
                    function.body.iter().for_each(|body| declared.block(tree, body));
                }
                Item::Variable(variable) => declared.variable(tree, variable),
                _ => {}
            }
        }
        declared
    }

    // As deep as the parser lets scopes nest.
    fn block(&mut self, tree: &'t Module, block: &Block) {
        for statement in &block.statements {
            match statement {
                Statement::Variable(variable) => self.variable(tree, variable),
                Statement::Block(inner) => self.block(tree, inner),
                _ => {}
            }
        }
    }

    fn variable(&mut self, tree: &'t Module, variable: &Variable) {
        let (text, span) = (tree.name(variable.name.symbol), variable.name.span);
        match variable.count {
            Some(count) => drop(self.ranges.entry(text).or_insert((count, span))),
            None => drop(self.names.entry(text).or_insert(span)),
        }
    }

    /// Where a name is declared behind a place.
    pub fn behind(&self, name: &str, place: Span) -> Option<Span> {
        let in_range = || {
            let digits = name.bytes().rev().take(9).take_while(u8::is_ascii_digit).count();
            let (prefix, number) = name.split_at(name.len() - digits);
            let (count, span) = self.ranges.get(prefix)?;
            (number.parse::<u32>().ok()? < *count).then_some(*span)
        };
        self.names.get(name).copied().or_else(in_range).filter(|span| span.start > place.start)
    }
}
