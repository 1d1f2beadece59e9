//! From given values to the operands of a form.

use super::{Given, LANES, Row};
use crate::value;
use isa::{Match, Notation, Operand, OperandType, Part, Role, Shape, Sign, Type, Written};

/// How near a form came to what was given; the nearest one speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// It is not of the kind that can be evaluated.
    Shape,
    /// It takes another number of values, or scalars for vectors.
    Count,
    /// A name is wrong.
    Name,
    /// A vector has another length.
    Length,
    /// A value is wrong.
    Value,
}

/// Why values do not make a call.
#[derive(Debug)]
pub(super) struct Refusal {
    pub rank: Rank,
    pub message: String,
    /// The given value at fault.
    pub index: Option<usize>,
    /// The source for which a vector of another length is given, and that length.
    pub vector: Option<(&'static str, usize)>,
    /// What to do, where the form does not say it.
    pub help: Option<String>,
}

impl Refusal {
    pub fn shape(message: impl Into<String>, help: impl Into<String>) -> Self {
        let help = Some(help.into()).filter(|h| !h.is_empty());
        Refusal { rank: Rank::Shape, message: message.into(), index: None, vector: None, help }
    }

    /// Notes which vector it is about, if it is about a length.
    fn of_source(mut self, name: &'static str, text: &str) -> Self {
        self.vector = Some((name, text.split(',').count())).filter(|_| self.rank == Rank::Length);
        self
    }

    fn new(rank: Rank, message: String, index: Option<usize>) -> Self {
        Refusal { rank, message, index, vector: None, help: None }
    }
}

/// A result in the making.
#[derive(Debug)]
pub(super) struct Result {
    pub name: &'static str,
    pub element: Option<u32>,
    pub ty: &'static Type,
}

/// A form with values for its sources.
#[derive(Debug)]
pub(super) struct Bound<'a> {
    /// The operands of the form that are written, in order, and how.
    pub operands: Vec<(&'a Operand, Written<'a>)>,
    /// The sources, elements of vectors each by itself, implicit ones last.
    pub sources: Vec<Row>,
    /// The results likewise.
    pub results: Vec<Result>,
    /// What selectors tell the function.
    pub settings: Vec<(&'static str, &'static str)>,
}

type Bind<T> = std::result::Result<T, Refusal>;

/// Binds the given values to the sources of a form.
pub(super) fn bind<'a>(matched: &'a Match, given: &[Given<'a>]) -> Bind<Bound<'a>> {
    let mut nearest: Option<Refusal> = None;
    for variant in matched.variants() {
        match bind_variant(matched, variant, given) {
            Ok(bound) => return Ok(bound),
            Err(refusal) if nearest.as_ref().is_none_or(|n| n.rank < refusal.rank) => nearest = Some(refusal),
            Err(_) => {}
        }
    }
    Err(nearest.unwrap_or_else(|| Refusal::shape(format!("`{}` has no operands", matched.record.name), "")))
}

/// Binds them to one selection of operands.
fn bind_variant<'a>(matched: &'a Match, variant: &[usize], given: &[Given<'a>]) -> Bind<Bound<'a>> {
    let operands: Vec<&Operand> = variant.iter().map(|i| &matched.operands[*i]).collect();
    operands.iter().try_for_each(|operand| is_value(matched, operand))?;
    let implicit = |without: Role| matched.implicit().iter().filter(move |i| i.role != without);
    let parts = || operands.iter().flat_map(|o| &o.parts);
    let names: Vec<&str> =
        parts().filter(|p| p.role == Role::Source).map(|p| p.name).chain(implicit(Role::Destination).map(|i| i.name)).collect();
    let destinations: Vec<&str> = parts().filter(|p| p.role != Role::Source).map(|p| p.name).collect();
    let given: Vec<Given> = given.iter().map(|g| destination(g, &destinations)).collect();
    let order = order(matched, &names, &destinations, &given)?;
    let (mut bound, mut next) =
        (Bound { operands: Vec::new(), sources: Vec::new(), results: Vec::new(), settings: Vec::new() }, 0);
    for operand in &operands {
        let mut shapes = Vec::new();
        for part in &operand.parts {
            if part.role == Role::Source {
                let index = order[next];
                next += 1;
                let first = bound.sources.len();
                let selector = source(part, given[index].text, &mut bound.sources)
                    .map_err(|(rank, why)| Refusal::new(rank, why, Some(index)).of_source(part.name, given[index].text))?;
                shapes.push(shape_of_source(part, selector, &bound.sources[first..]));
            } else {
                shapes.push(result(part, &given, &mut bound.results)?);
            }
        }
        let shape = if shapes.len() > 1 { Shape::Pair([false; 2]) } else { shapes[0] };
        bound.operands.push((operand, Written { sign: Sign::None, shape }));
    }
    let predicate = isa::Table::get().ok().and_then(|t| t.type_named("pred"));
    let predicate = predicate.ok_or_else(|| Refusal::shape("the table has no predicates", ""))?;
    for (one, index) in implicit(Role::Destination).zip(&order[next..]) {
        let lanes = row(given[*index].text, predicate).map_err(|why| Refusal::new(Rank::Value, why, Some(*index)))?;
        bound.sources.push(Row { name: one.name, element: None, ty: predicate, lanes });
    }
    bound.results.extend(implicit(Role::Source).map(|one| Result { name: one.name, element: None, ty: predicate }));
    // An optional pair counts as one operand of either shape; its second result is shown all the same.
    let written: Vec<Written> = bound.operands.iter().map(|o| o.1).collect();
    let fit = matched.fit(&written).map_err(|misfit| Refusal::new(Rank::Value, misfit.message, None))?;
    bound.settings = fit.settings;
    Ok(bound)
}

/// Whether an operand is a value, or what else it is.
fn is_value(matched: &Match, operand: &Operand) -> Bind<()> {
    let (name, part) = (matched.opcode(), &operand.parts[0]);
    let (what, help) = match (operand.notation, part.ty) {
        (Notation::Address | Notation::AddressList, _) | (_, OperandType::Address(_)) => {
            ("accesses memory", "write a kernel around it and give it an array: `lockstep run FILE.ptx KERNEL arange:u32:32`")
        }
        (Notation::Plain | Notation::Pair | Notation::OptionalPair, OperandType::Scalar(_) | OperandType::Vector(..)) => {
            return Ok(());
        }
        _ => (
            "takes the name of code or of a variable",
            "write a kernel around it and use `lockstep run`, with --trace to see its way",
        ),
    };
    Err(Refusal::shape(format!("`{name}` {what} (operand `{}`): it cannot be evaluated on values alone", part.name), help))
}

/// `d.h0` as `d=.h0` where `d` is a destination.
fn destination<'a>(given: &Given<'a>, destinations: &[&str]) -> Given<'a> {
    match given.text.split_once('.') {
        Some((name, _)) if given.name.is_none() && destinations.contains(&name) => {
            Given { name: Some(name), text: &given.text[name.len()..] }
        }
        _ => *given,
    }
}

