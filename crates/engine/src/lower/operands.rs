//! Where an instruction's operands are: registers, rows of constants, temporaries for other widths, addresses.

use super::Lowering;
use super::body::{Binding, Body, register_type};
use crate::allocate::operand;
use crate::bind;
use crate::program::constant_bits;
use diagnostics::Diagnostic;
use isa::{Fit, Match, OperandType, Part, Role};
use machine::memory::SHARED_WINDOW;
use machine::mods::Space as MemorySpace;
use machine::op::NONE;
use machine::state::LOCAL_START;
use machine::{Handler, Mods, Op, Type};
use ptx::ast::{self, Name, OperandKind, Symbol};
use semantics::{Named, Shape};
use std::ops::Range;

/// An op with its operands in place.
pub(super) struct Placed {
    pub op: Op,
    /// Types of results and sources, for a lane function's instance.
    pub results: Vec<Type>,
    pub sources: Vec<Type>,
    /// Lists of vector operands.
    pub lists: [Option<(Range<usize>, bool)>; 2],
    /// Labels that it can go to.
    pub targets: Option<Vec<u32>>,
    /// Ops that widen results.
    pub after: Vec<Op>,
}

impl Placed {
    fn new(mods: Mods) -> Self {
        let mut op = Op::new(semantics::moves::constant as Handler);
        op.mods = mods;
        Placed { op, results: Vec::new(), sources: Vec::new(), lists: [None, None], targets: None, after: Vec::new() }
    }
}

/// Next free place of destinations and sources.
#[derive(Default)]
struct Cursor {
    dst: usize,
    src: usize,
    typed: bool,
}

impl<'p> Body<'p> {
    /// Places the operands of a lane function: every result and source in order, then implicit ones.
    pub(super) fn place_lane(
        &mut self,
        lowering: &mut Lowering<'p>,
        matched: &Match,
        fit: &Fit,
        operands: &[ast::Operand],
        mods: Mods,
    ) -> Option<Placed> {
        let mut placed = Placed::new(mods);
        let mut cursor = Cursor::default();
        for (pattern, written) in matched.operands.iter().zip(&fit.operands) {
            let written = written.map(|w| &operands[w]);
            for (i, part) in pattern.parts.iter().enumerate() {
                let written = written.and_then(|w| self.part(w, i));
                let ty = bind::operand_type(part.ty)?;
                match (part.role, written) {
                    (Role::Source, None) => {}
                    (Role::Source, Some(written)) => {
                        // The function takes the elements of a vector one by one.
                        let elements = match (part.ty, written.kind) {
                            (OperandType::Vector(..), OperandKind::Vector(list)) => self.tree.list(list).to_vec(),
                            _ => vec![*written],
                        };
                        for element in &elements {
                            placed.sources.push(ty);
                            let place = self.source(lowering, part, element, ty, &mut placed.op.mods)?;
                            *placed.op.src.get_mut(cursor.src)? = place;
                            cursor.src += 1;
                        }
                    }
                    (_, written) => {
                        placed.results.push(ty);
                        let place = match written {
                            Some(written) => self.destination(lowering, written, ty, &mut placed.after)?,
                            None => NONE,
                        };
                        *placed.op.dst.get_mut(cursor.dst)? = place;
                        cursor.dst += 1;
                    }
                }
            }
        }
        for implicit in matched.implicit() {
            let register = *self.carry.get_or_insert_with(|| {
                self.registers.push(crate::allocate::Register { bits: 1, constant: false });
                self.registers.len() as u32 - 1
            });
            if implicit.role != Role::Source {
                placed.results.push(Type::Pred);
                *placed.op.dst.get_mut(cursor.dst)? = operand(register);
                cursor.dst += 1;
            }
            if implicit.role != Role::Destination {
                placed.sources.push(Type::Pred);
                *placed.op.src.get_mut(cursor.src)? = operand(register);
                cursor.src += 1;
            }
        }
        Some(placed)
    }

