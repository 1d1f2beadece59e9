//! Prints programs as PTX.

use crate::program::{ALIKE, Call, Flow, Guard, Node, Program, Signature, Target};
use crate::values::{CARRY, CLASSES, REGISTERS, ROWS, SLOT, WORDS, class_of, name};
use std::fmt::Write;

/// Prints the kernel or a function.
struct Printer<'a> {
    program: &'a Program,
    text: String,
    /// Labels and the temporaries of loops are numbered.
    number: usize,
    /// The numbers of the loops around.
    loops: Vec<usize>,
    /// What stores the results and returns.
    epilogue: String,
}

fn guarded(guard: Option<Guard>) -> String {
    guard.map_or(String::new(), |(p, not)| format!("@{}{} ", if not { "!" } else { "" }, name(p)))
}

/// The program's text.
pub fn print(program: &Program) -> String {
    let mut text = ".version 9.4\n.target sm_100a\n.address_size 64\n".to_owned();
    let reached = program.reached();
    reached.iter().for_each(|f| text += &format!("{};\n", header(program, *f)));
    text += &kernel(program);
    reached.iter().for_each(|f| text += &function(program, *f));
    text
}

/// Declares registers and temporaries, of which there are so many.
fn declarations(temporaries: usize) -> String {
    let mut text = String::new();
    for class in &CLASSES {
        let _ = writeln!(text, ".reg .{} %{}<{}>;", class.ty, class.letter, class.count);
    }
    let n = temporaries + 1;
    let _ = writeln!(
        text,
        ".reg .b32 %x, %y, %z, %depth, %t<{n}>, %c<{n}>;\n.reg .pred %k, %b<{n}>;\n.reg .b64 %in, %out, %u, %v, %f;"
    );
    text
}

fn kernel(program: &Program) -> String {
    let mut end = Printer::new(program, String::new());
    (0..REGISTERS).for_each(|r| end.store(r));
    let _ = writeln!(end.text, "activemask.b32 %x;\nst.global.u32 [%out+{}], %x;\nret;", REGISTERS * SLOT);
    let mut body = Printer::new(program, end.text);
    program.body.iter().for_each(|n| body.node(n));
    let mut all = Printer::new(program, String::new());
    all.line(".visible .entry k(.param .u64 i, .param .u64 o)\n{");
    all.text += &declarations(body.number);
    all.line("mov.u32 %x, %ctaid.x;\nmov.u32 %y, %ntid.x;\nmov.u32 %z, %tid.x;");
    all.line("mad.lo.u32 %x, %x, %y, %z;\nld.param.u64 %in, [i];\nld.param.u64 %out, [o];");
    let _ = writeln!(all.text, "mad.wide.u32 %in, %x, {}, %in;", ROWS * SLOT);
    let _ = writeln!(all.text, "mad.wide.u32 %out, %x, {}, %out;", (REGISTERS + 1) * SLOT);
    (0..REGISTERS).for_each(|r| all.load(None, r, r));
    let _ = writeln!(all.text, "and.b32 %depth, {}, 3;", name(WORDS.first));
    all.text + &body.text + &body.epilogue + "}\n"
}

fn function(program: &Program, index: usize) -> String {
    let (signature, function) = (&program.signatures[index / ALIKE], &program.functions[index]);
    let mut body = Printer::new(program, signature.give());
    function.body.iter().for_each(|n| body.node(n));
    let mut text = format!("{}\n{{\n{}", header(program, index), declarations(body.number));
    for (register, bits) in function.constants.iter().enumerate() {
        let to = name(register);
        let _ = match class_of(register).bits {
            _ if register == CARRY => writeln!(text, "mov.u32 %x, {bits};\nadd.cc.u32 %x, %x, -1;"),
            1 => writeln!(text, "mov.u32 %x, {bits};\nsetp.ne.u32 {to}, %x, 0;"),
            128 => writeln!(text, "mov.b64 %u, {};\nmov.b64 %v, {};\nmov.b128 {to}, {{%u, %v}};", *bits as u64, bits >> 64),
            n => writeln!(text, "mov.b{n} {to}, {bits};"),
        };
    }
    text + &signature.take() + &body.text + &body.epilogue + "}\n"
}