/// Which given value each source takes.
fn order(matched: &Match, names: &[&str], destinations: &[&str], given: &[Given]) -> Bind<Vec<usize>> {
    let opcode = matched.opcode();
    let values: Vec<usize> = (0..given.len()).filter(|i| given[*i].name.is_none_or(|n| !destinations.contains(&n))).collect();
    for (k, index) in values.iter().enumerate() {
        let Some(name) = given[*index].name else { continue };
        if !names.contains(&name) {
            let near = isa::Table::nearest(name, names.iter().copied());
            let hint = match near.first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it takes {}", if names.is_empty() { "none".to_owned() } else { names.join(", ") }),
            };
            return Err(Refusal::new(Rank::Name, format!("`{opcode}` has no source `{name}`; {hint}"), Some(*index)));
        }
        if values[..k].iter().any(|i| given[*i].name == Some(name)) {
            return Err(Refusal::new(Rank::Name, format!("`{name}` is given twice"), Some(*index)));
        }
    }
    let unnamed = values.iter().find(|i| given[**i].name.is_none());
    let named = values.iter().any(|i| given[*i].name.is_some());
    if let (Some(index), true) = (unnamed, named) {
        let message = format!("`{}` has no name, others have: name all values or none", given[*index].text);
        return Err(Refusal::new(Rank::Name, message, Some(*index)));
    }
    if values.len() != names.len() {
        let plural = if names.len() == 1 { "" } else { "s" };
        let list = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
        let message = format!("`{opcode}` takes {} value{plural}{list}, not {}", names.len(), values.len());
        return Err(Refusal::new(Rank::Count, message, None));
    }
    if !named {
        return Ok(values);
    }
    // As many as there are names, each a name, none twice: every name is there.
    Ok(names.iter().filter_map(|name| values.iter().copied().find(|i| given[*i].name == Some(*name))).collect())
}

/// Reads the value of a source, elements of a vector each by itself; gives its selector.
fn source<'a>(part: &Part, text: &'a str, sources: &mut Vec<Row>) -> std::result::Result<Option<&'a str>, (Rank, String)> {
    let name = part.name;
    let of_value = |why| (Rank::Value, format!("operand `{name}`: {why}"));
    let inner = text.strip_prefix('{').and_then(|t| t.strip_suffix('}'));
    match (part.ty, inner) {
        (OperandType::Vector(n, ty), Some(inner)) => {
            let elements: Vec<&str> = inner.split(',').map(str::trim).collect();
            if elements.len() != n as usize {
                return Err((Rank::Length, format!("`{name}` is a vector of {n}, `{text}` has {}", elements.len())));
            }
            for (i, element) in elements.into_iter().enumerate() {
                let lanes = row(element, ty).map_err(of_value)?;
                sources.push(Row { name, element: Some(i as u32), ty, lanes });
            }
            Ok(None)
        }
        (OperandType::Vector(n, _), None) => Err((Rank::Count, format!("`{name}` is a vector of {n}, `{text}` is none"))),
        (OperandType::Scalar(_), Some(_)) => Err((Rank::Count, format!("`{name}` is no vector"))),
        (OperandType::Scalar(ty), None) => {
            let (value, selector) = split_selector(text, part.selector.is_some());
            sources.push(Row { name, element: None, ty, lanes: row(value, ty).map_err(of_value)? });
            Ok(selector)
        }
        _ => Err((Rank::Shape, format!("`{name}` is no value"))),
    }
}