    /// Places the operands of a group function: each at its position in the form, left-out ones absent.
    pub(super) fn place_group(
        &mut self,
        lowering: &mut Lowering<'p>,
        matched: &Match,
        fit: &Fit,
        operands: &[ast::Operand],
        mods: Mods,
    ) -> Option<Placed> {
        let mut placed = Placed::new(mods);
        let mut cursor = Cursor::default();
        for (pattern, written) in matched.operands.iter().zip(&fit.operands) {
            let written = written.map(|w| &operands[w]);
            for (i, part) in pattern.parts.iter().enumerate() {
                let written = written.and_then(|w| self.part(w, i));
                self.place_part(lowering, part, written, &mut cursor, &mut placed)?;
            }
        }
        Some(placed)
    }

    /// Places the operands of a named function: each at the entry of its name, addresses as generic ones of 64 bits.
    pub(super) fn place_named(
        &mut self,
        lowering: &mut Lowering<'p>,
        matched: &Match,
        fit: &Fit,
        operands: &[ast::Operand],
        mods: Mods,
        named: &Named,
    ) -> Option<Placed> {
        let mut placed = Placed::new(mods);
        let mut sources = vec![NONE; named.sources.iter().map(|s| s.1).sum()];
        let mut results = vec![NONE; named.results.iter().map(|r| r.1).sum()];
        let mut typed = false;
        for (pattern, written) in matched.operands.iter().zip(&fit.operands) {
            for (i, part) in pattern.parts.iter().enumerate() {
                let Some(written) = written.and_then(|w| self.part(&operands[w], i)) else { continue };
                if part.role != Role::Source && !matches!(part.ty, OperandType::Address(_)) {
                    let rows = self.destinations(lowering, part, written, &mut placed.after)?;
                    room(named.results, part.name, rows.len()).map(|at| results[at].copy_from_slice(&rows))?;
                    continue;
                }
                let rows = self.elements(lowering, part, written, &mut placed, &mut typed)?;
                room(named.sources, part.name, rows.len()).map(|at| sources[at].copy_from_slice(&rows))?;
            }
        }
        for (list, rows) in [sources, results].into_iter().enumerate() {
            let start = lowering.tables.offsets.len();
            lowering.tables.offsets.extend(&rows);
            placed.lists[list] = Some((start..start + rows.len(), list == 1));
            let place = if list == 0 { &mut placed.op.src[0] } else { &mut placed.op.dst[0] };
            *place = start as u32;
        }
        Some(placed)
    }

    /// The rows of a named function's result: one, or those of a vector's elements.
    fn destinations(
        &mut self,
        lowering: &mut Lowering<'p>,
        part: &Part,
        written: &ast::Operand,
        after: &mut Vec<Op>,
    ) -> Option<Vec<u32>> {
        let ty = bind::operand_type(part.ty)?;
        match (part.ty, written.kind) {
            (OperandType::Vector(..), OperandKind::Vector(list)) => {
                let list = self.tree.list(list).to_vec();
                list.iter().map(|element| self.destination(lowering, element, ty, after)).collect()
            }
            _ => Some(vec![self.destination(lowering, written, ty, after)?]),
        }
    }

    /// The rows of a named function's source: one, or those of a vector's elements.
    fn elements(
        &mut self,
        lowering: &mut Lowering<'p>,
        part: &Part,
        written: &ast::Operand,
        placed: &mut Placed,
        typed: &mut bool,
    ) -> Option<Vec<u32>> {
        if let OperandType::Address(space) = part.ty {
            return Some(vec![self.generic_address(lowering, part, written, space)?]);
        }
        let ty = bind::operand_type(part.ty)?;
        let list = match written.kind {
            OperandKind::Vector(list) => self.tree.list(list).to_vec(),
            _ => vec![*written],
        };
        // PTX does not say what a vector means where one value is asked for. ptxas 13.5 stores each element as a whole value then, and
        // leaves to chance what bits a narrower one lacks.
        if list.len() > 1 && matches!(part.ty, OperandType::Scalar(_)) {
            self.not_an_operand(lowering, written, "one register; `mov` packs several narrow ones into it");
            return None;
        }
        let mut rows = Vec::new();
        if let (OperandKind::Name(symbol), OperandType::Vector(..)) = (written.kind, part.ty)
            && let Some(Binding::Vector(first, count)) = self.find(lowering, symbol)
        {
            rows.extend((first..first + u32::from(count)).map(operand));
        } else {
            for element in &list {
                rows.push(self.source(lowering, part, element, ty, &mut placed.op.mods)?);
            }
        }
        if !std::mem::replace(typed, true) {
            (placed.op.ty, placed.op.reg, placed.op.arity) = (ty, ty, rows.len() as u8);
        }
        Some(rows)
    }

