//! Parses the named files and prints what is wrong with each, and how fast it went.
//!
//!     cargo run --release -p ptx --example parse_files -- FILE...

use diagnostics::{Source, render_text};
use std::time::Instant;

fn main() {
    let (mut bytes, mut failed, mut files) = (0, 0, 0);
    let mut seconds = 0.0;
    for path in std::env::args().skip(1) {
        let Ok(text) = std::fs::read(&path) else {
            println!("{path}: cannot be read");
            failed += 1;
            continue;
        };
        let start = Instant::now();
        let (_, diagnostics) = ptx::parse_bytes(&text);
        seconds += start.elapsed().as_secs_f64();
        bytes += text.len();
        files += 1;
        failed += usize::from(!diagnostics.is_empty());
        if !diagnostics.is_empty() {
            let source = Source::from_bytes(path, text);
            diagnostics.iter().for_each(|diagnostic| println!("{}", render_text(diagnostic, &source, false)));
        }
    }
    let rate = bytes as f64 / 1e6 / seconds.max(1e-9);
    println!("{files} files, {failed} with diagnostics, {bytes} bytes, {rate:.0} MB/s");
}
