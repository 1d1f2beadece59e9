//! Kernels and functions: their parameters and declarations, and the statements of their bodies (PTX ISA 9.4, 5.1.6, 7.1, 11.2).

use crate::declarations::{alignment, bytes, parameter_alignment};
use crate::directives::Around;
use crate::names::{Meaning, Place};
use crate::{Checker, codes, targets::Floor};
use diagnostics::{Diagnostic, Span};
use isa::{Class, Type};
use ptx::ast::{Block, FileDirective, Function, Item, Linkage, Loc, Name, Prototype, Section, Space, Statement, Variable};

static KERNEL_PARAMETERS: Floor = Floor::new(1, 4, 0);
static ALIAS: Floor = Floor::new(6, 3, 30);
static POINTER: Floor = Floor::new(2, 2, 0);
static PROTOTYPE: Floor = Floor::new(2, 1, 20);
static LARGE_PARAMETERS: Floor = Floor::new(8, 1, 70);
static KERNEL_DECLARATION: Floor = Floor::new(3, 0, 0);
static PARAMETER_SPACE: Floor = Floor::new(2, 0, 20);
static OPEN_PARAMETER: Floor = Floor::new(6, 0, 30);
static WEAK: Floor = Floor::new(3, 1, 0);
static SECTION: Floor = Floor::new(2, 0, 0);
// The manual gives 7.2 for labels and inlined functions; ptxas 13.5 takes them from 7.0 on.
static SECTION_LABEL: Floor = Floor::new(7, 0, 0);
static INLINED: Floor = Floor::new(7, 0, 0);
static SECTION_OFFSET: Floor = Floor::new(3, 2, 0);
static SECTION_DIFFERENCE: Floor = Floor::new(7, 5, 0);
static SECTION_NEGATIVE: Floor = Floor::new(7, 5, 0);
static INTERMEDIATE: Floor = Floor::new(9, 4, 0);

/// Bytes of a kernel's parameters: before PTX 1.5, up to PTX 8.0 and sm_62, and since.
const PARAMETERS: [u64; 3] = [256, 4352, 32764];

impl<'t> Checker<'t> {
    pub fn item(&mut self, item: &'t Item) {
        match item {
            Item::Variable(variable) => self.variable(variable, Place::Module),
            Item::Function(function) => self.function(function),
            Item::Alias(alias, target) => self.alias(*alias, *target),
            Item::Pragma(strings, span) => self.pragma(strings, *span, Around::Module),
            Item::File(file) => self.file(file),
            Item::Section(section) => self.section(section),
        }
    }

    fn function(&mut self, function: &'t Function) {
        self.declare_function(function);
        self.attributes(&function.attributes, None);
        if let Some((name, _)) = function.attributes.first().filter(|_| function.entry) {
            self.error(codes::DECLARATION, name.span, || "a kernel has no attributes".to_owned(), "remove `.attribute`");
        }
        self.function_directives(function);
        if function.entry && function.body.is_none() {
            self.floor(&KERNEL_DECLARATION, "the declaration of a kernel", function.name.span);
        }
        if function.linkage == Linkage::Weak {
            self.floor(&WEAK, "`.weak`", function.name.span);
        }
        if function.linkage == Linkage::Extern && function.body.is_some() {
            let help = "remove `.extern` or the body";
            self.error(codes::PROTOTYPE, function.name.span, || "an external function is defined elsewhere".to_owned(), help);
        }
        self.names.open();
        self.in_kernel = function.entry;
        self.parameters(function);
        if let Some(body) = &function.body {
            self.lost_labels = self.syntax_errors.iter().any(|at| (body.span.start..=body.span.end).contains(at));
            self.kernel = function.entry.then_some(&function.directives);
            self.labels(body);
            self.statements(body, if function.entry { Around::Kernel } else { Around::Function });
        }
        self.names.close();
    }

