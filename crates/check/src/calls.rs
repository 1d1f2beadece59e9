//! Calls: what is called, and its parameters and results against those of the call (PTX ISA 9.4, 7.1, 9.7.14.5; ptxas 13.5).

use crate::declarations::{bytes, parameter_alignment};
use crate::names::{Meaning, Place};
use crate::operands::{Complaint, Judged};
use crate::{Checker, codes};
use diagnostics::Span;
use isa::{Class, Fit, Match, OperandType, Role, Type};
use ptx::ast::{Constant, Instruction, Operand, OperandKind, Space, Variable};

/// The parameters and results of what is called.
#[derive(Clone, Copy)]
struct Signature<'t> {
    returns: &'t [Variable],
    params: &'t [Variable],
}

impl<'t> Checker<'t> {
    /// Holds a call against what it calls; other instructions are right here.
    pub fn call(&mut self, form: &Match, fit: &Fit, operands: &'t [Operand], instruction: &Instruction) -> Judged {
        let part = |wanted: fn(OperandType) -> bool, role: Option<Role>| {
            let found = form.operands.iter().zip(&fit.operands).find(|(pattern, _)| {
                let part = &pattern.parts[0];
                wanted(part.ty) && role.is_none_or(|role| part.role == role)
            });
            found.and_then(|(_, place)| place.and_then(|at| operands.get(at)))
        };
        let callee = part(|ty| ty == OperandType::Function, None);
        let prototype = part(|ty| ty == OperandType::Prototype, None);
        let signature = match (callee, prototype) {
            (Some(callee), _) => self.callee(callee)?,
            (None, Some(prototype)) => self.prototype_named(prototype)?,
            (None, None) => return Ok(()),
        };
        let Some(signature) = signature else { return Ok(()) };
        let results = part(|ty| ty == OperandType::Arguments, Some(Role::Destination));
        let arguments = part(|ty| ty == OperandType::Arguments, Some(Role::Source));
        self.arguments(results, signature.returns, "result", instruction.span)?;
        self.arguments(arguments, signature.params, "argument", instruction.span)
    }

