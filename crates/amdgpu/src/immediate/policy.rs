//! Cache policy: `glc slc`, `sc0 nt sc1`, `th:TH_LOAD_NT scope:SCOPE_DEV`.

use isa::amdgpu::words::Name;

use super::cursor::Cursor;
use super::digits::push_hexadecimal;
use super::names::Choices;
use super::parts::{Part, Parts};
use super::{Builder, Problem};

#[derive(Clone, Debug)]
pub(super) struct Policy {
    parts: Parts,
    /// The names of the temporal hint, which say how much depends on the scope.
    hints: Choices,
}

/// The field that `hints` name.
const HINT: &str = "th";
/// The field on which they depend.
const SCOPE: &str = "scope";

impl Policy {
    pub(super) fn new(builder: &Builder) -> Result<Policy, String> {
        Ok(Policy { parts: builder.parts_with("", &[HINT, SCOPE])?, hints: builder.choices("hints")? })
    }

    pub(super) fn hidden(&self, value: u32) -> bool {
        value & self.parts.here().fold(0, |mask, part| mask | part.mask()) == 0
    }

    /// The words that there are.
    pub(super) fn words(&self) -> impl Iterator<Item = String> {
        let word = |part: &Part| if part.most > 1 { format!("{}:..", part.name) } else { part.name.to_owned() };
        self.parts.here().filter(|p| !p.off).map(word)
    }

    fn scope(&self, value: u32) -> u32 {
        self.parts.named(SCOPE).map_or(0, |part| part.get(value))
    }

    pub(super) fn print(&self, value: u32, out: &mut String) -> bool {
        let mut whole = true;
        let mut said = 0;
        let mut first = true;
        for part in self.parts.here().filter(|p| p.get(value) != 0) {
            if !first {
                out.push(' ');
            }
            first = false;
            said |= part.mask();
            whole &= !part.off;
            out.push_str(part.name);
            if part.most > 1 {
                out.push(':');
                whole &= self.print_value(part, value, out);
            }
        }
        whole && value & !said == 0
    }

    fn print_value(&self, part: &Part, value: u32, out: &mut String) -> bool {
        let number = part.get(value);
        let scope = self.scope(value);
        let fits =
            |name: &&&Name| name.values.contains(&number) && name.shown.as_ref().is_none_or(|range| range.contains(&scope));
        let name = match &part.of {
            Some(of) => of.name(number),
            None => self.hints.list().iter().find(fits).copied(),
        };
        match name {
            Some(name) => out.push_str(name.spelling.stem()),
            None => push_hexadecimal(out, number),
        }
        name.is_some_and(|name| name.read.as_ref().is_none_or(|range| range.contains(&scope)))
    }

    /// All words that stand here, each once.
    pub(super) fn parse(&self, cursor: &mut Cursor) -> Result<Option<u32>, Problem> {
        let mut value = 0;
        let mut seen: Vec<&str> = Vec::new();
        let mut hint = None;
        while let Some(word) = cursor.identifier() {
            let denied = word.strip_prefix("no").and_then(|bare| self.parts.named(bare)).filter(|p| p.most == 1);
            let Some(part) = self.parts.named(word).or(denied) else { break };
            if part.most > 1 && !cursor.after_identifier(':') {
                break;
            }
            if seen.contains(&part.name) {
                return cursor.problem(format!("`{}` is given twice", part.name));
            }
            if !part.exists {
                return cursor.problem(format!("`{}` exists on other targets only", part.name));
            }
            if part.off && denied.is_none() {
                return cursor.problem(format!("`{word}` exists on other targets, or for other instructions, only"));
            }
            seen.push(part.name);
            cursor.take_identifier("")?;
            if part.most == 1 {
                value |= part.put(0, u32::from(denied.is_none()));
                continue;
            }
            cursor.expect(':')?;
            let start = cursor.position();
            match &part.of {
                Some(of) => value |= part.put(0, parse_scope(part, of, cursor)?),
                None => {
                    let word = cursor.take_identifier("a temporal hint")?;
                    let Some(name) = self.hints.named(word) else {
                        return Err(Problem { span: cursor.span_from(start), message: self.hints.explain(word) });
                    };
                    value |= part.put(0, *name.values.start());
                    hint = Some((name, cursor.span_from(start)));
                }
            }
        }
        let scope = self.scope(value);
        if let Some((name, span)) = hint
            && let Some(range) = name.read.as_ref().filter(|range| !range.contains(&scope))
        {
            let message = format!(
                "`{}` wants a scope of {} to {}",
                name.spelling.stem(),
                self.named(*range.start()),
                self.named(*range.end())
            );
            return Err(Problem { span, message });
        }
        Ok((!seen.is_empty()).then_some(value))
    }

    /// The name of a scope.
    fn named(&self, scope: u32) -> &str {
        self.parts.named(SCOPE).and_then(|part| part.of.as_ref()?.word(scope)).unwrap_or("")
    }
}

/// A name or a number.
fn parse_scope(part: &Part, of: &Choices, cursor: &mut Cursor) -> Result<u32, Problem> {
    let start = cursor.position();
    if let Some(word) = cursor.identifier() {
        cursor.take_identifier("")?;
        let name = of.named(word);
        return name
            .map(|name| *name.values.start())
            .ok_or_else(|| Problem { span: cursor.span_from(start), message: of.explain(word) });
    }
    let written = cursor.expression()?;
    match u32::try_from(written).ok().filter(|v| *v <= part.most) {
        Some(value) => Ok(value),
        None => Err(Problem { span: cursor.span_from(start), message: format!("{} is 0 to {}", part.name, part.most) }),
    }
}
