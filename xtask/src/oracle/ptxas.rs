//! Running ptxas as a judge.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs};

use isa::{Features, Target, Version};

use super::Point;

/// NVIDIA's PTX assemblers, found on this machine: a new one, and one that knows architectures that the new one does not.
pub struct Judges {
    new: Ptxas,
    /// Without it the new one judges them as if they were its oldest.
    old: Option<Ptxas>,
}

/// One assembler.
pub struct Ptxas {
    path: PathBuf,
    /// The oldest architecture that it knows, and the newest version of PTX.
    oldest: u32,
    newest: Version,
}

impl Judges {
    /// ptxas 13 or later: the one that the environment variable `PTXAS` names, else that of the search path, else that of the
    /// Python package nvidia-cuda-nvcc. ptxas 12 if `PTXAS_12` names it.
    pub fn find() -> Result<Judges, String> {
        let named = env::var_os("PTXAS").map(PathBuf::from);
        let on_path = env::split_paths(&env::var_os("PATH").unwrap_or_default()).map(|p| p.join("ptxas")).find(|p| p.exists());
        let path = named.or(on_path).or_else(python_package);
        let path =
            path.ok_or("ptxas is not found: set PTXAS to its path, or install it (pip install nvidia-cuda-nvcc)".to_owned())?;
        let old = env::var_os("PTXAS_12").map(PathBuf::from);
        Ok(Judges {
            new: Ptxas { path, oldest: 75, newest: Version(9, 5) },
            old: old.map(|path| Ptxas { path, oldest: 50, newest: Version(8, 8) }),
        })
    }

    /// The one that knows a point best.
    pub fn of(&self, point: Point) -> &Ptxas {
        let knows = |old: &&Ptxas| point.target.number < self.new.oldest && point.version <= old.newest;
        self.old.as_ref().filter(knows).unwrap_or(&self.new)
    }

    /// Their versions, such as `13.5.37`.
    pub fn version(&self) -> Result<String, String> {
        let new = self.new.version()?;
        match &self.old {
            Some(old) => Ok(format!("{new} and {}", old.version()?)),
            None => Ok(new),
        }
    }
}

impl Ptxas {
    /// Its version, such as `13.5.37`.
    fn version(&self) -> Result<String, String> {
        let output = Command::new(&self.path).arg("--version").output().map_err(|e| self.failed(e))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.split_whitespace().find_map(|w| w.strip_prefix('V').filter(|v| v.contains('.')));
        version.map(str::to_owned).ok_or_else(|| format!("{} tells no version", self.path.display()))
    }

    fn failed(&self, error: std::io::Error) -> String {
        format!("cannot run {}: {error}", self.path.display())
    }

    /// For each kernel body why ptxas refuses it; `None` if it accepts it. `samplers` for a module that names samplers.
    pub fn judge(&self, point: Point, samplers: bool, bodies: &[&str]) -> Result<Vec<Option<String>>, String> {
        let mut verdicts = vec![None; bodies.len()];
        self.judge_into(point, samplers, bodies, &mut verdicts)?;
        if verdicts.iter().any(Option::is_some) {
            self.confirm(point, samplers, bodies, &mut verdicts)?;
        }
        Ok(verdicts)
    }

    fn judge_into(&self, point: Point, samplers: bool, bodies: &[&str], verdicts: &mut [Option<String>]) -> Result<(), String> {
        // What ptxas says against a module without bodies is said of none.
        if bodies.is_empty() {
            return Ok(());
        }
        let (text, first) = module(point, samplers, bodies);
        let found = self.errors(point, &text)?;
        // ptxas may crash, or blame another line for what it makes of an instruction: on one of these.
        let index = |e: &Reported| e.line.checked_sub(first).filter(|i| *i < bodies.len());
        let elsewhere = match &found {
            None => Some("ptxas crashes"),
            Some(errors) => match &errors[..] {
                [only] => self.blames_another(point, samplers, bodies, index(only))?.then_some(&*only.message),
                _ => errors.iter().find(|e| index(e).is_none()).map(|e| &*e.message),
            },
        };
        if let Some(message) = elsewhere {
            if let [verdict] = verdicts {
                *verdict = Some(message.to_owned());
                return Ok(());
            }
            let half = bodies.len() / 2;
            let (left, right) = verdicts.split_at_mut(half);
            self.judge_into(point, samplers, &bodies[..half], left)?;
            return self.judge_into(point, samplers, &bodies[half..], right);
        }
        let mut unread = None;
        for error in found.into_iter().flatten() {
            if let Some(index) = index(&error) {
                verdicts[index].get_or_insert(error.message);
                // What follows a syntax error is not looked at.
                unread = error.fatal.then_some(index + 1).or(unread);
            }
        }
        if let Some(next) = unread.filter(|next| *next < bodies.len()) {
            self.judge_into(point, samplers, &bodies[next..], &mut verdicts[next..])?;
        }
        Ok(())
    }