    /// The row of an address as a generic one of 64 bits; `space` is the state space that the form gives it.
    fn generic_address(
        &mut self,
        lowering: &mut Lowering<'p>,
        part: &Part,
        written: &ast::Operand,
        space: Option<&'static str>,
    ) -> Option<u32> {
        let word = space.and_then(|space| lowering.program.table.word(space));
        let shared = word.is_some_and(|word| word.sets.iter().any(|(key, value)| *key == "space" && value.starts_with("shared")));
        let window = |shared: bool| if shared { SHARED_WINDOW as i64 } else { 0 };
        let (base, offset) = match written.kind {
            OperandKind::Address { base, offset } => (base, offset),
            OperandKind::Name(symbol) => (Some(symbol), 0),
            OperandKind::Element(list) => {
                let shared = shared || self.is_shared_array(lowering, list);
                let row = self.element(lowering, list, Type::U64)?;
                return self.moved(row, window(shared));
            }
            _ => {
                let row = self.source(lowering, part, written, Type::U64, &mut Mods::default())?;
                return self.moved(row, window(shared));
            }
        };
        let Some(symbol) = base else {
            return Some(self.constant(offset.wrapping_add(window(shared)) as u64 as u128, 64));
        };
        match self.find(lowering, symbol) {
            Some(Binding::Register(register, _)) => {
                let row = self.read(register, Type::U64)?;
                self.moved(row, offset.wrapping_add(window(shared)))
            }
            Some(Binding::Shared(start)) => {
                let row = self.shared_address(i64::from(start).wrapping_add(offset) as i32, 64);
                self.moved(row, window(true))
            }
            Some(Binding::Device(_) | Binding::Param(_)) => {
                self.address_of(lowering, Name { symbol, span: written.span }, offset, Type::U64)
            }
            _ => {
                self.not_an_operand(lowering, written, "an address in shared or global memory");
                None
            }
        }
    }

    fn is_shared_array(&mut self, lowering: &mut Lowering<'p>, list: ast::List) -> bool {
        let Some(OperandKind::Name(symbol)) = self.tree.list(list).first().map(|array| array.kind) else { return false };
        matches!(self.find(lowering, symbol), Some(Binding::Shared(_)))
    }

    /// A row of 64 bits plus a distance.
    fn moved(&mut self, row: u32, distance: i64) -> Option<u32> {
        if distance == 0 {
            return Some(row);
        }
        let distance = self.constant(distance as u64 as u128, 64);
        self.apply("int::add", &[row, distance], &[Type::U64; 2], Type::U64)
    }

