//! Which targets have an instruction, and in which mode of 16-bit registers.

use std::collections::{HashMap, HashSet};

use isa::amdgpu::{Table, Target, Targets};

use super::tablegen::{Dag, Dump, Named};

/// The features of every target of the table.
pub struct Features(Vec<(Target, HashSet<String>)>);

/// How 16-bit operands of an instruction lie in registers, on gfx11 and later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halves {
    /// Nothing is said.
    Any,
    /// In halves of registers.
    Real,
    /// In the lower halves only: the older way, which records do not follow.
    Fake,
}

impl Features {
    pub fn new(dump: &Dump, table: &Table) -> Features {
        let implies: HashMap<&str, &[Named]> = (dump.classes.get("SubtargetFeature").into_iter().flatten())
            .filter_map(|n| Some((n.as_str(), dump.definitions.get(n)?.implies.as_deref()?)))
            .collect();
        let models = dump.classes.get("ProcessorModel").into_iter().flatten().filter_map(|n| dump.definitions.get(n));
        let named: HashMap<&str, HashSet<String>> = models
            .filter_map(|m| {
                let mut all = HashSet::new();
                let mut open: Vec<&str> = m.features.iter().flatten().map(|f| f.def.as_str()).collect();
                while let Some(feature) = open.pop() {
                    if all.insert(feature.to_owned()) {
                        open.extend(implies.get(feature).into_iter().copied().flatten().map(|f| f.def.as_str()));
                    }
                }
                Some((m.name.as_ref()?.as_str()?, all))
            })
            .collect();
        let targets = table.targets.iter().enumerate();
        Features(targets.map(|(i, name)| (Target(i as u8), named.get(name).cloned().unwrap_or_default())).collect())
    }

    /// The targets on which all predicates hold; what they say of halves and of the wavefront is told apart.
    pub fn targets(&self, predicates: &[Named], dump: &Dump) -> (Targets, Halves, Option<u8>) {
        let (mut halves, mut wave) = (Halves::Any, None);
        let mut conditions = Vec::new();
        for predicate in predicates {
            match predicate.def.as_str() {
                "isWave32" | "isWave32Strict" => wave = Some(32),
                "isWave64" => wave = Some(64),
                name => {
                    match name {
                        "UseRealTrue16Insts" => halves = Halves::Real,
                        "UseFakeTrue16Insts" => halves = Halves::Fake,
                        _ => {}
                    }
                    conditions.extend(dump.definitions.get(name).and_then(|d| d.condition.as_ref()));
                }
            }
        }
        let real = halves != Halves::Fake;
        let holds = |features: &HashSet<String>| {
            conditions.iter().all(|c| holds(c, &|f| if f == "FeatureRealTrue16Insts" { real } else { features.contains(f) }))
        };
        let all = self.0.iter().filter(|(_, f)| holds(f)).fold(Targets::NONE, |all, (t, _)| all.or(Targets::one(*t)));
        (all, halves, wave)
    }
}

fn holds(dag: &Dag, has: &dyn Fn(&str) -> bool) -> bool {
    let mut values = dag.args.iter().map(|(value, _)| match value["kind"].as_str() {
        Some("dag") => serde_json::from_value::<Dag>(value.clone()).is_ok_and(|d| holds(&d, has)),
        _ => has(value["def"].as_str().unwrap_or("")),
    });
    match dag.operator.def.as_str() {
        "any_of" => values.any(|v| v),
        "not" => !values.next().unwrap_or(false),
        _ => values.all(|v| v),
    }
}