    /// Whether the only error of a module is told of a line that is right by itself, or of none: it may be in what ptxas makes of
    /// another one.
    fn blames_another(&self, point: Point, samplers: bool, bodies: &[&str], blamed: Option<usize>) -> Result<bool, String> {
        let Some(blamed) = blamed else { return Ok(true) };
        if bodies.len() == 1 {
            return Ok(false);
        }
        let (text, _) = module(point, samplers, &bodies[blamed..=blamed]);
        Ok(self.errors(point, &text)?.is_some_and(|errors| errors.is_empty()))
    }

    /// Judges again what was accepted beside something refused, until nothing more is: of the errors in what it makes of
    /// instructions (`tcgen05.cp` becomes an `add` and others) ptxas tells only the first of a module.
    fn confirm(&self, point: Point, samplers: bool, bodies: &[&str], verdicts: &mut [Option<String>]) -> Result<(), String> {
        loop {
            let accepted: Vec<usize> = (0..bodies.len()).filter(|&i| verdicts[i].is_none()).collect();
            let again: Vec<&str> = accepted.iter().map(|&i| bodies[i]).collect();
            let mut found = vec![None; again.len()];
            self.judge_into(point, samplers, &again, &mut found)?;
            if found.iter().all(Option::is_none) {
                return Ok(());
            }
            accepted.into_iter().zip(found).for_each(|(i, verdict)| verdicts[i] = verdict);
        }
    }

    /// The architecture that stands for a target, `compute` to check and `sm` to make code: what is older than all of them runs on the oldest. sm_101 is sm_110 now.
    fn architecture(&self, target: Target, kind: &str) -> String {
        let number = match target.number {
            101 => 110,
            n => n.max(self.oldest),
        };
        let suffix = match target.features {
            Features::Baseline => "",
            Features::Family => "f",
            Features::Architecture => "a",
        };
        format!("{kind}_{number}{suffix}")
    }

    /// Why ptxas refuses a module that names this target; `None` if it accepts it. Functions of other modules may be missing.
    pub fn judge_module(&self, text: &str, point: Point) -> Result<Option<String>, String> {
        // Old versions cannot be compiled without being linked.
        let options: &[&str] = if point.version >= Version(3, 1) { &["--compile-only"] } else { &[] };
        let architecture = self.architecture(point.target, "compute");
        let (mut code, mut output) = self.output(Command::new(&self.path), &architecture, options, text)?;
        // Functions with several results have no ABI to be compiled alone for.
        if output.contains("requires ABI") {
            (code, output) = self.output(Command::new(&self.path), &architecture, &[], text)?;
        }
        let message = output.lines().find(|line| line.contains("error") || line.contains("fatal"));
        let message =
            message.map_or_else(|| output.trim().to_owned(), |line| line.rsplit("; ").next().unwrap_or(line).to_owned());
        Ok(if code == Some(0) { None } else { Some(message) })
    }

    /// Why ptxas refuses a kernel body when it makes code of it, not only reads and checks it: some errors it finds only then. `None` if
    /// it accepts the body, or makes no code for the target.
    pub fn assemble(&self, point: Point, samplers: bool, body: &str) -> Result<Option<String>, String> {
        if point.target.number < self.oldest {
            return Ok(None);
        }
        let (text, _) = module(point, samplers, &[body]);
        let architecture = self.architecture(point.target, "sm");
        let mut command = Command::new("sh");
        command.args(["-c", LIMITED]).arg(&self.path);
        let (code, output) = self.output(command, &architecture, &[], &text)?;
        let error = output.lines().find_map(Reported::parse).map(|e| e.message);
        Ok(match code {
            Some(0) => None,
            None => Some("ptxas crashes".to_owned()),
            Some(_) => Some(error.unwrap_or_else(|| output.trim().to_owned())),
        })
    }

    /// Why ptxas refuses a module when it makes code of it for its target; `None` if it accepts it. Functions of other modules may be missing.
    pub fn compile(&self, text: &str, point: Point) -> Result<Option<String>, String> {
        let run = |options: &[&str]| {
            let mut command = Command::new("sh");
            command.args(["-c", LIMITED]).arg(&self.path);
            self.output(command, &self.architecture(point.target, "sm"), options, text)
        };
        // Old versions cannot be compiled without being linked.
        let options: &[&str] = if point.version >= Version(3, 1) { &["--compile-only"] } else { &[] };
        let (mut code, mut output) = run(options)?;
        // Functions with several results have no ABI to be compiled alone for.
        if output.contains("requires ABI") {
            (code, output) = run(&[])?;
        }
        let message = output.lines().find(|line| line.contains("error") || line.contains("fatal"));
        Ok(if code == Some(0) { None } else { Some(message.unwrap_or("ptxas crashes").to_owned()) })
    }