    fn declare_function(&mut self, function: &'t Function) {
        self.reserved(function.name);
        let Err(first) = self.names.declare(function.name, Meaning::Function(function)) else { return };
        match self.names.find(function.name.symbol) {
            Some(Meaning::Function(other)) if other.body.is_none() => match difference(self.table, self.tree, other, function) {
                Some(difference) => self.prototypes_differ(function, first, difference),
                // It says less of itself than the first.
                None if function.body.is_none() && function.linkage == Linkage::Internal => {}
                None => self.names.redeclare(function.name, Meaning::Function(function)),
            },
            _ => self.declared_twice(function.name, first),
        }
    }

    fn prototypes_differ(&mut self, function: &Function, first: Span, difference: &str) {
        let name = self.tree.name(function.name.symbol);
        self.report.push(|| {
            Diagnostic::error(
                codes::PROTOTYPE,
                function.name.span,
                format!("`{name}` does not fit its declaration, in {difference}"),
            )
            .also(first, "declared here first")
            .help("declare a function as it is defined: parameters, results, their types and alignments, linkage")
        });
    }

    /// Checks and declares the parameters and results of a function.
    fn parameters(&mut self, function: &'t Function) {
        let place = if function.entry { Place::Kernel } else { Place::Input };
        let defined = function.body.is_some();
        function.returns.iter().for_each(|result| self.parameter(result, Place::Output, defined));
        function.params.iter().for_each(|parameter| self.parameter(parameter, place, defined));
        self.open_arrays(&function.returns, &function.params, place);
        if let Some(first) = function.params.first().filter(|_| function.entry) {
            self.floor(&KERNEL_PARAMETERS, "a kernel's list of parameters", first.name.span);
            self.parameter_bytes(function);
        }
    }

    /// The lists as a whole: lengths left open, and how many results there are.
    fn open_arrays(&mut self, returns: &[Variable], params: &[Variable], place: Place) {
        returns.iter().for_each(|result| self.open_array(result, Place::Output, false));
        for (at, parameter) in params.iter().enumerate() {
            self.open_array(parameter, place, at + 1 == params.len());
        }
        if let Some(second) = returns.iter().skip(1).find(|v| v.space == Space::Param) {
            let help = "return one array with all of them";
            self.error(codes::PARAMETER, second.name.span, || "a function has one result in .param space".to_owned(), help);
        }
    }

    /// A parameter of a prototype.
    fn prototype_parameter(&mut self, parameter: &Variable) {
        let span = parameter.name.span;
        if !matches!(parameter.space, Space::Param | Space::Reg) {
            let help = "declare it in .param or .reg space";
            self.error(codes::PARAMETER, span, || "a parameter cannot be in this space".to_owned(), help);
        }
        if let Some(ty) = self.table.type_named(parameter.ty) {
            self.declared_type(parameter, ty);
        }
    }

    /// The type of a parameter that is declared without a body to use it.
    fn declared_type(&mut self, parameter: &Variable, ty: &'static Type) {
        if ty.class == Class::Pred && (!parameter.dimensions.is_empty() || parameter.vector > 1) {
            let help = "pass bytes instead";
            self.error(codes::DECLARATION, parameter.name.span, || "there are no arrays of predicates".to_owned(), help);
        } else {
            self.vector_bits(parameter, ty);
        }
    }

