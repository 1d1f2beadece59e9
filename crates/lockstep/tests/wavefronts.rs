//! AMD's machine code through the library, under many schedules. What instructions compute is tested elsewhere.

use lockstep::{Options, Result, System};

/// A wavefront that is interrupted goes on, however short its turns are: how long a Collatz sequence is, which differs from lane to lane.
#[test]
fn wavefronts_end_under_every_seed() -> Result<()> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/opencl_twins/gfx906/kernels.co");
    let object = std::fs::read(path).expect("an example");
    let device = System.device("gfx906")?;
    let kernel = device.load_code_object("kernels.co", &object)?.kernel("integers")?;
    const N: u32 = 300;
    let steps = |mut value: u32| {
        let mut steps = 0;
        while value != 1 {
            value = if value % 2 == 1 { 3 * value + 1 } else { value / 2 };
            steps += 1;
        }
        steps
    };
    let values: Vec<u32> = (0..N).map(|i| i * 77 % 1000).collect();
    let expected: Vec<u32> = values.iter().map(|value| steps(value + 1)).collect();
    let ones = device.buffer(&[1u32; N as usize])?;
    for seed in 0..300 {
        let given = device.buffer(&values)?;
        let (out, wide) = (device.buffer(&[0u32; 5 * N as usize])?, device.buffer(&[0u64; N as usize])?);
        let options = Options { seed: Some(seed), ..Options::default() };
        let launch = kernel.launch([2, 1, 1], [256, 1, 1]).arg(&given).arg(&ones).arg(&out).arg(&wide).arg(N);
        launch.options(options).run().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!(out.read()[4 * N as usize..], expected, "seed {seed}");
    }
    Ok(())
}
