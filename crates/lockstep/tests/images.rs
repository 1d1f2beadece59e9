//! Images and samplers of AMD's GPUs from the host: descriptors, texels in memory, what kernels of examples/opencl_image do with them beside its launch file.

use lockstep::image::{Channels, Fields, Image, Kind, Sampler, kind_named, kinds};
use lockstep::{Device, Kernel, Result, System};

/// Words of a line, decimal or hexadecimal.
fn numbers(text: &str) -> Vec<u64> {
    let number = |word: &str| match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => word.parse(),
    };
    text.split_whitespace().map(|word| number(word).unwrap_or_else(|e| panic!("{word}: {e}"))).collect()
}

fn fields(words: &[&str]) -> Fields {
    let [kind, order, ty, sizes] = words else { panic!("{words:?}") };
    let sizes: Vec<u32> = sizes.split('x').map(|size| size.parse().unwrap_or_else(|e| panic!("{size}: {e}"))).collect();
    Fields {
        kind: kind_named(kind).unwrap_or_else(|| panic!("{kind}")),
        channels: Channels::named(order, ty).unwrap_or_else(|| panic!("{order} {ty}")),
        size: [sizes[0], sizes[1], sizes[2]],
    }
}

/// Every line of tests/images/descriptors.txt holds, and each kind, order and type has some.
#[test]
fn descriptors_are_those_of_rocm() -> Result<()> {
    const BASE: u64 = 0x12_3456_7800;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/images/descriptors.txt");
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut device = System.device("gfx906")?;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (given, expected) = line.split_once(" = ").unwrap_or_else(|| panic!("{line}"));
        let (words, lies) = expected.split_once(" | ").unwrap_or((expected, ""));
        let given: Vec<&str> = given.split(' ').collect();
        // The lines of a target follow each other.
        if device.profile().gfx != given[0] {
            device = System.device(given[0])?;
        }
        let made: Vec<u32> = if given[1] == "sampler" {
            let set = |sampler: Sampler, part: &str| match part {
                "nearest" => sampler,
                "linear" => sampler.linear(),
                "unnormalized" => sampler.unnormalized(),
                other => sampler.outside(other).unwrap_or_else(|| panic!("{other}")),
            };
            given[2].split(',').fold(Sampler::default(), set).descriptor(&device)?.to_vec()
        } else {
            let fields = fields(&given[2..]);
            let [row, slice] = numbers(lies)[..] else { panic!("{line}") };
            let rows = fields.rows(&device)?;
            assert_eq!(rows.bytes(), slice * u64::from(fields.size[2]), "{line}");
            let texels = fields.channels.bytes() * fields.size[0] as usize;
            let second = if fields.size[1] > 1 { row } else { slice };
            assert_eq!(rows.place(texels), second, "{line}");
            fields.descriptor(&device, BASE)?.to_vec()
        };
        assert_eq!(made.into_iter().map(u64::from).collect::<Vec<_>>(), numbers(words), "{line}");
    }
    for name in kinds().chain(Channels::orders()).chain(Channels::types()) {
        assert!(text.contains(&format!(" {name} ")), "{name} has no line");
    }
    Ok(())
}

/// Texels come back as they were given, whatever gaps there are between rows and slices.
#[test]
fn texels_come_back() -> Result<()> {
    for gpu in ["gfx906", "gfx1010", "gfx1030", "gfx1100", "gfx1200"] {
        let device = System.device(gpu)?;
        for (kind, size) in [
            (Kind::D1, [77, 1, 1]),
            (Kind::D2, [5, 7, 1]),
            (Kind::D3, [5, 7, 3]),
            (Kind::Cube, [8, 8, 6]),
            (Kind::D1Array, [9, 1, 4]),
        ] {
            for (order, ty) in [("r", "u8"), ("rgba", "f32"), ("rgb", "unorm565")] {
                let fields = Fields { kind, channels: Channels::named(order, ty).expect("they exist"), size };
                let texels: Vec<u8> = (0..fields.bytes()).map(|i| (i * 7 % 251) as u8).collect();
                let image = Image::new(&device, fields, &texels)?;
                assert_eq!(image.read(), texels, "{gpu} {kind:?} {order} {ty}");
                assert!(image.memory().len() as u64 == image.rows().bytes() && image.memory().address().is_multiple_of(256));
                let place = |i: usize| image.memory().read()[image.rows().place(i) as usize];
                assert!([0, 1, texels.len() / 2, texels.len() - 1].into_iter().all(|i| place(i) == texels[i]));
            }
        }
        // Rows of 256 bytes have no gaps on any target.
        let row = Fields { kind: Kind::D2, channels: Channels::named("rgba", "u8").expect("they exist"), size: [64, 3, 1] };
        assert!(row.rows(&device)?.is_dense() && !Fields { size: [63, 3, 1], ..row }.rows(&device)?.is_dense(), "{gpu}");
    }
    Ok(())
}

fn kernel(gfx: &str, name: &str) -> Result<Kernel> {
    let path = format!("{}/../../examples/opencl_image/{gfx}/image.co", env!("CARGO_MANIFEST_DIR"));
    let file = std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    System.device(gfx)?.load_code_object("image.co", &file)?.kernel(name)
}