    /// Checks a parameter or result and declares it; of a function that is only declared it may have types that none can be defined
    /// with.
    fn parameter(&mut self, parameter: &'t Variable, place: Place, defined: bool) {
        let span = parameter.name.span;
        let kernel = place == Place::Kernel;
        self.attributes(&parameter.attributes, Some(parameter));
        match parameter.space {
            Space::Param if !kernel => self.floor(&PARAMETER_SPACE, "a function's parameter in .param space", span),
            Space::Param => {}
            Space::Reg if !kernel && !parameter.dimensions.is_empty() => {
                let help = "declare it in .param space";
                self.error(codes::PARAMETER, span, || "there are no arrays of registers".to_owned(), help);
            }
            Space::Reg if !kernel => {}
            _ => {
                let help = if kernel { "declare it in .param space" } else { "declare it in .param or .reg space" };
                self.error(codes::PARAMETER, span, || "a parameter cannot be in this space".to_owned(), help);
            }
        }
        match self.table.type_named(parameter.ty) {
            Some(ty) if defined => self.type_in_space(parameter, ty, place),
            Some(ty) => self.declared_type(parameter, ty),
            None => {}
        }
        if !kernel && defined {
            self.parameter_alignment(parameter);
        }
        if parameter.pointer.is_some() {
            self.floor(&POINTER, "`.ptr`", span);
            if !kernel {
                let help = "remove `.ptr`";
                self.error(codes::PARAMETER, span, || "`.ptr` belongs to parameters of kernels".to_owned(), help);
            }
        }
        if parameter.init.is_some() {
            self.error(codes::PARAMETER, span, || "a parameter has no initial value".to_owned(), "remove it");
        }
        let unnamed = self.tree.name(parameter.name.symbol) == "_";
        if unnamed && !kernel {
            let help = "give it a name; only prototypes of indirect calls use `_`";
            self.error(codes::PARAMETER, span, || "a parameter has a name".to_owned(), help);
        } else if !unnamed {
            self.declare(parameter, place);
        }
    }

    /// An array without a length: only the last parameter of a device function may be one.
    fn open_array(&mut self, parameter: &Variable, place: Place, last: bool) {
        let open = parameter.dimensions.iter().any(|len| matches!(len, None | Some(0)));
        let wrong = match place {
            _ if !open => None,
            Place::Kernel => Some("a parameter of a kernel has a length"),
            Place::Input if last => None,
            _ => Some("only the last parameter of a function may leave its length open"),
        };
        if let Some(message) = wrong {
            self.error(codes::PARAMETER, parameter.name.span, || message.to_owned(), "write its length");
        } else if open {
            self.floor(&OPEN_PARAMETER, "a parameter without a length", parameter.name.span);
        }
    }

    /// Adds up a kernel's parameters, each at its alignment.
    fn parameter_bytes(&mut self, function: &Function) {
        let mut end = 0u64;
        for parameter in function.params.iter() {
            let Some(ty) = self.table.type_named(parameter.ty) else { continue };
            // An opaque one is a handle.
            let own = if ty.class == Class::Opaque { 8 } else { bytes(parameter, ty).unwrap_or(0) };
            let align = if ty.class == Class::Opaque { 8 } else { alignment(parameter, ty).max(1) };
            end = end.checked_next_multiple_of(align).unwrap_or(u64::MAX).saturating_add(own);
        }
        let span = function.name.span;
        let most = if self.since(1, 5) { PARAMETERS[2] } else { PARAMETERS[0] };
        if end > most {
            let message = format!("the parameters of this kernel have {end} bytes, {most} are allowed");
            self.error(codes::PARAMETER, span, || message, "pass a pointer to the data instead");
        } else if end > PARAMETERS[1] {
            self.floor(&LARGE_PARAMETERS, "more than 4352 bytes of parameters", span);
        }
    }

    /// Every file has a number of its own.
    fn file(&mut self, file: &FileDirective) {
        if !self.files.insert(file.index) {
            let help = "give it another number";
            self.error(codes::TWICE, file.span, || format!("there is a file {} already", file.index), help);
        }
    }

    /// What the contents of a section need, each where it first stands.
    fn section(&mut self, section: &Section) {
        if section.intermediate {
            self.floor(&INTERMEDIATE, "`.nv_intermediate_source_section`", section.name.span);
            for (file, span) in section.files.iter().filter(|(file, _)| !self.files.contains(file)) {
                let help = "put `.file` with this number before";
                self.report.push(|| Diagnostic::error(codes::LABEL, *span, format!("there is no file {file}")).help(help));
            }
            return;
        }
        self.floor(&SECTION, "`.section`", section.name.span);
        let contents = [
            (section.label, &SECTION_LABEL, "a label in a section"),
            (section.offset, &SECTION_OFFSET, "an offset behind a label of a section"),
            (section.difference, &SECTION_DIFFERENCE, "a difference of labels of a section"),
            (section.negative, &SECTION_NEGATIVE, "a negative number in a section"),
        ];
        for (first, floor, what) in contents {
            if let Some(span) = first {
                self.floor(floor, what, span);
            }
        }
    }

