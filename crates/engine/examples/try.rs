//! Scratch.
use std::time::Instant;
#[allow(clippy::all)]
fn main() {
    let file = std::env::args().nth(1).unwrap();
    let kernel = std::env::args().nth(2).unwrap();
    let table = isa::Table::get().map_err(|e| format!("{e:?}")).unwrap();
    let memory = machine::memory::Memory::new(1 << 34);
    let text = std::fs::read_to_string(&file).unwrap();
    let p = engine::Program::load(table, &[(file.clone(), text.clone())], &memory);
    let p = match p {
        Ok(p) => p,
        Err((_, e)) => {
            for (_, d) in e.iter().take(10) {
                println!("{} {:?}", d.message, d.labels.first().map(|l| l.span.text(&text)));
            }
            return;
        }
    };
    let k = match p.kernel(&kernel) {
        Ok(k) => k,
        Err(e) => {
            for (_, d) in e {
                println!("{} {:?} {:?}", d.message, d.labels.first().map(|l| l.span.text(&text)), d.notes);
            }
            return;
        }
    };
    println!("{} ops, frame {}, params {:?}", k.code.len(), k.frame, k.params);
    let n = 1000u32;
    let bytes: Vec<u8> = (0..n).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let bufs: Vec<u64> = (0..3)
        .map(|_| {
            let a = memory.allocate(4 * n as u64, true).unwrap();
            memory.write(a, &bytes);
            a
        })
        .collect();
    let mut params = Vec::new();
    for b in &bufs {
        params.extend(b.to_le_bytes());
    }
    params.extend(n.to_le_bytes());
    params.resize(k.params_size as usize, 0);
    let gpu = machine::state::Gpu { multiprocessors: 132, warps: 64, shared: 227 << 10, shared_multiprocessor: 228 << 10 };
    let t = Instant::now();
    let r = engine::launch(
        &k,
        engine::Shape { grid: [4, 1, 1], block: [256, 1, 1], shared: 0 },
        &params,
        &memory,
        gpu,
        &engine::Options::default(),
    );
    println!("{r:?} {:?}", t.elapsed());
    let mut out = vec![0u8; 4 * n as usize];
    for b in bufs {
        memory.read(b, &mut out);
        println!("{:?}", out.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).take(8).collect::<Vec<_>>());
    }
}
