//! The pattern of ds_swizzle_b32: `offset:swizzle(QUAD_PERM,0,1,2,3)`.

use isa::amdgpu::words::{Immediate, Name};

use super::cursor::Cursor;
use super::digits::push_decimal;
use super::names::Choices;
use super::number::readable;
use super::parts::{Part, Parts};
use super::{Builder, Form, Problem};

#[derive(Clone, Debug)]
pub(super) struct Swizzle {
    modes: Vec<(&'static Name, Mode)>,
    selectors: Parts,
    masks: Parts,
    transform: Parts,
    rotation: Parts,
}

/// What the numbers behind the name of a mode mean.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    /// The values of `selectors`.
    Selectors,
    /// For each bit of a lane's number, whether it becomes 0 or 1, or is preserved or inverted.
    Masks,
    /// All lanes of a group read one: the size of the group, the lane.
    Broadcast,
    /// Neighbouring groups change places: their size.
    Swap,
    /// The lanes of a group change their order: its size.
    Reverse,
    /// The values of `transform`.
    Transform,
    /// The values of `rotation`.
    Rotation,
}

const ROLES: [(&str, Mode); 7] = [
    ("selectors", Mode::Selectors),
    ("masks", Mode::Masks),
    ("broadcast", Mode::Broadcast),
    ("swap", Mode::Swap),
    ("reverse", Mode::Reverse),
    ("transform", Mode::Transform),
    ("rotation", Mode::Rotation),
];

impl Swizzle {
    pub(super) fn new(builder: &Builder) -> Result<Swizzle, String> {
        let names: Choices = builder.choices("")?;
        let mut modes = Vec::new();
        for name in names.list() {
            let role = ROLES.iter().find(|(role, _)| name.role == Some(role));
            let (_, mode) = role.ok_or_else(|| format!("the swizzle mode `{}` has no known role", name.spelling.stem()))?;
            modes.push((*name, *mode));
        }
        let masks = builder.parts_with("masks", &["and", "or", "xor"])?;
        let (selectors, transform) = (builder.parts("selectors")?, builder.parts("transform")?);
        Ok(Swizzle { modes, selectors, masks, transform, rotation: builder.parts("rotation")? })
    }

    /// The and, or and xor masks of a number.
    fn get_masks(&self, value: u32) -> [u32; 3] {
        ["and", "or", "xor"].map(|name| self.masks.named(name).map_or(0, |part| part.get(value)))
    }

    fn put_masks(&self, masks: [u32; 3]) -> u32 {
        let parts = ["and", "or", "xor"].into_iter().zip(masks);
        parts.fold(0, |value, (name, mask)| self.masks.named(name).map_or(value, |part| part.put(value, mask)))
    }

    /// All bits of a lane's number.
    fn lanes(&self) -> u32 {
        self.masks.named("and").map_or(0, |part| part.most)
    }

    /// The numbers behind the name of a mode, if the mode can say the value; none for the masks, which are letters.
    fn arguments(&self, mode: Mode, value: u32) -> Option<[Option<u32>; 4]> {
        let [and, or, xor] = self.get_masks(value);
        let all = self.lanes();
        let group = all - and + 1;
        let values = |parts: &Parts| {
            let mut values = parts.here().map(|p| Some(p.get(value)));
            std::array::from_fn(|_| values.next().flatten())
        };
        match mode {
            Mode::Selectors => Some(values(&self.selectors)),
            Mode::Transform => Some(values(&self.transform)),
            Mode::Rotation => Some(values(&self.rotation)),
            Mode::Masks => Some([None; 4]),
            Mode::Swap => (and == all && or == 0 && xor.is_power_of_two()).then_some([Some(xor), None, None, None]),
            Mode::Reverse => {
                let reverses = and == all && or == 0 && xor > 0 && (xor + 1).is_power_of_two();
                reverses.then_some([Some(xor + 1), None, None, None])
            }
            Mode::Broadcast => {
                let broadcasts = group > 1 && group.is_power_of_two() && or < group && xor == 0;
                broadcasts.then_some([Some(group), Some(or), None, None])
            }
        }
    }

    pub(super) fn print(&self, record: &Immediate, value: u32, out: &mut String) -> bool {
        out.push_str(record.prefix);
        out.push(':');
        let modes = self.modes.iter().filter(|(name, _)| name.values.contains(&value));
        let Some((name, mode, arguments)) =
            modes.filter_map(|(name, mode)| Some((name, *mode, self.arguments(*mode, value)?))).next()
        else {
            push_decimal(out, value);
            return readable(record, value);
        };
        out.push_str(record.call);
        out.push('(');
        out.push_str(name.spelling.stem());
        for argument in arguments.into_iter().flatten() {
            out.push(',');
            push_decimal(out, argument);
        }
        let whole = match mode {
            Mode::Masks => self.print_letters(value, out),
            Mode::Selectors => (value - name.values.start()) & !self.selectors.mask() == 0,
            Mode::Transform => (value - name.values.start()) & !self.transform.mask() == 0,
            Mode::Rotation => (value - name.values.start()) & !self.rotation.mask() == 0,
            Mode::Swap | Mode::Reverse | Mode::Broadcast => true,
        };
        out.push(')');
        whole
    }