fn shape_of_source<'a>(part: &Part, selector: Option<&'a str>, rows: &[Row]) -> Shape<'a> {
    match (part.ty, selector) {
        (OperandType::Vector(n, _), _) => Shape::Vector(n as usize),
        (_, Some(word)) => Shape::Selected(word),
        _ if part.limits.immediate => Shape::Integer(rows[0].lanes[0] as i128),
        _ => Shape::Name,
    }
}

/// The shape of a destination: a name, or what was given for it, `.h0` or `{_,_}`.
fn result<'a>(part: &Part, given: &[Given<'a>], results: &mut Vec<Result>) -> Bind<Shape<'a>> {
    let name = part.name;
    let index = given.iter().position(|g| g.name == Some(name));
    let text = index.map(|i| given[i].text);
    let refuse = |message| Refusal::new(Rank::Count, message, index);
    let selector = text.and_then(|t| t.strip_prefix('.'));
    let elements = text.and_then(|t| t.strip_prefix('{')?.strip_suffix('}')).map(|inner| inner.split(',').count());
    if let (Some(text), None, None) = (text, selector, elements) {
        let message = format!("`{name}` is a result and takes no value (`{text}`), only a part to write, or braces for a vector");
        return Err(refuse(message));
    }
    match part.ty {
        OperandType::Vector(n, ty) if elements == Some(n as usize) => {
            results.extend((0..n).map(|i| Result { name, element: Some(i), ty }));
            Ok(Shape::Vector(n as usize))
        }
        OperandType::Vector(n, _) => Err(refuse(format!("the result `{name}` is a vector of {n}"))),
        OperandType::Scalar(_) if elements.is_some() => Err(refuse(format!("the result `{name}` is no vector"))),
        OperandType::Scalar(ty) => {
            results.push(Result { name, element: None, ty });
            Ok(selector.map_or(Shape::Name, Shape::Selected))
        }
        _ => Err(Refusal::shape(format!("result `{name}` is no value"), "")),
    }
}

/// `0x1234.h1` as `0x1234` and `h1`.
fn split_selector(text: &str, selects: bool) -> (&str, Option<&str>) {
    match text.rsplit_once('.') {
        Some((value, word)) if selects && word.starts_with(['b', 'h']) => (value, Some(word)),
        _ => (text, None),
    }
}

/// The values of all lanes: one for all, `arange`, 32 in a list with repetitions (`1*16,2*16`), or `mask:0xff` of predicates.
fn row(text: &str, ty: &Type) -> std::result::Result<[u128; LANES], String> {
    if let Some(mask) = text.strip_prefix("mask:") {
        let digits = mask.strip_prefix("0x").filter(|_| ty.bits == 1);
        let mask = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let mask = mask.ok_or_else(|| format!("`{text}` is none: mask:0xff gives predicates, a bit for each lane"))?;
        return Ok(std::array::from_fn(|lane| u128::from(mask >> lane & 1)));
    }
    let texts: Vec<String> = match text {
        "arange" => (0..LANES).map(|i| i.to_string()).collect(),
        _ if text.contains(',') || text.contains('*') => match value::parse(text, ty) {
            Ok(packed) => return Ok([packed; LANES]),
            Err(why) => {
                let list = repeated(text).ok_or(why.clone())?;
                if list.len() != LANES {
                    return Err(format!("{why}; and for the lanes of a warp it has {} values, not {LANES}", list.len()));
                }
                list
            }
        },
        _ => return Ok([value::parse(text, ty)?; LANES]),
    };
    let mut lanes = [0; LANES];
    for (lane, text) in lanes.iter_mut().zip(&texts) {
        *lane = value::parse(text, ty)?;
    }
    Ok(lanes)
}

/// `1*3,2` as 1, 1, 1, 2.
fn repeated(text: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for part in text.split(',') {
        let (value, count) = part.split_once('*').map_or(Some((part, 1)), |(v, n)| Some((v, n.parse().ok()?)))?;
        if count > LANES {
            return None;
        }
        all.extend(std::iter::repeat_n(value.trim().to_owned(), count));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_given_in_several_ways() {
        let ty = |name| isa::Table::get().unwrap().type_named(name).unwrap();
        assert_eq!(row("7", ty("u32")), Ok([7; LANES]));
        assert_eq!(row("arange", ty("u32")).unwrap()[31], 31);
        let halves = row("1*16,2*16", ty("u32")).unwrap();
        assert_eq!((halves[15], halves[16]), (1, 2));
        assert_eq!(row("mask:0x80000001", ty("pred")).unwrap().iter().sum::<u128>(), 2);
        assert_eq!(row("1,2", ty("f16x2")), Ok([0x4000_3c00; LANES]));
        for wrong in ["1,2", "1*33", "1*x", "mask:0xff", "*", ",", "1*4294967295"] {
            assert!(row(wrong, ty("u32")).is_err(), "{wrong}");
        }
    }
}