    /// The device function that a call names.
    fn callee(&mut self, operand: &'t Operand) -> Result<Option<Signature<'t>>, Complaint> {
        let OperandKind::Name(symbol) = operand.kind else {
            return Err(Complaint::new(codes::CALL, operand.span, "a function is needed here", "name a .func"));
        };
        let text = self.tree.name(symbol);
        match self.meaning(symbol, operand.span) {
            Meaning::Unknown => Ok(None),
            Meaning::Function(function) if function.entry => {
                let help = "call a .func; kernels are launched";
                Err(Complaint::new(codes::CALL, operand.span, format!("`{text}` is a kernel"), help))
            }
            Meaning::Function(function) => {
                self.is_known(function, operand.span)?;
                Ok(Some(Signature { returns: &function.returns, params: &function.params }))
            }
            Meaning::Register(..) => {
                let help = "name the label of a .callprototype as last operand: `call (r), %d, (a), prototype;`";
                Err(Complaint::new(codes::CALL, operand.span, format!("a call through `{text}` needs a prototype"), help))
            }
            _ => Err(Complaint::new(codes::CALL, operand.span, format!("`{text}` is no function"), "name a .func")),
        }
    }

    /// The prototype that an indirect call names, or that of its first possible target.
    fn prototype_named(&mut self, operand: &'t Operand) -> Result<Option<Signature<'t>>, Complaint> {
        let OperandKind::Name(symbol) = operand.kind else {
            let help = "name the label of a .callprototype or .calltargets before this";
            return Err(Complaint::new(codes::CALL, operand.span, "a prototype is needed here", help));
        };
        match self.meaning(symbol, operand.span) {
            Meaning::Prototype(prototype) => Ok(Some(Signature { returns: &prototype.returns, params: &prototype.params })),
            Meaning::CallTargets(targets) => match targets.first().and_then(|t| self.names.find(t.symbol)) {
                Some(Meaning::Function(function)) => Ok(Some(Signature { returns: &function.returns, params: &function.params })),
                _ => Ok(None),
            },
            Meaning::Variable(variable, _) if !holds_functions(variable) => {
                let message = format!("`{}` is no array of .u32, .u64 or .u8 with initial values", self.tree.name(symbol));
                let help = "name an array that is initialised with functions, or the label of a .callprototype or .calltargets";
                Err(Complaint::new(codes::CALL, operand.span, message, help))
            }
            Meaning::Variable(..) | Meaning::Unknown => Ok(None),
            _ => {
                let message = format!("`{}` is no prototype", self.tree.name(symbol));
                let help = "name the label of a .callprototype or .calltargets before this";
                Err(Complaint::new(codes::CALL, operand.span, message, help))
            }
        }
    }

    /// Holds a list of arguments or results against the parameters.
    fn arguments(&mut self, list: Option<&'t Operand>, params: &'t [Variable], what: &str, call: Span) -> Judged {
        let given = match list.map(|o| o.kind) {
            Some(OperandKind::Parenthesised(list)) => self.tree.list(list),
            _ => &[],
        };
        let open = params.last().is_some_and(|p| p.dimensions.iter().any(|len| matches!(len, None | Some(0))));
        let enough = given.len() == params.len() || (open && given.len() + 1 == params.len());
        if !enough {
            let span = list.map_or(call, |o| o.span);
            let plural = if params.len() == 1 { "" } else { "s" };
            let message = format!("the function has {} {what}{plural}, the call gives {}", params.len(), given.len());
            return Err(Complaint::new(codes::CALL, span, message, format!("give one {what} for each, in order")));
        }
        given.iter().zip(params).try_for_each(|(operand, param)| self.argument(operand, param, what))
    }

    fn argument(&mut self, operand: &'t Operand, param: &'t Variable, what: &str) -> Judged {
        let Some(ty) = self.table.type_named(param.ty) else { return Ok(()) };
        let result = what == "result";
        match operand.kind {
            OperandKind::Sink if result => Ok(()),
            OperandKind::Constant(constant) if param.dimensions.is_empty() => {
                let float = matches!(constant, Constant::F32(_) | Constant::F64(_));
                let fits = if float { ty.class != Class::Integer } else { ty.class != Class::Float };
                let message = format!("a constant of another kind than the parameter, which is .{}", ty.name);
                if fits {
                    Ok(())
                } else {
                    Err(Complaint::new(codes::CALL, operand.span, message, "write a constant of its type"))
                }
            }
            OperandKind::Name(symbol) => {
                let text = self.tree.name(symbol);
                match self.meaning(symbol, operand.span) {
                    Meaning::Unknown => Ok(()),
                    Meaning::Register(register, lanes) => {
                        let same = param.dimensions.is_empty() && lanes == param.vector && compatible(ty, register);
                        if same { Ok(()) } else { Err(mismatched(text, &shown(param), operand.span)) }
                    }
                    Meaning::Variable(variable, Place::Body) if variable.space == Space::Param => {
                        self.parameter_argument(variable, param, ty, text, operand.span)
                    }
                    Meaning::Variable(variable, _) if variable.space == Space::Param => {
                        let help = "copy it to a .param variable of this body, by ld.param and st.param";
                        let message = format!("`{text}` is a parameter of the function itself");
                        Err(Complaint::new(codes::CALL, operand.span, message, help))
                    }
                    _ => {
                        let help = "pass a register, a constant, or a .param variable of this body";
                        Err(Complaint::new(codes::CALL, operand.span, format!("`{text}` cannot be passed to a function"), help))
                    }
                }
            }
            _ => {
                let help = "pass a register, a constant, or a .param variable of this body";
                Err(Complaint::new(codes::CALL, operand.span, format!("this is no {what}"), help))
            }
        }
    }

    /// A variable in .param space for a parameter: scalar for scalar, array for array of as many bytes, aligned alike.
    fn parameter_argument(&mut self, variable: &Variable, param: &Variable, ty: &'static Type, text: &str, span: Span) -> Judged {
        let Some(own) = self.table.type_named(variable.ty) else { return Ok(()) };
        let same = match (variable.dimensions.is_empty(), param.dimensions.is_empty()) {
            (true, true) => compatible(ty, own) && variable.vector == param.vector,
            (false, false) => bytes(param, ty).is_none_or(|n| n == 0 || Some(n) == bytes(variable, own)),
            _ => false,
        };
        if !same {
            return Err(mismatched(text, &shown(param), span));
        }
        let (have, want) = (parameter_alignment(variable, own), parameter_alignment(param, ty));
        if have != want {
            let message = format!("`{text}` is aligned to {have} bytes, the parameter to {want}");
            return Err(Complaint::new(codes::CALL, span, message, format!("declare it with .align {want}")));
        }
        Ok(())
    }
}

/// Whether two scalars of these types pass for one another: of one width, and of one class or bits.
fn compatible(a: &Type, b: &Type) -> bool {
    a.bits == b.bits && (a.class == b.class || a.class == Class::Bits || b.class == Class::Bits)
}

/// Whether a variable may be an array of function addresses (ptxas 13.5).
fn holds_functions(variable: &Variable) -> bool {
    !variable.dimensions.is_empty() && variable.init.is_some() && ["u8", "u32", "u64"].contains(&variable.ty)
}

/// A parameter's type as declared.
fn shown(param: &Variable) -> String {
    let lengths: String = param.dimensions.iter().map(|len| len.map_or("[]".to_owned(), |len| format!("[{len}]"))).collect();
    format!(".{}{lengths}", param.ty)
}

fn mismatched(text: &str, param: &str, span: Span) -> Complaint {
    let help = "an argument has the type of its parameter, or bits of that width; an array as many bytes";
    Complaint::new(codes::CALL, span, format!("`{text}` does not fit the parameter, which is {param}"), help)
}