    /// The masks as letters, the highest bit first. False if other masks do the same.
    fn print_letters(&self, value: u32, out: &mut String) -> bool {
        let [and, or, xor] = self.get_masks(value);
        let all = self.lanes();
        let (of_zeros, of_ones) = (or ^ xor, ((all & and) | or) ^ xor);
        let mut said = [0; 3];
        out.push_str(",\"");
        for bit in (0..all.count_ones()).rev().map(|i| 1 << i) {
            let (letter, masks) = match (of_zeros & bit != 0, of_ones & bit != 0) {
                (false, false) => ('0', [0, 0, 0]),
                (true, true) => ('1', [0, bit, 0]),
                (false, true) => ('p', [bit, 0, 0]),
                (true, false) => ('i', [bit, 0, bit]),
            };
            out.push(letter);
            said.iter_mut().zip(masks).for_each(|(said, mask)| *said |= mask);
        }
        out.push('"');
        said == [and, or, xor]
    }
}

impl Form {
    pub(super) fn parse_swizzle(&self, swizzle: &Swizzle, cursor: &mut Cursor) -> Result<Option<u32>, Problem> {
        if !self.take_prefix(cursor) {
            return Ok(None);
        }
        if cursor.identifier() != Some(self.record.call) {
            return self.plain(cursor).map(Some);
        }
        cursor.take_identifier("")?;
        cursor.expect('(')?;
        let found = cursor.identifier().and_then(|word| swizzle.modes.iter().find(|(name, _)| name.spelling.stem() == word));
        let Some((name, mode)) = found else {
            let modes: Vec<&str> = swizzle.modes.iter().map(|(name, _)| name.spelling.stem()).collect();
            return cursor.problem(format!("a mode is missing: one of {}", modes.join(", ")));
        };
        cursor.take_identifier("")?;
        let value = name.values.start() | swizzle.parse_mode(*mode, cursor)?;
        cursor.expect(')')?;
        Ok(Some(value))
    }
}

impl Swizzle {
    fn parse_mode(&self, mode: Mode, cursor: &mut Cursor) -> Result<u32, Problem> {
        let all = self.lanes();
        match mode {
            Mode::Selectors => parse_parts(&self.selectors, cursor),
            Mode::Transform => parse_parts(&self.transform, cursor),
            Mode::Rotation => parse_parts(&self.rotation, cursor),
            Mode::Masks => self.parse_letters(cursor),
            Mode::Swap => Ok(self.put_masks([all, 0, parse_group(1, all.div_ceil(2), cursor)?])),
            Mode::Reverse => Ok(self.put_masks([all, 0, parse_group(2, all + 1, cursor)? - 1])),
            Mode::Broadcast => {
                let group = parse_group(2, all + 1, cursor)?;
                let lane = parse_argument("a lane of the group", 0, group - 1, cursor)?;
                Ok(self.put_masks([all + 1 - group, lane, 0]))
            }
        }
    }

    fn parse_letters(&self, cursor: &mut Cursor) -> Result<u32, Problem> {
        cursor.expect(',')?;
        let start = cursor.position();
        let letters = cursor.take_string()?;
        let width = self.lanes().count_ones() as usize;
        let mut masks = [0; 3];
        let known = letters.len() == width
            && letters.bytes().rev().zip(0..).all(|(letter, i)| {
                let [and, or, xor] = &mut masks;
                match letter {
                    b'0' => {}
                    b'1' => *or |= 1 << i,
                    b'p' => *and |= 1 << i,
                    b'i' => {
                        *and |= 1 << i;
                        *xor |= 1 << i;
                    }
                    _ => return false,
                }
                true
            });
        if !known {
            let message = format!("a mask is {width} of the letters 0, 1, p (preserve) and i (invert)");
            return Err(Problem { span: cursor.span_from(start), message });
        }
        Ok(self.put_masks(masks))
    }
}

/// `, NUMBER` for each part.
fn parse_parts(parts: &Parts, cursor: &mut Cursor) -> Result<u32, Problem> {
    parts.here().try_fold(0, |value, part: &Part| Ok(part.put(value, parse_argument(part.name, 0, part.most, cursor)?)))
}

fn parse_argument(what: &str, first: u32, last: u32, cursor: &mut Cursor) -> Result<u32, Problem> {
    cursor.expect(',')?;
    let start = cursor.position();
    let written = cursor.expression()?;
    if !(i64::from(first)..=i64::from(last)).contains(&written) {
        return Err(Problem { span: cursor.span_from(start), message: format!("{what} is {first} to {last}") });
    }
    Ok(written as u32)
}

/// The size of a group: a power of two.
fn parse_group(first: u32, last: u32, cursor: &mut Cursor) -> Result<u32, Problem> {
    let start = cursor.position() + 1;
    let group = parse_argument("the size of a group", first, last, cursor)?;
    if !group.is_power_of_two() {
        return Err(Problem { span: cursor.span_from(start), message: "the size of a group is a power of two".into() });
    }
    Ok(group)
}
