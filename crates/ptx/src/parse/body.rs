//! Bodies of functions: scopes, labels, instructions and directives among them.

use super::operand::Place;
use super::{Parsed, Parser};
use crate::ast::{Block, Instruction, List, Loc, Name, Opcode, OperandKind, Prototype, Statement};
use crate::codes;
use crate::directive::Directive;
use crate::lex::{Kind, Token};
use diagnostics::{Diagnostic, Span};

/// Scopes inside one another. Consumers walk the tree recursively, so this bounds their stacks too.
const MAX_SCOPES: usize = 200;

/// A scope whose closing brace has not come yet.
struct Scope {
    open: Token,
    statements: Vec<Statement>,
}

impl Parser<'_> {
    /// `{ ... }`, which begins at the token at hand.
    pub(super) fn body(&mut self) -> Block {
        let mut outer: Vec<Scope> = Vec::new();
        let mut scope = self.open_scope();
        loop {
            match self.token.kind {
                Kind::LeftBrace if outer.len() + 1 < MAX_SCOPES => {
                    let inner = self.open_scope();
                    outer.push(std::mem::replace(&mut scope, inner));
                }
                Kind::LeftBrace => self.skip_scope(),
                Kind::RightBrace => {
                    self.advance();
                    let block = self.close_scope(scope);
                    match outer.pop() {
                        None => return block,
                        Some(enclosing) => scope = enclosing,
                    }
                    scope.statements.push(Statement::Block(Box::new(block)));
                }
                Kind::End => return self.unclosed(outer, scope),
                Kind::Dotted if self.begins_hoisted() => self.hoisted(),
                Kind::Dotted if self.begins_item() => return self.unclosed(outer, scope),
                _ => self.statement(&mut scope.statements),
            }
        }
    }

    fn open_scope(&mut self) -> Scope {
        let open = self.token;
        self.advance();
        Scope { open, statements: Vec::new() }
    }

    fn close_scope(&self, scope: Scope) -> Block {
        Block { statements: scope.statements, span: Span::new(scope.open.start, self.previous_end) }
    }

    fn skip_scope(&mut self) {
        let message = format!("more than {MAX_SCOPES} scopes inside one another");
        self.syntax_error(Diagnostic::error(codes::NESTING, self.token.span(), message));
        self.skip_braces();
    }

    /// Whether the directive at hand can only begin something at module scope.
    fn begins_item(&self) -> bool {
        matches!(self.directive(), Some(Directive::Function(_) | Directive::Linkage(_)))
    }

    /// Whether a prototype of a function or an alias begins, which ptxas 13.5 takes in bodies, too.
    fn begins_hoisted(&self) -> bool {
        match self.directive() {
            Some(Directive::Alias) => true,
            Some(Directive::Function(false) | Directive::Linkage(_)) => self.is_prototype(),
            _ => false,
        }
    }

    /// Whether `.func` and a semicolon come before any brace; the brace of the next body ends the search at the latest.
    #[cold]
    fn is_prototype(&self) -> bool {
        let mut ahead = self.lexer.ahead();
        let mut token = self.token;
        let mut is_function = false;
        loop {
            match token.kind {
                Kind::Semicolon => return is_function,
                Kind::LeftBrace | Kind::RightBrace | Kind::End => return false,
                Kind::Dotted => is_function |= self.text(token) == b".func",
                _ => {}
            }
            token = ahead.next();
        }
    }

    /// A prototype or an alias in a body: it holds from here on in the whole module.
    #[cold]
    fn hoisted(&mut self) {
        let before = self.token.start;
        let parsed = match self.directive() {
            Some(Directive::Alias) => self.alias(),
            _ => self.declaration(before),
        };
        if parsed.is_err() {
            self.depth = 0;
            self.recover(before);
        }
    }

    /// Closes all scopes where the text ends or the next function begins.
    #[cold]
    fn unclosed(&mut self, mut outer: Vec<Scope>, mut scope: Scope) -> Block {
        let found = self.describe(self.token);
        let error = Diagnostic::error(codes::UNCLOSED, scope.open.span(), "this `{` is never closed");
        let error = error.label("opened here").also(self.token.span(), format!("{found} comes before its `}}`"));
        self.syntax_error(error.help("add the missing `}`"));
        while let Some(enclosing) = outer.pop() {
            let block = self.close_scope(std::mem::replace(&mut scope, enclosing));
            scope.statements.push(Statement::Block(Box::new(block)));
        }
        self.close_scope(scope)
    }

    /// One statement, or a diagnostic and the way to the next.
    #[inline]
    fn statement(&mut self, statements: &mut Vec<Statement>) {
        let before = self.token.start;
        let parsed = match self.token.kind {
            Kind::Identifier => self.labelled(statements),
            Kind::At => self.guarded().map(|instruction| statements.push(Statement::Instruction(instruction))),
            Kind::Dotted => self.directive_statement(statements),
            Kind::Semicolon => {
                let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), "this `;` ends no statement");
                self.syntax_error(error.help("remove it; a comment begins with `//`"));
                self.advance();
                return;
            }
            Kind::Bang if self.lexer.peek() == b'@' => {
                let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), "`!` stands behind the `@` of a guard");
                Err(self.syntax_error(error.help("write `@!` and the predicate")))
            }
            _ => Err(self.unexpected("an instruction, a label or a directive")),
        };
        if parsed.is_err() {
            self.depth = 0;
            self.recover(before);
        }
    }

    /// Goes to where the next statement may begin: behind a `;`, at a brace, or at a line that looks like one.
    #[cold]
    fn recover(&mut self, before: u32) {
        if self.token.start == before && !matches!(self.token.kind, Kind::RightBrace | Kind::LeftBrace) {
            self.advance();
        }
        let mut braces = std::mem::take(&mut self.open_braces);
        loop {
            match self.token.kind {
                Kind::Semicolon => {
                    self.advance();
                    return;
                }
                Kind::End => return,
                Kind::RightBrace if braces == 0 => return,
                Kind::RightBrace => braces -= 1,
                // The braces of a vector end before the statement does; those of a scope begin a line.
                Kind::LeftBrace if self.begins_line() => return,
                Kind::LeftBrace => braces += 1,
                Kind::Identifier | Kind::At | Kind::Dotted if self.begins_line() && self.looks_like_statement() => return,
                _ => {}
            }
            self.advance();
        }
    }

    /// Whether the token at hand, which begins a line, likely begins a statement: a guard, a directive, an opcode, a label.
    fn looks_like_statement(&self) -> bool {
        match self.token.kind {
            Kind::Dotted => self.directive().is_some(),
            Kind::Identifier => !self.text(self.token).starts_with(b"%") && matches!(self.lexer.peek(), b'.' | b':' | b';'),
            _ => true,
        }
    }

    fn begins_line(&self) -> bool {
        self.bytes[self.previous_end as usize..self.token.start as usize].contains(&b'\n')
    }

    /// What begins with a word: a label, a directive with a label, or an instruction.
    #[inline]
    fn labelled(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        let word = self.token;
        if self.lexer.peek() == b'.' {
            return self.instruction(word, None).map(|instruction| statements.push(Statement::Instruction(instruction)));
        }
        if self.lexer.peek_token().kind != Kind::Colon {
            return self.instruction(word, None).map(|instruction| statements.push(Statement::Instruction(instruction)));
        }
        let label = self.name_of(word);
        self.advance();
        self.advance();
        statements.push(match self.directive() {
            Some(Directive::Prototype) => self.prototype(label)?,
            Some(Directive::BranchTargets) => Statement::BranchTargets(label, self.targets("`.branchtargets`")?),
            Some(Directive::CallTargets) => Statement::CallTargets(label, self.targets("`.calltargets`")?),
            _ => Statement::Label(label),
        });
        Ok(())
    }

    fn guarded(&mut self) -> Parsed<Instruction> {
        let at = self.token;
        self.advance();
        let negated = self.eat(Kind::Bang);
        let predicate = self.name("the name of a predicate")?;
        if !self.at(Kind::Identifier) {
            return Err(self.unexpected("an instruction behind its guard"));
        }
        let word = self.token;
        let instruction = self.instruction(word, Some((predicate, negated)))?;
        Ok(Instruction { span: Span::new(at.start, instruction.span.end), ..instruction })
    }

    /// An instruction whose first word is the token at hand.
    #[inline]
    fn instruction(&mut self, word: Token, guard: Option<(Name, bool)>) -> Parsed<Instruction> {
        let end = self.lexer.modifiers();
        self.token.end = end;
        let mut opcode = Opcode(self.opcodes.number(&self.bytes[word.start as usize..end as usize]));
        self.advance();
        if self.continues_opcode() {
            opcode = self.spread_opcode(word);
        }
        let opcode_span = Span::new(word.start, self.previous_end);
        // The one place where syntax depends on the opcode: parentheses are arguments in a call, else an expression.
        let text = &self.bytes[word.start as usize..word.end as usize];
        let place = if text == b"call" { Place::Call } else { Place::Instruction };
        if place == Place::Instruction && self.at(Kind::LeftParenthesis) && self.encloses_operands() {
            return Err(self.operands_in_parentheses());
        }
        let operands = if self.ends_early() || self.at(Kind::RightBrace) { Default::default() } else { self.operands(place)? };
        if place == Place::Call {
            self.check_callee(operands)?;
        }
        self.semicolon("the instruction")?;
        let span = Span::new(word.start, self.previous_end);
        Ok(Instruction { guard, opcode, opcode_span, operands, span })
    }

    /// Whether what stands in parentheses is no constant expression.
    #[cold]
    fn encloses_operands(&self) -> bool {
        let next = self.lexer.peek_token();
        matches!(next.kind, Kind::RightParenthesis) || (next.kind == Kind::Identifier && self.text(next) != b"WARP_SZ")
    }

    /// A call names what it calls, behind the list of results if there is one.
    fn check_callee(&mut self, operands: List) -> Parsed<()> {
        let mut operands = self.module.list(operands).iter().map(|operand| operand.kind);
        match (operands.next(), operands.next()) {
            (Some(OperandKind::Name(_)), _) | (Some(OperandKind::Parenthesised(_)), Some(OperandKind::Name(_))) => Ok(()),
            _ => Err(self.unexpected("the name of a function to call")),
        }
    }

    /// Whether an instruction ends without operands and without its semicolon, and its block goes on: what comes next, on another line, is no
    /// operand but the next statement.
    #[inline]
    fn ends_early(&self) -> bool {
        let gap = &self.bytes[self.previous_end as usize..self.token.start as usize];
        !matches!(gap, [] | [b' ' | b'\t']) && gap.contains(&b'\n') && self.begins_statement()
    }

    #[cold]
    fn begins_statement(&self) -> bool {
        match self.token.kind {
            Kind::RightBrace | Kind::At | Kind::End => true,
            Kind::Identifier => {
                let mut ahead = self.lexer.ahead();
                ahead.modifiers();
                !matches!(ahead.next().kind, Kind::Comma | Kind::Semicolon | Kind::Bar | Kind::Plus | Kind::LeftBracket)
            }
            _ => false,
        }
    }

    /// Whether the token at hand is a modifier after spaces: `ld .global .u32`.
    #[inline]
    fn continues_opcode(&self) -> bool {
        match self.token.kind {
            Kind::Dotted => !self.is_next_statement(),
            Kind::Number => self.bytes[self.token.start as usize] == b'.',
            _ => false,
        }
    }

    /// The opcode with the modifiers that follow it after spaces, joined.
    #[cold]
    fn spread_opcode(&mut self, word: Token) -> Opcode {
        let mut text = self.bytes[word.start as usize..self.previous_end as usize].to_vec();
        while self.continues_opcode() {
            self.lexer.back_to(self.token);
            self.token.end = self.lexer.modifiers();
            text.extend_from_slice(self.text(self.token));
            self.advance();
        }
        Opcode(self.opcodes.number(&text))
    }

    fn directive_statement(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        match self.directive() {
            Some(Directive::Space(_) | Directive::Align | Directive::Attribute) => {
                let variables = self.variables(Default::default(), self.token.start)?;
                statements.extend(variables.into_iter().map(|variable| Statement::Variable(Box::new(variable))));
            }
            Some(Directive::Loc(intermediate)) => statements.push(self.loc(intermediate)?),
            Some(Directive::Pragma) => {
                let (strings, span) = self.pragma()?;
                statements.push(Statement::Pragma(strings, span));
            }
            Some(Directive::Target) => {
                let own = std::mem::take(&mut self.module.targets);
                let parsed = self.target();
                let named = std::mem::replace(&mut self.module.targets, own);
                self.module.targets_in_bodies.extend(named);
                parsed?;
            }
            Some(Directive::Prototype | Directive::BranchTargets | Directive::CallTargets) => {
                let error = Diagnostic::error(codes::UNEXPECTED, self.token.span(), "this directive needs a label");
                return Err(self.syntax_error(error.help("write `name: ` before it")));
            }
            _ => return Err(self.wrong_directive("in the body of a function")),
        }
        Ok(())
    }

    /// `.loc file line column{, function_name label{+offset}, inlined_at file line column}`
    fn loc(&mut self, intermediate: bool) -> Parsed<Statement> {
        let start = self.token.start;
        self.advance();
        let (file, line, column) = self.position()?;
        let mut loc = Loc { file, line, column, intermediate, function_name: None, inlined_at: None, span: Span::default() };
        if self.eat(Kind::Comma) {
            self.word("function_name")?;
            let label = self.label()?;
            let offset = if self.eat(Kind::Plus) { self.unsigned("an offset")? } else { 0 };
            loc.function_name = Some((label, offset));
            self.expect(Kind::Comma, "`,` and `inlined_at`")?;
            self.word("inlined_at")?;
            loc.inlined_at = Some(self.position()?);
        }
        loc.span = Span::new(start, self.previous_end);
        Ok(Statement::Loc(Box::new(loc)))
    }

    fn position(&mut self) -> Parsed<(u64, u64, u64)> {
        let file = self.small("the number of a file", u32::MAX)?.into();
        let line = self.small("a line number", u32::MAX)?.into();
        Ok((file, line, self.small("a column number", u32::MAX)?.into()))
    }

    fn word(&mut self, word: &str) -> Parsed<()> {
        if self.text(self.token) != word.as_bytes() {
            return Err(self.unexpected(&format!("`{word}`")));
        }
        self.advance();
        Ok(())
    }

    /// A label, or a section's name with its dot.
    fn label(&mut self) -> Parsed<Name> {
        if self.at(Kind::Dotted) {
            let name = self.name_of(self.token);
            self.advance();
            return Ok(name);
        }
        self.name("a label")
    }

    /// `.callprototype (returns) _ (params) directives;`, of which the label has been passed.
    fn prototype(&mut self, label: Name) -> Parsed<Statement> {
        self.advance();
        let returns = if self.at(Kind::LeftParenthesis) { self.parameters() } else { Vec::new() };
        self.expect(Kind::Underscore, "`_` in place of a function's name")?;
        let params = if self.at(Kind::LeftParenthesis) { self.parameters() } else { Vec::new() };
        let directives = self.tuning(false);
        self.semicolon("the prototype")?;
        Ok(Statement::Prototype(Box::new(Prototype { label, returns, params, directives })))
    }

    fn targets(&mut self, directive: &str) -> Parsed<Vec<Name>> {
        self.advance();
        let mut targets = Vec::new();
        self.target_range(&mut targets)?;
        while self.eat(Kind::Comma) {
            self.target_range(&mut targets)?;
        }
        self.semicolon(directive)?;
        Ok(targets)
    }

    /// `name`, or `name<3>` for `name0, name1, name2`.
    fn target_range(&mut self, targets: &mut Vec<Name>) -> Parsed<()> {
        let prefix = self.name("the name of a target")?;
        if !self.eat(Kind::Less) {
            targets.push(prefix);
            return Ok(());
        }
        let span = self.token.span();
        let count = self.small("a number of targets", u32::MAX)?;
        self.expect(Kind::Greater, "`>`")?;
        // A text has fewer labels than bytes, and few lists name the same ones.
        self.listed_targets += u64::from(count);
        if self.listed_targets > 16 * self.bytes.len() as u64 {
            let error = Diagnostic::error(codes::RANGE, span, "these are more targets than there can be");
            return Err(self.syntax_error(error.help("write how many labels with this prefix there are")));
        }
        let text = prefix.span.bytes(self.bytes);
        for index in 0..count {
            let symbol = self.symbol(&[text, index.to_string().as_bytes()].concat());
            targets.push(Name { symbol, span: prefix.span });
        }
        Ok(())
    }
}