/// An image of four columns and two rows of one number of 32 bits.
fn small(device: &Device, texels: [f32; 8]) -> Result<Image> {
    let fields = Fields { kind: Kind::D2, channels: Channels::named("r", "f32").expect("they exist"), size: [4, 2, 1] };
    Image::new(device, fields, &texels.map(f32::to_le_bytes).concat())
}

/// A filter of texels outside of an image, by what the sampler says of them: the sum of three rows and three columns around each texel, over eight.
#[test]
fn samplers_say_what_is_outside() -> Result<()> {
    let texels = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
    let at = |x: i32, y: i32| texels[(4 * y + x) as usize];
    let mirrored = |at: i32, size: i32| {
        if at < 0 {
            -1 - at
        } else if at >= size {
            2 * size - 1 - at
        } else {
            at
        }
    };
    for gfx in ["gfx906", "gfx1030", "gfx1200"] {
        let kernel = kernel(gfx, "box")?;
        let device = kernel.module().device();
        let given = small(device, texels)?;
        for name in ["edge", "border", "repeat", "mirror"] {
            let outside = |x: i32, y: i32| match name {
                "edge" => at(x.clamp(0, 3), y.clamp(0, 1)),
                "border" if (0..4).contains(&x) && (0..2).contains(&y) => at(x, y),
                "border" => 0.0,
                "repeat" => at(x.rem_euclid(4), y.rem_euclid(2)),
                _ => at(mirrored(x, 4), mirrored(y, 2)),
            };
            let mut expected = Vec::new();
            for (x, y) in (0..8).map(|i| (i % 4, i / 4)) {
                let sum: f32 = (0..9).map(|i| outside(x + i % 3 - 1, y + i / 3 - 1)).sum();
                expected.extend((sum / 8.0).to_le_bytes());
            }
            let out = small(device, [0.0; 8])?;
            let sampler = Sampler::default().unnormalized().outside(name).expect("it exists").argument(device)?;
            kernel.launch([1, 1, 1], [16, 16, 1]).arg(given.argument()).arg(sampler).arg(out.argument()).run()?;
            assert_eq!(out.read(), expected, "{gfx} {name}");
        }
    }
    Ok(())
}

/// What cannot be is told: targets without images, formats that none has, sizes beyond a descriptor's, other numbers of bytes.
#[test]
fn what_cannot_be_is_told() -> Result<()> {
    let channels = Channels::named("rgba", "u8").expect("they exist");
    let fields = Fields { kind: Kind::D2, channels, size: [4, 2, 1] };
    let told = |gpu: &str, fields: Fields, bytes: usize| {
        let device = System.device(gpu).unwrap_or_else(|e| panic!("{e}"));
        Image::new(&device, fields, &vec![0; bytes]).map_or_else(|e| e.to_string(), |_| "nothing".to_owned())
    };
    let has = |text: String, part: &str| assert!(text.contains(part), "{text}");
    for gpu in ["gfx942", "gfx950", "gfx1250", "h100"] {
        has(told(gpu, fields, 32), "has no image instructions");
    }
    has(told("gfx90a", fields, 32), "nothing");
    has(told("gfx906", fields, 31), "4 x 2 x 1 texels of rgba u8 have 32 bytes, and its data 31");
    let rgb = Fields { channels: Channels::named("rgb", "f32").expect("they exist"), ..fields };
    has(told("gfx1100", rgb, 96), "gfx1100 has no images of rgb f32, which would be the format 32_32_32_FLOAT");
    has(told("gfx1030", Fields { size: [0, 2, 1], ..fields }, 0), "its width is 0");
    has(
        told("gfx1030", Fields { size: [1, 16385, 1], ..fields }, 4 * 16385),
        "its height is 16385, the most that a descriptor can say is 16384",
    );
    has(told("gfx1200", Fields { size: [1, 16385, 1], ..fields }, 4 * 16385), "nothing");
    has(told("gfx906", Fields { kind: Kind::Cube, size: [2, 2, 5], ..fields }, 80), "a cube has six faces");
    Ok(())
}

/// A parameter takes the descriptor of its own kind.
#[test]
fn parameters_take_their_kind() -> Result<()> {
    let kernel = kernel("gfx1100", "convert")?;
    let device = kernel.module().device();
    let image = small(device, [0.0; 8])?;
    let volume = Fields { kind: Kind::D3, channels: Channels::named("r", "f32").expect("they exist"), size: [2, 2, 2] };
    let volume = Image::new(device, volume, &[0; 32])?;
    let wrong = |argument: lockstep::Argument| {
        let launch = kernel.launch([1, 1, 1], [16, 16, 1]).arg(argument).arg(image.argument());
        launch.run().expect_err("it is no 2d image").to_string()
    };
    assert!(wrong(volume.argument()).contains("is a 3d image, the parameter takes the descriptor of an image2d_t"));
    assert!(
        wrong((&device.buffer(&[0u32; 8])?).into()).contains("is a buffer, the parameter takes the descriptor of an image2d_t")
    );
    assert!(
        wrong(Sampler::default().argument(device)?).contains("is a sampler, the parameter takes the descriptor of an image2d_t")
    );
    assert!(wrong(5u64.into()).contains("is u64, the parameter takes the descriptor of an image2d_t"));
    Ok(())
}