    fn place_part(
        &mut self,
        lowering: &mut Lowering<'p>,
        part: &Part,
        written: Option<&ast::Operand>,
        cursor: &mut Cursor,
        placed: &mut Placed,
    ) -> Option<()> {
        let destination = part.role != Role::Source;
        let slot = if destination { &mut cursor.dst } else { &mut cursor.src };
        let at = *slot;
        *slot += 1;
        let Some(written) = written else { return Some(()) };
        match part.ty {
            OperandType::Label => {
                let OperandKind::Name(symbol) = written.kind else { return None };
                let label = self.label(lowering, Name { symbol, span: written.span })?;
                placed.targets = Some(vec![label]);
                *slot_back(cursor, destination) -= 1;
            }
            OperandType::List => {
                let OperandKind::Name(symbol) = written.kind else { return None };
                match self.find(lowering, symbol) {
                    Some(Binding::Targets(labels)) => placed.targets = Some(labels),
                    _ => {
                        self.not_an_operand(lowering, written, "the label of a .branchtargets directive");
                        return None;
                    }
                }
                *slot_back(cursor, destination) -= 1;
            }
            OperandType::Address(_)
                if matches!(written.kind, OperandKind::Address { .. } | OperandKind::Unified(_) | OperandKind::Element(_)) =>
            {
                self.address(lowering, written, at, placed)?;
            }
            // An address as a value.
            OperandType::Address(_) => {
                placed.op.wide = self.register_width(lowering, written) != Some(32);
                let ty = if placed.op.wide { Type::U64 } else { Type::U32 };
                *placed.op.src.get_mut(at)? = self.source(lowering, part, written, ty, &mut placed.op.mods)?;
            }
            OperandType::Vector(n, ty) => {
                self.vector(lowering, part, written, (n, bind::machine_type(ty)), at, cursor, placed)?;
            }
            OperandType::Scalar(ty) => {
                let ty = bind::machine_type(ty);
                let native = self.register_width(lowering, written).filter(|_| part.limits.wider);
                let reg = register_type(native.unwrap_or(ty.bits()), ty.signed());
                if !std::mem::replace(&mut cursor.typed, true) {
                    placed.op.ty = ty;
                    placed.op.reg = reg;
                }
                let want = if native.is_some() { reg } else { ty };
                if destination {
                    *placed.op.dst.get_mut(at)? = self.destination(lowering, written, want, &mut placed.after)?;
                } else {
                    *placed.op.src.get_mut(at)? = self.source(lowering, part, written, want, &mut placed.op.mods)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Puts the elements of a vector operand in the offsets table.
    #[allow(clippy::too_many_arguments)]
    fn vector(
        &mut self,
        lowering: &mut Lowering<'p>,
        part: &Part,
        written: &ast::Operand,
        (n, ty): (u32, Type),
        at: usize,
        cursor: &mut Cursor,
        placed: &mut Placed,
    ) -> Option<()> {
        let destination = part.role != Role::Source;
        let elements: Vec<ast::Operand> = match written.kind {
            OperandKind::Vector(list) => self.tree.list(list).to_vec(),
            _ => Vec::new(),
        };
        let width = elements.iter().find_map(|e| self.register_width(lowering, e)).filter(|_| part.limits.wider);
        let reg = register_type(width.unwrap_or(ty.bits()), ty.signed());
        let want = if width.is_some() { reg } else { ty };
        let mut offsets = Vec::new();
        if let (OperandKind::Name(symbol), true) = (written.kind, elements.is_empty())
            && let Some(Binding::Vector(first, count)) = self.find(lowering, symbol)
        {
            offsets.extend((first..first + u32::from(count)).map(operand));
        }
        if let (OperandKind::Name(symbol), true, false) = (written.kind, offsets.is_empty(), destination) {
            // A special register that is a vector.
            for k in 0..n {
                let name = Name { symbol, span: written.span };
                offsets.push(self.special(lowering, name, k, ty.bits())?);
            }
        }
        for element in &elements {
            offsets.push(match (destination, element.kind) {
                (true, _) => self.destination(lowering, element, want, &mut placed.after)?,
                // An element that is not stored.
                (false, OperandKind::Sink) => NONE,
                (false, _) => self.source(lowering, part, element, want, &mut placed.op.mods)?,
            });
        }
        if !std::mem::replace(&mut cursor.typed, true) {
            placed.op.ty = ty;
            placed.op.reg = reg;
        }
        let start = lowering.tables.offsets.len();
        lowering.tables.offsets.extend(&offsets);
        let range = start..start + offsets.len();
        *placed.lists.iter_mut().find(|l| l.is_none())? = Some((range, destination));
        placed.op.arity = n as u8;
        let place = if destination { placed.op.dst.get_mut(at)? } else { placed.op.src.get_mut(at)? };
        *place = start as u32;
        Some(())
    }

    /// Sets base, offset and state space of an address.
    fn address(&mut self, lowering: &mut Lowering<'p>, written: &ast::Operand, at: usize, placed: &mut Placed) -> Option<()> {
        let written = match written.kind {
            OperandKind::Unified(list) => self.tree.list(list).first()?,
            _ => written,
        };
        let (base, offset) = match written.kind {
            OperandKind::Address { base, offset } => (base, offset),
            OperandKind::Element(list) => return self.element_address(lowering, list, at, &mut placed.op),
            _ => {
                self.not_an_operand(lowering, written, "an address in brackets");
                return None;
            }
        };
        let op = &mut placed.op;
        op.wide = true;
        let space = op.mods.space;
        let parameters = matches!(space, MemorySpace::Param | MemorySpace::ParamEntry | MemorySpace::ParamFunc);
        let (row, fixed) = match base.map(|b| (b, self.find(lowering, b))) {
            None => (None, 0),
            Some((_, Some(Binding::Register(register, _)))) => {
                op.wide = self.registers[register as usize].bits == 64;
                if parameters {
                    op.mods.space = if self.function.entry { MemorySpace::Global } else { MemorySpace::Local };
                }
                (Some(operand(register)), 0)
            }
            Some((_, Some(Binding::Local(start, _)))) => {
                op.wide = false;
                op.mods.space = MemorySpace::Local;
                (Some(LOCAL_START), i64::from(start))
            }
            Some((_, Some(Binding::Param(start)))) => {
                op.mods.space = MemorySpace::ParamEntry;
                (None, i64::from(start))
            }
            Some((_, Some(Binding::Shared(start)))) => {
                if space == MemorySpace::Generic {
                    op.mods.space = MemorySpace::Shared;
                }
                (None, i64::from(start))
            }
            Some((_, Some(Binding::Device(address)))) => {
                if space == MemorySpace::Generic {
                    op.mods.space = MemorySpace::Global;
                }
                (Some(self.constant(address.into(), 64)), 0)
            }
            Some((symbol, _)) => {
                self.unknown(lowering, Name { symbol, span: written.span });
                return None;
            }
        };
        let total = fixed.wrapping_add(offset);
        let op = &mut placed.op;
        match (i32::try_from(total), row) {
            (Ok(small), _) => {
                op.imm = small;
                *op.src.get_mut(at)? = row.unwrap_or(NONE);
            }
            (Err(_), None) => *op.src.get_mut(at)? = self.constant(total as u64 as u128, 64),
            (Err(_), Some(_)) => {
                self.not_an_operand(lowering, written, "an offset of 32 bits, signed");
                return None;
            }
        }
        Some(())
    }

    /// Part `i` of a written operand: of a pair or a list in brackets; the operand itself otherwise.
    fn part<'o>(&self, written: &'o ast::Operand, i: usize) -> Option<&'o ast::Operand>
    where
        'p: 'o,
    {
        match written.kind {
            OperandKind::Pair(list) | OperandKind::AddressList(list) => self.tree.list(list).get(i),
            // `{ %r1 }` is %r1.
            OperandKind::Vector(list) if list.len == 1 && i == 0 => self.tree.list(list).first(),
            _ => (i == 0).then_some(written),
        }
    }

    /// Bits of the register that an operand names.
    fn register_width(&mut self, lowering: &mut Lowering<'p>, written: &ast::Operand) -> Option<u32> {
        match written.kind {
            OperandKind::Name(symbol) => match self.find(lowering, symbol)? {
                Binding::Register(register, _) => Some(self.registers[register as usize].bits),
                _ => None,
            },
            OperandKind::Member(base, _) => match self.find(lowering, base)? {
                Binding::Vector(first, ..) | Binding::Register(first, _) => Some(self.registers[first as usize].bits),
                _ => None,
            },
            _ => None,
        }
    }

    /// The row to read a source of type `want` from.
    pub(super) fn source(
        &mut self,
        lowering: &mut Lowering<'p>,
        part: &Part,
        written: &ast::Operand,
        want: Type,
        mods: &mut Mods,
    ) -> Option<u32> {
        match written.kind {
            OperandKind::Name(symbol) => self.named(lowering, Name { symbol, span: written.span }, want),
            OperandKind::Member(base, member) => self.member(lowering, written, base, member, want),
            OperandKind::Constant(constant) => Some(self.constant(constant_bits(constant, type_name(want)), want.bits())),
            OperandKind::Offset(symbol, offset) => self.address_of(lowering, Name { symbol, span: written.span }, offset, want),
            OperandKind::Not(list) => {
                let inner = *self.tree.list(list).first()?;
                let row = self.source(lowering, part, &inner, want, mods)?;
                self.convert("move::not_predicate", row, want, want)
            }
            OperandKind::Negate(list) => {
                let inner = *self.tree.list(list).first()?;
                if let Err(why) = mods.set(&format!("neg_{}", part.name), None) {
                    self.error(
                        lowering,
                        Diagnostic::error("E0212", written.span, "not executable yet: a negated operand").note(why),
                    );
                    return None;
                }
                self.source(lowering, part, &inner, want, mods)
            }
            OperandKind::Element(list) => self.element(lowering, list, want),
            _ => {
                self.not_an_operand(lowering, written, "a register or a constant");
                None
            }
        }
    }

    /// Sets base and state space of an element as an address.
    fn element_address(&mut self, lowering: &mut Lowering<'p>, list: ast::List, at: usize, op: &mut Op) -> Option<()> {
        let array = self.tree.list(list).first()?;
        let binding = match array.kind {
            OperandKind::Name(symbol) => self.find(lowering, symbol),
            _ => None,
        };
        op.wide = !matches!(binding, Some(Binding::Shared(_) | Binding::Local(..)));
        op.mods.space = match binding {
            Some(Binding::Local(..)) => MemorySpace::Local,
            // What `mov` tells of a kernel's parameter is its address in device memory.
            Some(Binding::Param(_)) => MemorySpace::Global,
            Some(Binding::Shared(_)) if op.mods.space == MemorySpace::Generic => MemorySpace::Shared,
            Some(Binding::Device(_)) if op.mods.space == MemorySpace::Generic => MemorySpace::Global,
            _ => op.mods.space,
        };
        let want = if op.wide { Type::U64 } else { Type::U32 };
        *op.src.get_mut(at)? = self.element(lowering, list, want)?;
        Some(())
    }

    /// The address of an element, `a[1]` or `a[%r1+2]`. As ptxas 13.5 has it, the index counts scalars, whatever vectors or dimensions
    /// the array has, and its distance from the start is unsigned, of 32 bits.
    fn element(&mut self, lowering: &mut Lowering<'p>, list: ast::List, want: Type) -> Option<u32> {
        let &[array, index] = self.tree.list(list) else { return None };
        let size = match array.kind {
            OperandKind::Name(symbol) => self.element_bytes(lowering, symbol).map(|bytes| (symbol, bytes)),
            _ => None,
        };
        let Some((symbol, bytes)) = size else {
            self.not_an_operand(lowering, &array, "an array before `[`");
            return None;
        };
        let name = Name { symbol, span: array.span };
        let (counted, added) = match index.kind {
            OperandKind::Constant(constant) => {
                let distance = (constant_bits(constant, "b64") as u32).wrapping_mul(bytes);
                return self.address_of(lowering, name, distance.into(), want);
            }
            OperandKind::Name(symbol) => (symbol, 0),
            OperandKind::Offset(symbol, added) => (symbol, added),
            _ => {
                self.not_an_operand(lowering, &index, "an index: a constant, a register, or a register plus a constant");
                return None;
            }
        };
        let index = match self.find(lowering, counted) {
            Some(Binding::Register(register, ty)) => self.read(register, register_type(32, ty.starts_with('s')))?,
            _ => self.named(lowering, Name { symbol: counted, span: index.span }, Type::U32)?,
        };
        let start = self.address_of(lowering, name, 0, want)?;
        let factor = self.constant(bytes.into(), 32);
        let rest = self.constant((added as u32).wrapping_mul(bytes).into(), 32);
        let distance = self.apply("int::mad_lo", &[index, factor, rest], &[Type::U32; 3], Type::U32)?;
        let distance = if want == Type::U32 { distance } else { self.convert("move::zero_extend", distance, Type::U32, want)? };
        self.apply("int::add", &[start, distance], &[want; 2], want)
    }

    fn named(&mut self, lowering: &mut Lowering<'p>, name: Name, want: Type) -> Option<u32> {
        match self.find(lowering, name.symbol) {
            Some(Binding::Register(register, _)) => self.read(register, want),
            Some(_) => self.address_of(lowering, name, 0, want),
            None => match self.tree.name(name.symbol) {
                "WARP_SZ" => Some(self.constant(machine::LANES as u128, want.bits())),
                _ => match self.special(lowering, name, 0, want.bits()) {
                    Some(row) => Some(row),
                    None => {
                        self.unknown(lowering, name);
                        None
                    }
                },
            },
        }
    }

    /// A register as a source of type `want`: itself, or its low bits, or widened in a temporary.
    fn read(&mut self, register: u32, want: Type) -> Option<u32> {
        let bits = self.registers[register as usize].bits;
        if bits == want.bits() {
            return Some(operand(register));
        }
        let function = if bits < want.bits() && want.signed() { "move::sign_extend" } else { "move::zero_extend" };
        let signed = function == "move::sign_extend";
        self.convert(function, operand(register), register_type(bits, signed), register_type(want.bits(), signed))
    }

    /// Applies a one-source function of `semantics` to a row, into a temporary.
    fn convert(&mut self, function: &str, row: u32, from: Type, to: Type) -> Option<u32> {
        self.apply(function, &[row], &[from], to)
    }

    /// Applies a lane function to rows, into a temporary.
    fn apply(&mut self, function: &str, rows: &[u32], from: &[Type], to: Type) -> Option<u32> {
        let Shape::Lane(instances) = semantics::find(function)?.shape else { return None };
        let instance = semantics::instance(instances, &[to], from)?;
        let register = self.new_register(to.bits());
        let mut op = Op::new(instance.row(Mods::default()));
        op.src.iter_mut().zip(rows).for_each(|(place, row)| *place = *row);
        op.dst[0] = operand(register);
        self.push_unguarded(op);
        Some(operand(register))
    }

    /// Writes a temporary, which is this instruction's alone: doing so for lanes whose guard is false does no harm.
    fn push_unguarded(&mut self, op: Op) {
        let guard = std::mem::replace(&mut self.guard, NONE);
        self.push(op, crate::allocate::Flow::Next);
        self.guard = guard;
    }

    fn member(
        &mut self,
        lowering: &mut Lowering<'p>,
        written: &ast::Operand,
        base: Symbol,
        member: Symbol,
        want: Type,
    ) -> Option<u32> {
        let component = component(self.tree.name(member));
        match (self.find(lowering, base), component) {
            (Some(Binding::Vector(first, n)), Some(i)) if i < u32::from(n) => self.read(first + i, want),
            // A selector: the fit has told the function about it.
            (Some(Binding::Register(register, _)), _) => self.read(register, want),
            (None, Some(i)) => match self.special(lowering, Name { symbol: base, span: written.span }, i, want.bits()) {
                Some(row) => Some(row),
                None => {
                    self.unknown(lowering, Name { symbol: base, span: written.span });
                    None
                }
            },
            _ => {
                self.not_an_operand(lowering, written, "a register");
                None
            }
        }
    }

    /// The address of a variable or function within its own state space, plus an offset.
    fn address_of(&mut self, lowering: &mut Lowering<'p>, name: Name, offset: i64, want: Type) -> Option<u32> {
        let mut op = Op::new(semantics::memory::local_address as Handler);
        match self.find(lowering, name.symbol) {
            Some(Binding::Device(address)) => {
                return Some(self.constant(address.wrapping_add(offset as u64).into(), want.bits()));
            }
            Some(Binding::Shared(start)) => {
                return Some(self.shared_address(i64::from(start).wrapping_add(offset) as i32, want.bits()));
            }
            Some(Binding::Local(start, _)) => op.imm = (i64::from(start) + offset) as i32,
            Some(Binding::Param(start)) => {
                op.run = semantics::memory::param_address as Handler;
                op.imm = (i64::from(start) + offset) as i32;
            }
            _ => {
                self.unknown(lowering, name);
                return None;
            }
        }
        let register = self.new_register(want.bits());
        op.dst[0] = operand(register);
        op.reg = register_type(want.bits(), false);
        self.push_unguarded(op);
        Some(operand(register))
    }

    fn unknown(&mut self, lowering: &mut Lowering<'p>, name: Name) {
        let text = self.tree.name(name.symbol);
        let diagnostic = match lowering.program.entity(self.unit, name.symbol) {
            Some(crate::program::Entity::Missing { .. }) => {
                Diagnostic::error("E0216", name.span, format!("`{text}` is declared but no module defines it"))
                    .help("load the module that defines it as well")
            }
            Some(crate::program::Entity::Opaque) => {
                Diagnostic::error("E0212", name.span, format!("not executable yet: the opaque variable `{text}`"))
                    .note("textures, surfaces and samplers have no model yet")
            }
            _ => Diagnostic::error("E0218", name.span, format!("`{text}` is not declared"))
                .help("declare it with .reg, or as a variable or function"),
        };
        self.error(lowering, diagnostic);
    }

    /// The row to write a result of type `ty` to; a wider register gets it by an op in `after`.
    pub(super) fn destination(
        &mut self,
        lowering: &mut Lowering<'p>,
        written: &ast::Operand,
        ty: Type,
        after: &mut Vec<Op>,
    ) -> Option<u32> {
        let register = match written.kind {
            OperandKind::Sink => return Some(NONE),
            OperandKind::Name(symbol) => match self.find(lowering, symbol) {
                Some(Binding::Register(register, _)) => Some(register),
                _ => None,
            },
            OperandKind::Member(base, member) => match (self.find(lowering, base), component(self.tree.name(member))) {
                (Some(Binding::Vector(first, n)), Some(i)) if i < u32::from(n) => Some(first + i),
                (Some(Binding::Register(register, _)), _) => Some(register),
                _ => None,
            },
            _ => None,
        };
        let Some(register) = register else {
            self.not_an_operand(lowering, written, "a register to write to");
            return None;
        };
        let bits = self.registers[register as usize].bits;
        if bits == ty.bits() {
            return Some(operand(register));
        }
        let temporary = self.new_register(ty.bits());
        let function = if bits > ty.bits() && ty.signed() { "move::sign_extend" } else { "move::zero_extend" };
        let signed = function == "move::sign_extend";
        let (from, to) = (register_type(ty.bits(), signed), register_type(bits, signed));
        let instance = match semantics::find(function).map(|f| &f.shape) {
            Some(Shape::Lane(instances)) => semantics::instance(instances, &[to], &[from]),
            _ => None,
        };
        let Some(instance) = instance else {
            self.not_an_operand(lowering, written, "a register of the result's type");
            return None;
        };
        let mut op = Op::new(instance.row(Mods::default()));
        op.src[0] = operand(temporary);
        op.dst[0] = operand(register);
        after.push(op);
        Some(operand(temporary))
    }
}

/// The entries of a named operand that has `count` elements.
fn room(names: &[(&str, usize)], name: &str, count: usize) -> Option<Range<usize>> {
    let mut start = 0;
    for (other, room) in names {
        if *other == name {
            return (count <= *room).then_some(start..start + count);
        }
        start += room;
    }
    None
}

fn slot_back(cursor: &mut Cursor, destination: bool) -> &mut usize {
    if destination { &mut cursor.dst } else { &mut cursor.src }
}

/// The number of a vector component.
fn component(name: &str) -> Option<u32> {
    ptx::shape::component_index(name).map(|index| index as u32)
}

/// What a constant is converted to before its bits are taken.
fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::F32 => "f32",
        Type::F64 => "f64",
        Type::U128 => "b128",
        _ => "b64",
    }
}
