//! Every spelling that the table calls executable has what executes it: a function, settings that it knows and, of functions of a lane, an
//! instance for the types that the operands have. What the types of functions of a group make, lowering asks when it meets them.

use engine::bind;
use isa::{Match, OperandType, Part, Role, Table};
use machine::Type;
use semantics::Shape;

/// Spellings of a form that are looked at.
const SPELLINGS: usize = 300;

/// The types of results and sources of a match with the operands of a variant, in the order in which lowering places them.
fn types(matched: &Match, variant: &[usize]) -> Option<(Vec<Type>, Vec<Type>)> {
    let (mut results, mut sources) = (Vec::new(), Vec::new());
    for (at, operand) in matched.operands.iter().enumerate() {
        for part in &operand.parts {
            let ty = bind::operand_type(part.ty)?;
            match part.role {
                Role::Source if variant.contains(&at) => sources.extend(std::iter::repeat_n(ty, elements(part))),
                Role::Source => {}
                _ => results.push(ty),
            }
        }
    }
    for implicit in matched.implicit() {
        if implicit.role != Role::Source {
            results.push(Type::Pred);
        }
        if implicit.role != Role::Destination {
            sources.push(Type::Pred);
        }
    }
    Some((results, sources))
}

fn elements(part: &Part) -> usize {
    match part.ty {
        OperandType::Vector(n, _) => n as usize,
        _ => 1,
    }
}

/// Why nothing executes a spelling.
fn missing(matched: &Match) -> Option<String> {
    let name = matched.function()?;
    let Some(function) = semantics::find(name) else { return Some(format!("no function is called {name}")) };
    if let Err(message) = bind::mods(&matched.settings) {
        return Some(message);
    }
    let Shape::Lane(instances) = &function.shape else { return None };
    for variant in matched.variants() {
        let Some((results, sources)) = types(matched, variant) else { return Some("an operand has no type".to_owned()) };
        if semantics::instance(instances, &results, &sources).is_none() {
            return Some(format!("{name} has no instance for {sources:?} -> {results:?}"));
        }
    }
    None
}

#[test]
fn every_executable_spelling_has_its_function() {
    let table = Table::get().unwrap_or_else(|problems| panic!("{problems}"));
    let (mut asked, mut without) = (0, Vec::new());
    for record in &table.records {
        for form in &record.forms {
            let spellings =
                table.enumerate(record, form, SPELLINGS, 0).unwrap_or_else(|message| panic!("{}: {message}", form.text));
            asked += spellings.len();
            without.extend(spellings.iter().find_map(|m| Some(format!("{}: {}", m.opcode(), missing(m)?))));
        }
    }
    assert!(asked > 10_000, "only {asked} spellings");
    assert!(without.is_empty(), "{}", without.join("\n"));
}