    /// Where something was inlined is a place that a `.loc` before has named.
    fn loc(&mut self, loc: &Loc) {
        if loc.intermediate {
            self.floor(&INTERMEDIATE, "`.loc_intermediate`", loc.span);
        }
        // ptxas 13.5 reads no more than the syntax of what is older.
        if loc.function_name.is_some() && self.since(4, 0) {
            self.floor(&INLINED, "`.loc` with `function_name`", loc.span);
        }
        if let Some(place @ (file, line, column)) = loc.inlined_at
            && self.since(4, 0)
            && !self.places.contains(&place)
        {
            let message = format!("no .loc before this names the place {file} {line} {column}");
            self.error(codes::LABEL, loc.span, || message, "put `.loc` with that place before");
        }
        self.places.insert((loc.file, loc.line, loc.column));
    }

    fn alias(&mut self, alias: Name, target: Name) {
        self.floor(&ALIAS, "`.alias`", alias.span);
        let (one, other) = (self.callable(alias), self.callable(target));
        let (Some(one), Some(other)) = (one, other) else { return };
        let wrong = match () {
            () if one.entry || other.entry => Some("a kernel has no alias".to_owned()),
            () if alias.symbol == target.symbol => Some("a function is no alias of itself".to_owned()),
            () if !self.aliased.insert(alias.symbol) => Some("it is an alias already".to_owned()),
            () if one.body.is_some() => Some("the alias is a function with a body of its own".to_owned()),
            () if other.linkage == Linkage::Weak => Some("a .weak function has no alias".to_owned()),
            () if returns_not(self.tree, one) != returns_not(self.tree, other) => {
                Some("one of alias and function has `.noreturn`".to_owned())
            }
            () => signature_difference(self.table, one, other).map(|what| format!("alias and function differ in {what}")),
        };
        if let Some(message) = wrong {
            let help = "an alias is declared without a body and with the same parameters, and names a function of this module";
            self.error(codes::ALIAS, alias.span, || message, help);
        }
    }