/// A function's declaration without its end.
fn header(program: &Program, index: usize) -> String {
    program.signatures[index / ALIKE].spelled(".func", &format!("f{index}"), "r", |i| format!("a{i}"))
}

/// Bits of what is passed for a register: a predicate goes as a word.
fn passed(register: usize) -> u32 {
    class_of(register).bits.max(16).next_multiple_of(16).max(if class_of(register).bits == 1 { 32 } else { 0 })
}

/// An item of parameter memory for a register.
fn parameter(register: usize, name: &str) -> String {
    match passed(register) {
        128 => format!(".param .align 16 .b8 {name}[16]"),
        bits => format!(".param .b{bits} {name}"),
    }
}

impl Signature {
    /// The result in parameter memory, if there is one: several, and those of 128 bits, as an array of slots.
    fn result(&self, name: &str) -> Option<String> {
        match self.results[..] {
            [] => None,
            [one] if passed(one) < 128 => Some(parameter(one, name)),
            _ => Some(format!(".param .align 16 .b8 {name}[{}]", SLOT * self.results.len())),
        }
    }

    /// `.func (result) name (parameters)`, or a prototype likewise.
    fn spelled(&self, directive: &str, function: &str, result: &str, parameter_name: impl Fn(usize) -> String) -> String {
        let register = |r: usize, name: &str| format!(".reg .b{} {name}", passed(r));
        let depth = if result == "_" { "_" } else { "depth" };
        let (result, depth) = match self.in_registers {
            true => (self.results.first().map(|r| register(*r, result)), format!(".reg .b32 {depth}")),
            false => (self.result(result), format!(".param .b32 {depth}")),
        };
        let one = |(i, r): (usize, &usize)| {
            let name = parameter_name(i);
            if self.in_registers { register(*r, &name) } else { parameter(*r, &name) }
        };
        let parameters: Vec<String> = std::iter::once(depth).chain(self.parameters.iter().enumerate().map(one)).collect();
        let result = result.map_or(String::new(), |r| format!("({r}) "));
        format!("{directive} {result}{function} ({})", parameters.join(", "))
    }

    /// Fetches the parameters in the function.
    fn take(&self) -> String {
        let mut text = String::new();
        if self.in_registers {
            text += "mov.u32 %depth, depth;\n";
            for (i, r) in self.parameters.iter().enumerate() {
                let _ = writeln!(text, "mov.b{} {}, a{i};", passed(*r), name(*r));
            }
        } else {
            text += "ld.param.u32 %depth, [depth];\n";
            self.parameters.iter().enumerate().for_each(|(i, r)| text += &fetch(*r, &format!("a{i}")));
        }
        text
    }

    /// Hands over the results in the function, and returns.
    fn give(&self) -> String {
        let mut text = String::new();
        match (self.in_registers, &self.results[..]) {
            (true, results) => results.iter().for_each(|r| text += &format!("mov.b{} r, {};\n", passed(*r), name(*r))),
            (false, results) => results.iter().enumerate().for_each(|(i, r)| text += &put(*r, &format!("r+{}", i * SLOT))),
        }
        text + "ret;\n"
    }
}

/// Puts a register into parameter memory.
fn put(register: usize, to: &str) -> String {
    let from = name(register);
    match class_of(register).bits {
        1 => format!("selp.u32 %x, 1, 0, {from};\nst.param.b32 [{to}], %x;\n"),
        128 => format!("mov.b128 {{%u, %v}}, {from};\nst.param.v2.b64 [{to}], {{%u, %v}};\n"),
        bits => format!("st.param.b{bits} [{to}], {from};\n"),
    }
}

