//! Runs a kernel in ptoxide and prints the seconds that it took, or why it could not.
//!
//!     ptoxide-bench FILE.ptx KERNEL GX[,GY] BX[,BY] ARG...
//!
//! An ARG is `@FILE`, an array of raw bytes that is read from the file and written back to it, or `HEX`, the bytes of a scalar in
//! memory order. ptoxide answers what it does not know with panics; their messages are the reasons printed.

use ptoxide::{Argument, Context, LaunchParams};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

/// One to two dimensions.
fn shape(text: &str) -> Option<(u32, u32)> {
    let (x, y) = text.split_once(',').unwrap_or((text, "1"));
    Some((x.parse().ok()?, y.parse().ok()?))
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok()).collect()
}

fn run(words: &[String]) -> Result<f64, String> {
    let [file, kernel, grid, block, arguments @ ..] = words else { return Err("FILE KERNEL GRID BLOCK ARG...".into()) };
    let (Some(grid), Some(block)) = (shape(grid), shape(block)) else { return Err("a shape is X or X,Y".into()) };
    let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
    let mut context = Context::new_with_module(&text).map_err(|e| format!("it does not compile: {e}"))?;
    let mut arrays = Vec::new();
    let mut values = Vec::new();
    for word in arguments {
        match word.strip_prefix('@') {
            Some(path) => {
                let data = std::fs::read(path).map_err(|e| format!("{path}: {e}"))?;
                let place = context.alloc::<u64>(data.len().div_ceil(8));
                let mut words = vec![0u64; data.len().div_ceil(8)];
                words.iter_mut().zip(data.chunks(8)).for_each(|(word, chunk)| {
                    let mut whole = [0; 8];
                    whole[..chunk.len()].copy_from_slice(chunk);
                    *word = u64::from_le_bytes(whole);
                });
                context.write(place, &words);
                arrays.push((path, place, data.len()));
                values.push(Argument::ptr(place));
            }
            None => {
                let scalar = bytes(word).ok_or_else(|| format!("`{word}` is no HEX"))?;
                values.push(match <[u8; 4]>::try_from(&scalar[..]) {
                    Ok(four) => Argument::U32(u32::from_le_bytes(four)),
                    Err(_) => return Err(format!("`{word}` has no four bytes")),
                });
            }
        }
    }
    let launch = LaunchParams::func(kernel).grid2d(grid.0, grid.1).block2d(block.0, block.1);
    let start = Instant::now();
    context.run(launch, &values).map_err(|e| format!("it does not run: {e}"))?;
    let seconds = start.elapsed().as_secs_f64();
    for (path, place, length) in arrays {
        let mut words = vec![0u64; length.div_ceil(8)];
        context.read(place, &mut words);
        let data: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).take(length).collect();
        std::fs::write(path, data).map_err(|e| format!("{path}: {e}"))?;
    }
    Ok(seconds)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = catch_unwind(AssertUnwindSafe(|| run(&words))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(format!("it panics: {}", text.unwrap_or("without a message")))
    });
    match outcome {
        Ok(seconds) => {
            println!("{seconds:.6}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            println!("{}", why.lines().next().unwrap_or_default());
            ExitCode::FAILURE
        }
    }
}
