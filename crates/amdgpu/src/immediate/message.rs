//! What s_sendmsg sends: `sendmsg(MSG_GS, GS_OP_EMIT, 1)`.
//!
//! A message that is named takes exactly what its record says; one that is a number takes whatever fits its fields.

use isa::amdgpu::words::{Immediate, Name};

use super::cursor::Cursor;
use super::digits::push_decimal;
use super::names::Choices;
use super::number::readable;
use super::parts::{Part, Parts};
use super::{Builder, Form, Problem};

#[derive(Clone, Debug)]
pub(super) struct Message {
    parts: Parts,
    messages: Choices,
    /// The operations of each message that takes some: its number, the lowest operation that it takes, all operations.
    operations: Vec<(u32, u32, Choices)>,
    /// What may be written behind a message without operations of its own, where the message is a number.
    default: Choices,
    /// Bits in which a message's number is read back by the machine: on some targets operation and stream are part of it.
    overlap: bool,
}

/// A part of a message as it was written.
struct Written {
    value: i64,
    start: usize,
    named: bool,
}

impl Message {
    pub(super) fn new(builder: &Builder) -> Result<Message, String> {
        let parts = builder.parts_with("", &["message", "operation", "stream"])?;
        let messages = builder.choices("of")?;
        let mut operations = Vec::new();
        for name in messages.list() {
            if let Some(takes) = name.takes {
                operations.push((*name.values.start(), name.least, builder.choices_named(takes)?));
            }
        }
        let message = parts.here().find(|p| p.name == "message").map_or(0, Part::mask);
        let overlap = parts.here().any(|p| p.name != "message" && p.mask() & message != 0);
        Ok(Message { parts, messages, operations, default: builder.choices("default")?, overlap })
    }

    fn part(&self, name: &str) -> &Part {
        self.parts.named(name).expect("checked when it was built")
    }

    fn operations(&self, message: u32) -> Option<&Choices> {
        self.operations.iter().find(|o| o.0 == message).map(|o| &o.2)
    }

    /// The operation with that number, if the message takes it.
    fn operation(&self, message: u32, operation: u32) -> Option<&'static Name> {
        let (_, least, operations) = self.operations.iter().find(|o| o.0 == message)?;
        operations.name(operation).filter(|_| operation >= *least)
    }

    pub(super) fn print(&self, record: &Immediate, value: u32, out: &mut String) -> bool {
        let number = self.part("message").get(value);
        // Where the message's number covers their bits, there are no operation and stream.
        let (operation, stream) =
            if self.overlap { (0, 0) } else { (self.part("operation").get(value), self.part("stream").get(value)) };
        let named = self.messages.name(number).filter(|_| self.fits(number, operation, stream));
        let encoded = self.encode(number, operation, stream);
        let Some(name) = named else {
            if encoded != value {
                push_decimal(out, value);
                return readable(record, value);
            }
            out.push_str(record.call);
            out.push('(');
            push_decimal(out, number);
            out.push_str(", ");
            push_decimal(out, operation);
            out.push_str(", ");
            push_decimal(out, stream);
            out.push(')');
            return true;
        };
        out.push_str(record.call);
        out.push('(');
        out.push_str(name.spelling.stem());
        if let Some(name) = self.operation(number, operation) {
            out.push_str(", ");
            out.push_str(name.spelling.stem());
            if name.stream {
                out.push_str(", ");
                push_decimal(out, stream);
            }
        }
        out.push(')');
        encoded == value
    }

    /// Whether these are the operation and stream of a message that is named.
    fn fits(&self, message: u32, operation: u32, stream: u32) -> bool {
        if self.operations(message).is_none() {
            return operation == 0 && stream == 0;
        }
        self.operation(message, operation).is_some_and(|name| name.stream || stream == 0)
    }

    fn encode(&self, message: u32, operation: u32, stream: u32) -> u32 {
        // The parts may overlap: they are united, not replaced.
        let message = self.part("message").put(0, message);
        message | self.part("operation").put(0, operation) | self.part("stream").put(0, stream)
    }

    /// A name or a number. A name of other targets is a problem; any other name may be a symbol.
    fn written(&self, choices: &Choices, cursor: &mut Cursor) -> Result<Written, Problem> {
        let start = cursor.position();
        if let Some(word) = cursor.identifier() {
            if let Some(name) = choices.named(word) {
                cursor.take_identifier("")?;
                return Ok(Written { value: i64::from(*name.values.start()), start, named: true });
            }
            if choices.elsewhere(word) {
                return cursor.problem(format!("`{word}` exists on other targets only"));
            }
        }
        match cursor.expression() {
            Ok(value) => Ok(Written { value, start, named: false }),
            Err(_) if cursor.identifier().is_some() => cursor.problem(choices.explain(cursor.identifier().unwrap_or(""))),
            Err(problem) => Err(problem),
        }
    }
}

impl Form {
    pub(super) fn parse_message(&self, message: &Message, cursor: &mut Cursor) -> Result<u32, Problem> {
        if !cursor.take_named(self.record.call, '(') {
            return self.plain(cursor);
        }
        let which = message.written(&message.messages, cursor)?;
        let number = u32::try_from(which.value).ok();
        let operations = number.and_then(|n| message.operations(n));
        let mut operation = None;
        let mut stream = None;
        if cursor.take(',') {
            operation = Some(message.written(operations.unwrap_or(&message.default), cursor)?);
            if cursor.take(',') {
                let start = cursor.position();
                stream = Some(Written { value: cursor.expression()?, start, named: false });
            }
        }
        let problem =
            |cursor: &Cursor, at: &Written, text: String| Err(Problem { span: cursor.span_from(at.start), message: text });
        let fits = |part: &str, value: i64| u32::try_from(value).is_ok_and(|v| v <= message.part(part).most);
        if !fits("message", which.value) {
            return problem(cursor, &which, format!("a message is 0 to {}", message.part("message").most));
        }
        for (name, part) in [("operation", &operation), ("stream", &stream)] {
            if let Some(part) = part.as_ref().filter(|p| !fits(name, p.value)) {
                return problem(cursor, part, format!("the {name} is 0 to {}", message.part(name).most));
            }
        }
        let value = |part: &Option<Written>| part.as_ref().map_or(0, |p| p.value as u32);
        if which.named {
            let name = number.and_then(|number| message.operation(number, value(&operation)));
            match (&operation, operations) {
                (Some(operation), None) => return problem(cursor, operation, "this message takes no operation".into()),
                (None, Some(operations)) => {
                    return problem(cursor, &which, format!("this message wants an operation: {}", operations.title()));
                }
                (Some(operation), Some(_)) if name.is_none() => {
                    return problem(cursor, operation, "this message does not take that operation".into());
                }
                _ => {}
            }
            if let Some(stream) = stream.as_ref().filter(|_| !name.is_some_and(|n| n.stream)) {
                return problem(cursor, stream, "this operation takes no stream".into());
            }
        }
        cursor.expect(')')?;
        Ok(message.encode(number.unwrap_or(0), value(&operation), value(&stream)))
    }
}
