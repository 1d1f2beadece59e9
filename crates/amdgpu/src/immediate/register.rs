//! A part of a hardware register: `hwreg(HW_REG_MODE, 0, 4)`, or `{id: 1, offset: 0, size: 4}`.

use isa::amdgpu::words::Immediate;

use super::cursor::Cursor;
use super::digits::push_decimal;
use super::names::Choices;
use super::parts::{Part, Parts};
use super::{Builder, Form, Problem};

#[derive(Clone, Debug)]
pub(super) struct Register {
    parts: Parts,
    registers: Choices,
}

/// The fields in the order in which they are written.
const FIELDS: [&str; 3] = ["id", "offset", "size"];

impl Register {
    pub(super) fn new(builder: &Builder) -> Result<Register, String> {
        Ok(Register { parts: builder.parts_with("", &FIELDS)?, registers: builder.choices("of")? })
    }

    fn part(&self, name: &str) -> &Part {
        self.parts.named(name).expect("checked when it was built")
    }

    /// What a field means where it is not written: the register from its first bit to its last.
    fn default(&self, part: &Part) -> u32 {
        if part.less == 0 { 0 } else { part.most + part.less }
    }

    pub(super) fn print(&self, record: &Immediate, value: u32, out: &mut String) -> bool {
        out.push_str(record.call);
        out.push('(');
        let number = self.part("id").get(value);
        if !self.registers.print(number, out) {
            push_decimal(out, number);
        }
        let rest = ["offset", "size"].map(|name| self.part(name));
        if rest.iter().any(|p| p.get(value) + p.less != self.default(p)) {
            for part in rest {
                out.push_str(", ");
                push_decimal(out, part.get(value) + part.less);
            }
        }
        out.push(')');
        value & !self.parts.mask() == 0
    }

    /// Puts a written number into its field.
    fn put(&self, value: u32, name: &str, written: i64, start: usize, cursor: &Cursor) -> Result<u32, Problem> {
        let part = self.part(name);
        let (first, last) = (i64::from(part.less), i64::from(part.most + part.less));
        if !(first..=last).contains(&written) {
            return Err(Problem { span: cursor.span_from(start), message: format!("the {name} is {first} to {last}") });
        }
        Ok(part.put(value, (written - first) as u32))
    }

    fn whole(&self) -> u32 {
        FIELDS.map(|name| self.part(name)).iter().fold(0, |value, part| part.put(value, self.default(part) - part.less))
    }
}

impl Form {
    pub(super) fn parse_register(&self, register: &Register, cursor: &mut Cursor) -> Result<u32, Problem> {
        if cursor.take('{') {
            return self.parse_structured(register, cursor);
        }
        if !cursor.take_named(self.record.call, '(') {
            return self.plain(cursor);
        }
        let mut value = register.whole();
        value = self.parse_register_name(register, value, cursor)?;
        if cursor.take(')') {
            return Ok(value);
        }
        for name in ["offset", "size"] {
            cursor.expect(',')?;
            let start = cursor.position();
            let written = cursor.expression()?;
            value = register.put(value, name, written, start, cursor)?;
        }
        cursor.expect(')')?;
        Ok(value)
    }

    fn parse_register_name(&self, register: &Register, value: u32, cursor: &mut Cursor) -> Result<u32, Problem> {
        let start = cursor.position();
        if let Some(word) = cursor.identifier() {
            if let Some(name) = register.registers.named(word) {
                cursor.take_identifier("")?;
                return Ok(register.part("id").put(value, *name.values.start()));
            }
            if register.registers.elsewhere(word) {
                return cursor.problem(format!("`{word}` exists on other targets only"));
            }
        }
        match cursor.expression() {
            Ok(written) => register.put(value, "id", written, start, cursor),
            Err(_) if cursor.identifier().is_some() => {
                cursor.problem(register.registers.explain(cursor.identifier().unwrap_or("")))
            }
            Err(problem) => Err(problem),
        }
    }

    fn parse_structured(&self, register: &Register, cursor: &mut Cursor) -> Result<u32, Problem> {
        let mut value = register.whole();
        let mut seen: Vec<&str> = Vec::new();
        while !cursor.take('}') {
            if !seen.is_empty() {
                cursor.expect(',')?;
            }
            let start = cursor.position();
            let word = cursor.take_identifier("the name of a field")?;
            let wrong = |cursor: &Cursor, message| Err(Problem { span: cursor.span_from(start), message });
            if register.parts.named(word).is_none() {
                return wrong(cursor, format!("`{word}` is no field; there are {}", register.parts.names()));
            }
            if seen.contains(&word) {
                return wrong(cursor, format!("`{word}` is given twice"));
            }
            seen.push(word);
            cursor.expect(':')?;
            let start = cursor.position();
            let written = cursor.expression()?;
            value = register.put(value, word, written, start, cursor)?;
        }
        Ok(value)
    }
}
