//! Symbols: names that stand for places, values or memory that others define.
//!
//! A name that is set a second time gets a symbol of its own, and what referred to the first keeps it: `.set` therefore acts like
//! an assignment, except that a value which is not a plain number is not computed before everything is laid out.

use super::expression::Expression;
use diagnostics::Span;
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

/// A place in the text or in one of its expansions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The expansion, counted from 1; 0 for the text itself.
    pub buffer: u32,
    /// The bytes of it.
    pub span: Span,
}

/// A symbol: its number in [`Symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(u32);

/// A place in what is being assembled: bytes behind the start of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    pub(crate) part: u32,
    pub(crate) fragment: u32,
    pub(crate) offset: u32,
}

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    /// Nothing in this file, so far.
    Undefined,
    /// A place.
    Label(Label),
    /// A value.
    Variable(Expression),
    /// Memory that the linker joins with that of other files: bytes and their alignment.
    Common(u64, u64),
    /// Local data share that the linker places: bytes and their alignment.
    Lds(u64, u64),
}

/// Who may refer to a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// This file.
    Local,
    /// Every file.
    Global,
    /// Every file, unless another one defines it globally.
    Weak,
    /// Every file, once in a process (`gnu_unique_object`).
    Unique,
}

/// What a symbol's memory holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SymbolKind {
    /// Unsaid.
    #[default]
    None,
    /// Data.
    Object,
    /// Code.
    Function,
    /// Code that chooses the function.
    IndirectFunction,
    /// Data of a thread.
    ThreadLocal,
}

impl SymbolKind {
    /// What the table says of another name of a symbol of kind `base`.
    pub(crate) fn of_alias(self, base: SymbolKind) -> SymbolKind {
        match self {
            SymbolKind::IndirectFunction | SymbolKind::ThreadLocal => self,
            SymbolKind::Function if base != SymbolKind::IndirectFunction => self,
            SymbolKind::Object if base == SymbolKind::None => self,
            _ => base,
        }
    }

    /// What two directives together say: the more special, in the order of the variants.
    pub(crate) fn joined(self, other: SymbolKind) -> SymbolKind {
        if self as u8 > other as u8 { self } else { other }
    }
}

/// Who may see a symbol once objects are linked (ELF's STV values).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// As its binding says.
    #[default]
    Default,
    /// As hidden, and more on some machines.
    Internal,
    /// Nobody outside.
    Hidden,
    /// Others, but references from inside stay inside.
    Protected,
}

/// A symbol and all that directives said of it.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name; empty for places that only an expression means.
    pub name: Rc<str>,
    /// What it stands for.
    pub state: State,
    /// Its binding, if a directive gave it one.
    pub binding: Option<Binding>,
    /// Its visibility.
    pub visibility: Visibility,
    /// What its memory holds.
    pub kind: SymbolKind,
    /// What `.size` said, and where.
    pub size: Option<(Expression, Place)>,
    /// Where it was defined last.
    pub place: Place,
    /// Whether `.set` or `=` may give it another value.
    pub(crate) redefinable: bool,
    /// Whether it stays out of the symbol table: its name begins with `.L`, or it has been replaced.
    pub(crate) temporary: bool,
    /// Whether something that is emitted names it.
    pub(crate) registered: bool,
    /// The section whose start it is, if it has the section's name.
    pub(crate) section: Option<u32>,
    /// Whether an expression names it.
    pub(crate) referenced: bool,
    /// Whether a relocation names it.
    pub(crate) in_relocation: bool,
    /// Whether its value is being computed.
    pub(crate) resolving: Cell<bool>,
}

impl Symbol {
    fn new(name: Rc<str>) -> Self {
        Symbol {
            temporary: name.is_empty() || name.starts_with(".L"),
            name,
            state: State::Undefined,
            binding: None,
            visibility: Visibility::Default,
            kind: SymbolKind::None,
            size: None,
            place: Place::default(),
            redefinable: false,
            registered: false,
            section: None,
            referenced: false,
            in_relocation: false,
            resolving: Cell::new(false),
        }
    }
}