/// Gets a register out of parameter memory.
fn fetch(register: usize, from: &str) -> String {
    let to = name(register);
    match class_of(register).bits {
        1 => format!("ld.param.b32 %x, [{from}];\nsetp.ne.u32 {to}, %x, 0;\n"),
        128 => format!("ld.param.v2.b64 {{%u, %v}}, [{from}];\nmov.b128 {to}, {{%u, %v}};\n"),
        bits => format!("ld.param.b{bits} {to}, [{from}];\n"),
    }
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, epilogue: String) -> Self {
        Printer { program, text: String::new(), number: 0, loops: Vec::new(), epilogue }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}");
    }

    fn load(&mut self, guard: Option<Guard>, register: usize, row: usize) {
        let (at, guard, bits) = (row * SLOT, guarded(guard), class_of(register).bits);
        let to = name(register);
        let _ = match bits {
            _ if register == CARRY => writeln!(self.text, "ld.global.u32 %x, [%in+{at}];\nadd.cc.u32 %x, %x, -1;"),
            1 => writeln!(self.text, "ld.global.u32 %x, [%in+{at}];\nsetp.ne.u32 {to}, %x, 0;"),
            128 => writeln!(self.text, "ld.global.v2.b64 {{%u, %v}}, [%in+{at}];\n{guard}mov.b128 {to}, {{%u, %v}};"),
            _ => writeln!(self.text, "{guard}ld.global.b{bits} {to}, [%in+{at}];"),
        };
    }

    fn store(&mut self, register: usize) {
        let (at, bits, from) = (register * SLOT, class_of(register).bits, name(register));
        let _ = match bits {
            _ if register == CARRY => writeln!(self.text, "addc.u32 %x, 0, 0;\nst.global.u32 [%out+{at}], %x;"),
            1 => writeln!(self.text, "selp.u32 %x, 1, 0, {from};\nst.global.u32 [%out+{at}], %x;"),
            128 => writeln!(self.text, "mov.b128 {{%u, %v}}, {from};\nst.global.v2.b64 [%out+{at}], {{%u, %v}};"),
            _ => writeln!(self.text, "st.global.b{bits} [%out+{at}], {from};"),
        };
    }

    fn node(&mut self, node: &Node) {
        self.number += 1;
        let n = self.number;
        match node {
            Node::Do(guard, instruction) => self.line(&format!("{}{}", guarded(*guard), instruction.text)),
            Node::Load(guard, register, row) => self.load(*guard, *register, *row),
            Node::If((p, not), yes, no) => {
                self.line(&format!("{}bra E{n};", guarded(Some((*p, !not)))));
                yes.iter().for_each(|node| self.node(node));
                if !no.is_empty() {
                    self.line(&format!("bra F{n};"));
                }
                self.line(&format!("E{n}:"));
                no.iter().for_each(|node| self.node(node));
                self.line(&format!("F{n}:"));
            }
            Node::Loop(register, body) => {
                self.line(&format!("and.b32 %t{n}, {}, 3;\nmov.u32 %c{n}, 0;\nL{n}:", name(*register)));
                self.line(&format!("setp.ge.u32 %b{n}, %c{n}, %t{n};\n@%b{n} bra B{n};"));
                self.loops.push(n);
                body.iter().for_each(|node| self.node(node));
                self.loops.pop();
                self.line(&format!("N{n}:\nadd.u32 %c{n}, %c{n}, 1;\nbra L{n};\nB{n}:"));
            }
            Node::Switch(register, cases) => {
                self.line(&format!("and.b32 %t{n}, {}, 3;", name(*register)));
                self.line(&format!("T{n}: .branchtargets S{n}_0, S{n}_1, S{n}_2, S{n}_3;\nbrx.idx %t{n}, T{n};"));
                for (i, case) in cases.iter().enumerate() {
                    self.line(&format!("S{n}_{i}:"));
                    case.iter().for_each(|node| self.node(node));
                    self.line(&format!("bra F{n};"));
                }
                self.line(&format!("F{n}:"));
            }
            Node::Leave((p, not), Flow::Return) => {
                let text = format!("{}bra E{n};\n{}E{n}:", guarded(Some((*p, !not))), self.epilogue);
                self.line(&text);
            }
            Node::Call(guard, call) => self.call(n, *guard, call),
            Node::Leave(guard, flow) => {
                let to = if *flow == Flow::Break { 'B' } else { 'N' };
                let around = self.loops.last().copied().unwrap_or_default();
                self.line(&format!("{}bra {to}{around};", guarded(Some(*guard))));
            }
        }
    }

    /// A call, under a guard that also asks for depth left; afterwards the carry flag is clear.
    fn call(&mut self, n: usize, guard: Option<Guard>, call: &Call) {
        let signature = &self.program.signatures[call.target.signature()];
        let condition = guard.map_or(String::new(), |(p, not)| format!(", {}{}", if not { "!" } else { "" }, name(p)));
        let and = if guard.is_some() { ".and" } else { "" };
        self.line(&format!("setp.ne{and}.u32 %b{n}, %depth, 0{condition};\nsub.u32 %c{n}, %depth, 1;"));
        // The result of a call under a guard may not be fetched under the guard, so that the way leads around both.
        let around = !signature.in_registers && call.results.iter().any(Option::is_some);
        let taken = if around { String::new() } else { format!("@%b{n} ") };
        if around {
            self.line(&format!("@!%b{n} bra E{n};"));
        }
        let (function, targets) = match call.target {
            Target::Function(function) => (format!("f{function}"), String::new()),
            Target::Pointer { signature: s, register, listed } => {
                let known = call.target.functions().iter().map(|f| format!("f{f}")).collect::<Vec<_>>();
                let directive = match listed {
                    true => format!(".calltargets {}", known.join(", ")),
                    false => signature.spelled(".callprototype", "_", "_", |_| "_".to_owned()),
                };
                let (first, second) = (s * ALIKE, s * ALIKE + 1);
                self.line(&format!(
                    "C{n}: {directive};\nmov.u64 %f, f{first};\nmov.u64 %v, f{second};\nand.b32 %x, {}, 1;",
                    name(register)
                ));
                self.line("setp.ne.u32 %k, %x, 0;\nselp.b64 %f, %v, %f, %k;");
                ("%f".to_owned(), format!(", C{n}"))
            }
        };
        if signature.in_registers {
            let arguments: String = call.arguments.iter().map(|r| format!(", {}", name(*r))).collect();
            let result = call.results.first().map_or(String::new(), |r| format!("({}), ", r.map_or("_".to_owned(), name)));
            self.line(&format!("{taken}call {result}{function}, (%c{n}{arguments}){targets};"));
        } else {
            self.line(&format!("{{\n.param .b32 depth{n};\nst.param.b32 [depth{n}], %c{n};"));
            for (i, (register, argument)) in signature.parameters.iter().zip(&call.arguments).enumerate() {
                self.line(&format!("{};", parameter(*register, &format!("p{n}_{i}"))));
                self.text += &put(*argument, &format!("p{n}_{i}"));
            }
            let result = signature.result(&format!("q{n}"));
            let arguments: String = (0..call.arguments.len()).map(|i| format!(", p{n}_{i}")).collect();
            if let Some(result) = &result {
                self.line(&format!("{result};"));
            }
            let result = result.map_or(String::new(), |_| format!("(q{n}), "));
            self.line(&format!("{taken}call {result}{function}, (depth{n}{arguments}){targets};"));
            for (i, register) in call.results.iter().enumerate() {
                if let Some(register) = register {
                    self.text += &fetch(*register, &format!("q{n}+{}", i * SLOT));
                }
            }
            self.line("}");
        }
        if around {
            self.line(&format!("E{n}:"));
        }
        self.line("add.cc.u32 %x, 0, 0;");
    }
}