    /// The function that a name stands for; says so if it is none.
    fn callable(&mut self, name: Name) -> Option<&'t Function> {
        match self.names.find(name.symbol) {
            Some(Meaning::Function(function)) => Some(function),
            Some(Meaning::Unknown) => None,
            None => {
                self.undeclared(name.symbol, name.span);
                None
            }
            Some(_) => {
                let text = self.tree.name(name.symbol);
                self.error(codes::ALIAS, name.span, || format!("`{text}` is no function"), "name a function");
                None
            }
        }
    }

    // Bodies

    /// Declares the labels of a scope, which may be used before they stand, unless their names mean something else until then.
    fn labels(&mut self, block: &'t Block) {
        for statement in &block.statements {
            if let Statement::Label(name) = statement
                && !self.means_otherwise(*name)
            {
                self.declare_label(*name);
            }
        }
    }

    fn declare_label(&mut self, name: Name) {
        if let Err(first) = self.names.declare_label(name) {
            self.declared_twice(name, first);
        }
    }

    /// Whether a name stands for something that is no label.
    fn means_otherwise(&mut self, name: Name) -> bool {
        match self.names.find(name.symbol) {
            Some(Meaning::Label | Meaning::Unknown) => false,
            Some(_) => true,
            None => self.table.special(self.tree.name(name.symbol)).is_some(),
        }
    }

    fn statements(&mut self, block: &'t Block, around: Around) {
        for statement in &block.statements {
            match statement {
                Statement::Instruction(instruction) => self.instruction(instruction),
                // Before PTX 1.4 the parameters of a kernel are declared in its body.
                Statement::Variable(variable) if self.in_kernel && variable.space == Space::Param && !self.since(1, 4) => {
                    self.variable(variable, Place::Kernel);
                }
                Statement::Variable(variable) => self.variable(variable, Place::Body),
                Statement::Block(inner) => {
                    self.names.open();
                    self.labels(inner);
                    self.statements(inner, around);
                    self.names.close();
                }
                Statement::BranchTargets(label, targets) => self.branch_targets(*label, targets),
                Statement::CallTargets(label, targets) => self.call_targets(*label, targets),
                Statement::Prototype(prototype) => self.prototype(prototype),
                Statement::Loc(loc) => self.loc(loc),
                Statement::Pragma(strings, span) => self.pragma(strings, *span, around),
                Statement::Label(name) if self.means_otherwise(*name) => self.declare_label(*name),
                Statement::Label(_) => {}
            }
        }
    }

    fn declare_list(&mut self, label: Name, meaning: Meaning<'t>) {
        if let Err(first) = self.names.declare(label, meaning) {
            self.declared_twice(label, first);
        }
    }

    fn branch_targets(&mut self, label: Name, targets: &'t [Name]) {
        self.declare_list(label, Meaning::BranchTargets);
        for target in targets {
            match self.names.find(target.symbol) {
                Some(Meaning::Label | Meaning::BranchTargets | Meaning::Unknown) => {}
                None if self.lost_labels => {}
                None => self.undeclared(target.symbol, target.span),
                Some(_) => {
                    let text = self.tree.name(target.symbol);
                    let help = "list labels of this scope or one around it";
                    self.error(codes::LABEL, target.span, || format!("`{text}` is no label"), help);
                }
            }
        }
    }

    fn call_targets(&mut self, label: Name, targets: &'t [Name]) {
        for target in targets {
            self.callable(*target);
        }
        self.declare_list(label, Meaning::CallTargets(targets));
    }

    fn prototype(&mut self, prototype: &'t Prototype) {
        self.floor(&PROTOTYPE, "`.callprototype`", prototype.label.span);
        self.directives(&prototype.directives, false, !prototype.returns.is_empty(), false);
        self.open_arrays(&prototype.returns, &prototype.params, Place::Input);
        prototype.returns.iter().chain(&prototype.params).for_each(|parameter| self.prototype_parameter(parameter));
        self.declare_list(prototype.label, Meaning::Prototype(prototype));
    }
}

/// In what a second declaration of a function differs from the first, which has no body.
fn difference(table: &'static isa::Table, tree: &ptx::ast::Module, first: &Function, second: &Function) -> Option<&'static str> {
    let external = |f: &Function| f.linkage == Linkage::Extern;
    // One that says nothing of its linkage takes over that of the declaration.
    let inherits = second.linkage == Linkage::Internal && !external(first);
    if first.entry != second.entry {
        return Some("that one is a kernel and the other is not");
    }
    if external(first) && second.body.is_some() {
        return Some("that it is `.extern` there and defined here");
    }
    if first.linkage != second.linkage && !inherits {
        return Some("its linkage");
    }
    if returns_not(tree, first) != returns_not(tree, second) {
        return Some("that one of them has `.noreturn`");
    }
    signature_difference(table, first, second)
}

/// Whether a function says that it does not return.
fn returns_not(tree: &ptx::ast::Module, function: &Function) -> bool {
    function.directives.iter().any(|d| tree.name(d.name.symbol) == "noreturn")
}

/// In what parameters and results of two functions differ.
fn signature_difference(table: &'static isa::Table, first: &Function, second: &Function) -> Option<&'static str> {
    let lists = [(&first.returns, &second.returns), (&first.params, &second.params)];
    if lists.iter().any(|(a, b)| a.len() != b.len()) {
        return Some("the number of parameters or results");
    }
    let differs = |a: &Variable, b: &Variable| {
        let align = |v: &Variable| table.type_named(v.ty).map(|ty| parameter_alignment(v, ty));
        match () {
            () if a.space != b.space => Some("the space of a parameter"),
            () if (a.ty, a.vector, &a.dimensions) != (b.ty, b.vector, &b.dimensions) => Some("the type of a parameter"),
            () if align(a) != align(b) => Some("the alignment of a parameter"),
            () => None,
        }
    };
    lists.iter().flat_map(|(a, b)| a.iter().zip(b.iter())).find_map(|(a, b)| differs(a, b))
}