/// All symbols of a file.
#[derive(Debug, Default)]
pub struct Symbols {
    list: Vec<Symbol>,
    names: HashMap<Rc<str>, SymbolId>,
    /// In the order in which they are first emitted.
    order: Vec<SymbolId>,
    /// How often each numeric label has been defined.
    definitions: HashMap<u64, u32>,
    /// Numeric labels by their number and definition.
    numeric: HashMap<(u64, u32), SymbolId>,
}

impl Symbols {
    /// The symbol that a name stands for now.
    pub fn find(&self, name: &str) -> Option<SymbolId> {
        self.names.get(name).copied()
    }

    /// The same, made if there is none. `\"` and `\\` in a name stand for the second character.
    pub fn named(&mut self, name: &str) -> SymbolId {
        if let Some(id) = self.names.get(name) {
            return *id;
        }
        if name.contains('\\') {
            let name = name.replace("\\\"", "\"").replace("\\\\", "\\");
            return self.names.get(&*name).copied().unwrap_or_else(|| self.add(&name));
        }
        self.add(name)
    }

    fn add(&mut self, name: &str) -> SymbolId {
        let name: Rc<str> = name.into();
        let id = self.push(Symbol::new(name.clone()));
        self.names.insert(name, id);
        id
    }

    fn push(&mut self, symbol: Symbol) -> SymbolId {
        self.list.push(symbol);
        SymbolId(self.list.len() as u32 - 1)
    }

    /// A place without a name.
    pub(crate) fn anonymous(&mut self, label: Label) -> SymbolId {
        self.push(Symbol { state: State::Label(label), ..Symbol::new("".into()) })
    }

    /// A new symbol for the name of one, which keeps what directives said of it; the old one keeps its value.
    pub(crate) fn replace(&mut self, id: SymbolId) -> SymbolId {
        let mut fresh = self.get(id).clone();
        (fresh.registered, fresh.referenced) = (false, false);
        self.get_mut(id).temporary = true;
        let name = fresh.name.clone();
        let replacement = self.push(fresh);
        self.names.insert(name, replacement);
        replacement
    }

    /// The symbol of `1:`, a new one each time.
    pub(crate) fn define_numeric(&mut self, number: u64) -> SymbolId {
        *self.definitions.entry(number).or_default() += 1;
        self.numeric_label(number, 0)
    }

    /// The symbol that `1b` (`ahead` 0) or `1f` (`ahead` 1) means here.
    pub(crate) fn numeric_label(&mut self, number: u64, ahead: u32) -> SymbolId {
        let definition = self.definitions.get(&number).copied().unwrap_or(0) + ahead;
        if let Some(id) = self.numeric.get(&(number, definition)) {
            return *id;
        }
        let id = self.push(Symbol::new("".into()));
        self.numeric.insert((number, definition), id);
        id
    }

    /// A symbol.
    pub fn get(&self, id: SymbolId) -> &Symbol {
        &self.list[id.0 as usize]
    }

    pub(crate) fn get_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.list[id.0 as usize]
    }

    /// Notes that something emitted names a symbol.
    pub(crate) fn register(&mut self, id: SymbolId) {
        let symbol = &mut self.list[id.0 as usize];
        if !symbol.registered {
            symbol.registered = true;
            self.order.push(id);
        }
    }

    /// Those that something emitted names, in the order in which it did first.
    pub(crate) fn registered(&self) -> &[SymbolId] {
        &self.order
    }

    /// Gives a name a number for good.
    pub(crate) fn set_constant(&mut self, name: &str, value: i64) {
        let id = self.named(name);
        self.get_mut(id).state = State::Variable(Expression::Constant(value));
    }

    /// Gives a name a number that `.set` may change.
    pub fn set_number(&mut self, name: &str, value: i64) {
        let id = self.named(name);
        let symbol = self.get_mut(id);
        (symbol.state, symbol.redefinable) = (State::Variable(Expression::Constant(value)), true);
    }

    /// The number that a name stands for, if it is one.
    pub fn number(&self, name: &str) -> Option<i64> {
        match self.get(self.find(name)?).state {
            State::Variable(Expression::Constant(value)) => Some(value),
            _ => None,
        }
    }
}
