//! Conditions on the modifiers of an instruction, as `when`, `need ... if` and `types ... if` state them.

use crate::text::Text;

/// A condition on the modifiers present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `.name`: the word is present or, where that names a slot, the slot is filled.
    Present(Text),
    /// `.slot=.w1|.w2`: one of the words is in the slot.
    Slot(Text, Vec<Text>),
    /// `no ...` and `absent .slot`.
    Not(Box<Condition>),
    /// `and`.
    All(Vec<Condition>),
    /// `or`.
    Any(Vec<Condition>),
}

/// The modifiers of one spelling, of which conditions speak.
pub(crate) trait Modifiers {
    /// What is in a slot: outer `None` if there is no such slot, inner `None` if it is empty.
    fn slot(&self, name: &str) -> Option<Option<Text>>;
    /// Whether a word is present in any place.
    fn has(&self, word: &str) -> bool;
}

impl Condition {
    /// Whether it holds.
    pub(crate) fn holds(&self, modifiers: &impl Modifiers) -> bool {
        match self {
            Condition::Present(name) => match modifiers.slot(name) {
                Some(filled) => filled.is_some(),
                None => modifiers.has(name),
            },
            Condition::Slot(slot, words) => modifiers.slot(slot).flatten().is_some_and(|filled| words.contains(&filled)),
            Condition::Not(inner) => !inner.holds(modifiers),
            Condition::All(parts) => parts.iter().all(|p| p.holds(modifiers)),
            Condition::Any(parts) => parts.iter().any(|p| p.holds(modifiers)),
        }
    }

    /// Calls `visit` with every slot or word it names, and the slot in which the word must be.
    pub(crate) fn names(&self, visit: &mut impl FnMut(Text, Option<Text>)) {
        match self {
            Condition::Present(name) => visit(name, None),
            Condition::Slot(slot, words) => {
                visit(slot, None);
                words.iter().for_each(|w| visit(w, Some(slot)));
            }
            Condition::Not(inner) => inner.names(visit),
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|p| p.names(visit)),
        }
    }

    /// Reads one from all of `text`.
    pub(crate) fn parse(text: Text) -> Result<Condition, String> {
        let mut cursor = Cursor::new(text);
        let condition = cursor.condition()?;
        cursor.end()?;
        Ok(condition)
    }
}

/// A position in a list of tokens: blanks separate them, `( ) = |` stand alone.
pub(crate) struct Cursor {
    tokens: Vec<Text>,
    at: usize,
}

impl Cursor {
    pub fn new(text: Text) -> Cursor {
        let mut tokens = Vec::new();
        for mut word in text.split_whitespace() {
            while let Some(i) = word.find(['(', ')', '=', '|']) {
                tokens.extend((i > 0).then(|| &word[..i]));
                tokens.push(&word[i..i + 1]);
                word = &word[i + 1..];
            }
            tokens.extend((!word.is_empty()).then_some(word));
        }
        Cursor { tokens, at: 0 }
    }

    pub fn peek(&self) -> Option<Text> {
        self.tokens.get(self.at).copied()
    }

    pub fn next(&mut self) -> Option<Text> {
        let token = self.peek();
        self.at += usize::from(token.is_some());
        token
    }

    /// Takes the token if it is `expected`.
    pub fn eat(&mut self, expected: &str) -> bool {
        let found = self.peek() == Some(expected);
        self.at += usize::from(found);
        found
    }

    pub fn end(&self) -> Result<(), String> {
        self.peek().map_or(Ok(()), |t| Err(format!("`{t}` is not expected here")))
    }

    /// A name with a dot: a word or a slot.
    pub fn dotted(&mut self) -> Result<Text, String> {
        match self.next() {
            Some(t) if t.len() > 1 && t.starts_with('.') => Ok(t),
            Some(t) => Err(format!("`{t}` where a word or slot such as `.type` is expected")),
            None => Err("a word or slot such as `.type` is missing at the end".into()),
        }
    }

    /// `A or B or ...`
    pub fn condition(&mut self) -> Result<Condition, String> {
        let mut parts = vec![self.conjunction()?];
        while self.eat("or") {
            parts.push(self.conjunction()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::Any(parts) })
    }

    fn conjunction(&mut self) -> Result<Condition, String> {
        let mut parts = vec![self.atom()?];
        while self.eat("and") {
            parts.push(self.atom()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Condition::All(parts) })
    }

    /// `(C)`, `no C`, `absent .slot`, `.name` or `.slot=.w1|.w2`; never deeper than the tokens are many, but a
    /// table is no place for a thousand parentheses.
    pub fn atom(&mut self) -> Result<Condition, String> {
        if self.tokens.len() > 1000 {
            return Err("a condition of more than 1,000 tokens".into());
        }
        if self.eat("(") {
            let inner = self.condition()?;
            return if self.eat(")") { Ok(inner) } else { Err("`)` is missing".into()) };
        }
        if self.eat("no") {
            return Ok(Condition::Not(Box::new(self.atom()?)));
        }
        if self.eat("absent") {
            return Ok(Condition::Not(Box::new(Condition::Present(self.dotted()?))));
        }
        let name = self.dotted()?;
        if !self.eat("=") {
            return Ok(Condition::Present(name));
        }
        let mut words = vec![self.dotted()?];
        while self.eat("|") {
            words.push(self.dotted()?);
        }
        Ok(Condition::Slot(name, words))
    }
}