    /// What ptxas reports about a module; `None` if it crashes on it.
    fn errors(&self, point: Point, text: &str) -> Result<Option<Vec<Reported>>, String> {
        let (code, output) = self.output(Command::new(&self.path), &self.architecture(point.target, "compute"), &[], text)?;
        let errors: Vec<Reported> = output.lines().filter_map(Reported::parse).collect();
        match code {
            None => Ok(None),
            Some(code) if code != 0 && errors.is_empty() => Err(format!("ptxas at {point}: {}", output.trim())),
            Some(_) => Ok(Some(errors)),
        }
    }

    /// Exit status (none after a crash) and messages of a ptxas on a module.
    fn output(
        &self,
        mut command: Command,
        architecture: &str,
        options: &[&str],
        text: &str,
    ) -> Result<(Option<i32>, String), String> {
        static FILES: AtomicUsize = AtomicUsize::new(0);
        let number = FILES.fetch_add(1, Ordering::Relaxed);
        let file = env::temp_dir().join(format!("lockstep-oracle-{}-{number}.ptx", std::process::id()));
        fs::write(&file, text).map_err(|e| format!("cannot write {}: {e}", file.display()))?;
        let architecture = format!("-arch={architecture}");
        command.arg(architecture).args(options).arg(&file).args(["-o", "/dev/null"]);
        let output = command.output().map_err(|e| self.failed(e))?;
        fs::remove_file(&file).map_err(|e| format!("cannot remove {}: {e}", file.display()))?;
        let text = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
        Ok((output.status.code(), text.into_owned()))
    }
}

/// Runs a command in 2 GB and 10 s: what makes no sense may lead ptxas into endless work.
const LIMITED: &str = r#"ulimit -v 2000000; ulimit -t 10; exec "$0" "$@""#;

/// An error message of ptxas with its line.
struct Reported {
    line: usize,
    message: String,
    /// Whether what follows was not looked at.
    fatal: bool,
}

impl Reported {
    /// Of `ptxas FILE, line 5; error   : TEXT`; warnings do not count.
    fn parse(line: &str) -> Option<Reported> {
        let (number, rest) = line.split_once(", line ")?.1.split_once(';')?;
        let (kind, message) = rest.split_once(':')?;
        let fatal = kind.trim() == "fatal";
        if !fatal && kind.trim() != "error" {
            return None;
        }
        Some(Reported { line: number.parse().ok()?, message: message.trim().to_owned(), fatal })
    }
}

/// Whether functions take parameters; before, they take registers (PTX ISA 9.4, 7.1).
pub fn parameters(point: Point) -> bool {
    point.version >= Version(2, 0) && point.target.number >= 20
}

/// The parameter that the kernel of a probe has if the probe speaks of it.
pub const KERNEL_PARAMETER: &str = "kernel_parameter";

/// A module of kernels with these bodies, one a line, and the line of the first.
pub fn module(point: Point, samplers: bool, bodies: &[&str]) -> (String, usize) {
    let mut text = prelude(point, samplers);
    let first = 1 + text.matches('\n').count();
    for (i, body) in bodies.iter().enumerate() {
        let parameter = body.contains(KERNEL_PARAMETER).then(|| format!(".param .align 16 .b8 {KERNEL_PARAMETER}[64]"));
        text += &format!(".entry k{i}({}) {body}\n", parameter.unwrap_or_default());
    }
    (text, first)
}

/// What probes refer to.
fn prelude(point: Point, samplers: bool) -> String {
    let Point { version, target } = point;
    let mode = if samplers { ", texmode_independent" } else { "" };
    let mut text = format!(".version {version}\n.target {target}{mode}\n");
    if version >= Version(2, 3) {
        text.push_str(".address_size 64\n");
    }
    text.push_str(".global .align 16 .b8 v[64];\n");
    if version >= Version(1, 5) {
        text.push_str(".global .texref texref; .global .surfref surfref;\n");
    } else {
        text.push_str(".tex .u32 texref;\n");
    }
    if samplers {
        text.push_str(".global .samplerref samplerref;\n");
    }
    let space = if parameters(point) { ".param" } else { ".reg" };
    for (name, result, argument) in [("f", "", ""), ("f_a", "", "a"), ("f_r", "r", ""), ("f_ra", "r", "a")] {
        let list = |name: &str| if name.is_empty() { "()".to_owned() } else { format!("({space} .b32 {name})") };
        let result = if result.is_empty() { String::new() } else { list(result) };
        text += &format!(".func {result} {name} {} {{ ret; }}\n", list(argument));
    }
    text
}

fn python_package() -> Option<PathBuf> {
    let script = "import sysconfig; print(sysconfig.get_paths()['purelib'])";
    let output = Command::new("python3").args(["-c", script]).output().ok()?;
    let folder = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    Some(folder.join("nvidia/cu13/bin/ptxas")).filter(|p| p.exists())
}
