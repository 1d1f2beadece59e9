//! Limits of every field, on either side, as the driver's documentation and the manual give them; the 128 bytes; replaced fields.

use machine::tensor::element::pack_b6;
use machine::tensor::{Copy, Direction, Element, Field, Fill, Interleave, Mode, Swizzle, TensorMap, Window};

fn map() -> TensorMap {
    TensorMap::tiled(Element::F16, 0x1000, &[64, 32, 16], &[64, 8, 2])
}

fn images() -> TensorMap {
    let window = Window::Im2col { lower: [0; 3], upper: [0; 3], channels: 64, pixels: 128 };
    TensorMap::dense(Element::F16, 0x1000, &[64, 32, 16, 4], window)
}

fn wide() -> TensorMap {
    let window = Window::Wide { lower: 0, upper: 0, channels: 64, pixels: 128, fixed: false };
    TensorMap { window, swizzle: Swizzle::B128, ..images() }
}

/// A change that is taken, one that is not, the place of the error and a part of its rule.
type Limit = (fn(&mut TensorMap), fn(&mut TensorMap), &'static str, &'static str);

fn hold(base: TensorMap, limits: &[Limit]) {
    base.check().unwrap();
    for (taken, refused, place, rule) in limits {
        let (mut right, mut wrong) = (base, base);
        taken(&mut right);
        refused(&mut wrong);
        assert_eq!(right.check().map_err(|e| e.to_string()), Ok(()), "{place} {rule}");
        assert_eq!(TensorMap::decode(&right.encode().unwrap()), Ok(right));
        let error = wrong.check().expect_err(&format!("{place} {rule}"));
        assert!(error.place == *place && error.rule.contains(rule) && !error.remedy.is_empty(), "{error:?}, not {place} {rule}");
        assert!(wrong.encode().is_err());
    }
}

fn set_box(map: &mut TensorMap, dimension: usize, elements: u32) {
    if let Window::Tiled { size } = &mut map.window {
        size[dimension] = elements;
    }
}

#[test]
fn limits_of_tiled_maps() {
    hold(
        map(),
        &[
            (|m| m.rank = 2, |m| m.rank = 0, "rank", "1 to 5"),
            (|m| m.rank = 5, |m| m.rank = 6, "rank", "1 to 5"),
            (|m| m.address = 0x1010, |m| m.address = 0x1008, "global address", "multiple of 16"),
            (|m| m.sizes[0] = 1 << 31, |m| m.sizes[0] = (1 << 31) + 1, "size 0", "2^31"),
            (|m| m.sizes[2] = 1, |m| m.sizes[2] = 0, "size 2", "2^31"),
            (|m| m.strides[0] = 16, |m| m.strides[0] = 24, "stride 0", "multiple of 16"),
            (|m| m.strides[1] = (1 << 40) - 16, |m| m.strides[1] = 1 << 40, "stride 1", "2^40"),
            (|m| m.strides[1] = 0, |m| m.strides[1] = 8, "stride 1", "multiple of 16"),
            (|m| set_box(m, 1, 256), |m| set_box(m, 1, 257), "box 1", "1 to 256"),
            (|m| set_box(m, 2, 1), |m| set_box(m, 2, 0), "box 2", "1 to 256"),
            (|m| set_box(m, 0, 8), |m| set_box(m, 0, 4), "box 0", "multiple of 16 bytes"),
            (|m| m.steps[1] = 8, |m| m.steps[1] = 9, "element stride 1", "1 to 8"),
            (|m| m.steps[0] = 77, |m| m.steps[2] = 0, "element stride 2", "1 to 8"),
            (|m| m.swizzle = Swizzle::B128, |m| m.swizzle = Swizzle::B64, "swizzle", "at most 64 bytes; a row has 128"),
            (|m| m.fill = Fill::Nan, |m| (m.fill, m.element) = (Fill::Nan, Element::U16), "fill", "u16"),
        ],
    );
    let narrow = |bytes: u32| {
        let mut map = map();
        set_box(&mut map, 0, bytes / 2);
        map
    };
    hold(
        narrow(32),
        &[(
            |m| m.swizzle = Swizzle::B32,
            |m| {
                m.swizzle = Swizzle::B32;
                set_box(m, 0, 24)
            },
            "swizzle",
            "at most 32 bytes",
        )],
    );
    hold(
        narrow(96),
        &[(
            |m| m.swizzle = Swizzle::B96,
            |m| {
                m.swizzle = Swizzle::B96;
                set_box(m, 0, 56)
            },
            "swizzle",
            "at most 96 bytes",
        )],
    );
}

#[test]
fn limits_of_interleaved_layouts() {
    let interleaved = |interleave, swizzle| {
        let mut map = TensorMap { interleave, swizzle, ..map() };
        map.strides = map.dense_strides();
        set_box(&mut map, 0, 3);
        map
    };
    hold(
        interleaved(Interleave::Bytes16, Swizzle::None),
        &[
            (|m| m.rank = 3, |m| m.rank = 2, "rank", "needs 3, 4 or 5"),
            (|m| m.swizzle = Swizzle::B128, |m| m.swizzle = Swizzle::B96, "swizzle", "96B"),
            (|m| m.steps[0] = 8, |m| m.steps[0] = 9, "element stride 0", "1 to 8"),
            (|m| m.address = 0x1010, |m| m.address = 0x1001, "global address", "multiple of 16"),
        ],
    );
    hold(
        interleaved(Interleave::Bytes32, Swizzle::B32),
        &[
            (|m| m.address = 0x1020, |m| m.address = 0x1010, "global address", "multiple of 32"),
            (|m| m.strides[0] = 32, |m| m.strides[0] = 48, "stride 0", "interleave 32B needs a multiple of 32"),
            (|m| m.swizzle = Swizzle::B32, |m| m.swizzle = Swizzle::None, "swizzle", "needs 32B"),
            (|m| m.swizzle = Swizzle::B32, |m| m.swizzle = Swizzle::B64, "swizzle", "needs 32B"),
        ],
    );
}

/// A tensor of 256 by 8 elements.
fn packed(element: Element, inner: u32) -> TensorMap {
    TensorMap::tiled(element, 0x1000, &[256, 8], &[inner, 4])
}

#[test]
fn limits_of_packed_types() {
    hold(
        packed(Element::B4, 32),
        &[
            (|m| m.sizes[0] = 254, |m| m.sizes[0] = 253, "size 0", "multiple of 2"),
            (|m| set_box(m, 0, 64), |m| set_box(m, 0, 48), "box 0", "24 bytes"),
            (|m| m.fill = Fill::Zero, |m| m.fill = Fill::Nan, "fill", "b4x16"),
            (|m| m.address = 0x1010, |m| m.address = 0x1008, "global address", "multiple of 16"),
        ],
    );
}

#[test]
fn limits_of_padded_types() {
    for element in [Element::B4Padded, Element::B6Padded] {
        hold(
            packed(element, 128),
            &[
                (|m| m.address = 0x1020, |m| m.address = 0x1010, "global address", "multiple of 32"),
                (|m| m.strides[0] = 224, |m| m.strides[0] = 208, "stride 0", "multiple of 32"),
                (|m| m.sizes[0] = 384, |m| m.sizes[0] = 192, "size 0", "multiple of 128"),
                (|m| set_box(m, 0, 128), |m| set_box(m, 0, 64), "box 0", "needs 128"),
                (|m| m.swizzle = Swizzle::B128, |m| m.swizzle = Swizzle::B64, "swizzle", "takes none, 128B"),
                (|m| m.swizzle = Swizzle::B128Atom32, |m| m.swizzle = Swizzle::B128Atom32Flip8, "swizzle", "takes none, 128B"),
            ],
        );
    }
    assert!(TensorMap { swizzle: Swizzle::B128Atom64, ..packed(Element::B6Padded, 128) }.check().is_ok());
    assert!(TensorMap { swizzle: Swizzle::B128Atom64, ..packed(Element::B4Padded, 128) }.check().is_err());
    let mut interleaved = TensorMap::tiled(Element::B6Padded, 0x1000, &[256, 8, 8], &[128, 4, 4]);
    interleaved.interleave = Interleave::Bytes16;
    assert_eq!(interleaved.check().unwrap_err().place, "interleave");
}

#[test]
fn limits_of_images() {
    fn pixels(map: &mut TensorMap, lower: i32, upper: i32, channels: u32, pixels: u32) {
        map.window = match map.window {
            Window::Wide { fixed, .. } => Window::Wide { lower, upper, channels, pixels, fixed },
            _ => Window::Im2col { lower: [lower; 3], upper: [upper; 3], channels, pixels },
        };
    }
    hold(
        images(),
        &[
            (|m| pixels(m, -128, 0, 64, 1), |m| pixels(m, -129, 0, 64, 1), "lower corner W", "-128 to 127"),
            (|m| pixels(m, 0, 127, 64, 1), |m| pixels(m, 0, 128, 64, 1), "upper corner W", "-128 to 127"),
            (|m| pixels(m, 0, -15, 64, 1), |m| pixels(m, 0, -16, 64, 1), "upper corner H", "would end at -1 and begin at 0"),
            (|m| pixels(m, 0, 0, 256, 1), |m| pixels(m, 0, 0, 257, 1), "channels per pixel", "1 to 256"),
            (|m| pixels(m, 0, 0, 8, 1), |m| pixels(m, 0, 0, 4, 1), "channels per pixel", "multiple of 16 bytes"),
            (|m| pixels(m, 0, 0, 64, 1024), |m| pixels(m, 0, 0, 64, 1025), "pixels per column", "1 to 1024"),
            (|m| pixels(m, 0, 0, 64, 1), |m| pixels(m, 0, 0, 64, 0), "pixels per column", "1 to 1024"),
            (|m| m.rank = 3, |m| m.rank = 2, "rank", "needs 3, 4 or 5"),
            (|m| m.steps[1] = 8, |m| m.steps[1] = 0, "element stride 1", "1 to 8"),
            (
                |m| {
                    m.rank = 3;
                    pixels(m, -32768, 32767, 64, 1)
                },
                |m| {
                    m.rank = 3;
                    pixels(m, -32769, 0, 64, 1)
                },
                "lower corner W",
                "-32768 to 32767",
            ),
            (
                |m| {
                    m.rank = 5;
                    pixels(m, -16, 15, 64, 1)
                },
                |m| {
                    m.rank = 5;
                    pixels(m, -17, 0, 64, 1)
                },
                "lower corner W",
                "-16 to 15",
            ),
        ],
    );
    hold(
        wide(),
        &[
            (|m| pixels(m, -32768, 0, 64, 1), |m| pixels(m, -32769, 0, 64, 1), "lower corner W", "-32768 to 32767"),
            (|m| pixels(m, 0, -31, 64, 1), |m| pixels(m, 0, -32, 64, 1), "upper corner W", "would end at -1"),
            (|m| m.swizzle = Swizzle::B128Atom32, |m| m.swizzle = Swizzle::None, "swizzle", "im2col along W takes"),
            (|m| m.swizzle = Swizzle::B128, |m| m.swizzle = Swizzle::B128Atom32Flip8, "swizzle", "im2col along W takes"),
            (
                |m| {
                    m.swizzle = Swizzle::B96;
                    pixels(m, 0, 0, 48, 1)
                },
                |m| m.swizzle = Swizzle::B32,
                "swizzle",
                "im2col along W takes",
            ),
            (|m| m.interleave = Interleave::None, |m| m.interleave = Interleave::Bytes16, "interleave", "needs none"),
        ],
    );
    // Pixels per column mean nothing where there are 128.
    let fixed = Window::Wide { lower: 0, upper: 0, channels: 64, pixels: 0, fixed: true };
    assert!(TensorMap { window: fixed, ..wide() }.check().is_ok());
    assert!(TensorMap { window: fixed, swizzle: Swizzle::B96, ..wide() }.check().is_err());
}

#[test]
fn what_does_not_go_together_with_a_copy() {
    use Direction::{Load, Store};
    let wrong = |map: &TensorMap, direction, mode, at: &[i32], offsets| {
        let error = Copy::new(map, direction, mode, at, offsets).expect_err("it is wrong");
        assert!(!error.remedy.is_empty());
        error.to_string()
    };
    let none = [0; 3];
    assert_eq!(wrong(&map(), Load, Mode::Tile, &[0, 0], none), "coordinates are 2, a map of rank 3 needs 3");
    assert_eq!(wrong(&map(), Load, Mode::Im2col, &[0; 3], none), "tensor map is tiled, .im2col needs one encoded for im2col");
    assert!(wrong(&images(), Load, Mode::Tile, &[0; 4], none).contains("is encoded for im2col, .tile needs a tiled one"));
    assert!(
        wrong(&wide(), Load, Mode::Im2colW128, &[0; 4], none).contains("needs one encoded for im2col along W with 128 pixels")
    );
    assert!(wrong(&map(), Load, Mode::Rows, &[0; 5], none).contains("rank is 3, .tile::gather4 needs 2"));
    let rows = TensorMap::tiled(Element::F16, 0, &[64, 32], &[64, 2]);
    assert!(wrong(&rows, Store, Mode::Rows, &[0; 5], none).contains("box 1 is 2, .tile::scatter4 needs 1"));
    let padded = packed(Element::B4Padded, 128);
    assert!(wrong(&padded, Load, Mode::Tile, &[64, 0], none).contains("coordinate 0 is 64"));
    assert!(wrong(&padded, Store, Mode::Tile, &[0, 0], none).contains("type is b4x16_p64"));
    let flipped = TensorMap { swizzle: Swizzle::B128Atom32Flip8, ..map() };
    assert!(Copy::new(&flipped, Load, Mode::Tile, &[0; 3], none).is_ok());
    assert!(wrong(&flipped, Store, Mode::Tile, &[0; 3], none).contains("128B_ATOM_32B_FLIP_8B"));
    assert!(Copy::new(&map(), Load, Mode::Tile, &[-1; 3], none).is_ok());
    assert_eq!(
        wrong(&map(), Store, Mode::Tile, &[0, -1, 0], none),
        "coordinate 1 is -1, copies to global memory begin inside of the tensor"
    );
    let large = TensorMap::tiled(Element::F16, 0, &[64, 512, 512], &[64, 256, 256]);
    assert_eq!(
        wrong(&large, Load, Mode::Tile, &[0; 3], none),
        "box takes 8388608 bytes of shared memory, more than any block has"
    );
    assert!(wrong(&TensorMap { rank: 9, ..map() }, Load, Mode::Tile, &[0; 9], none).contains("rank is 9"));
    // Offsets and corners of im2col.
    assert!(Copy::new(&images(), Load, Mode::Im2col, &[0, 31, 15, 0], [255, 255, 0]).is_ok());
    assert_eq!(wrong(&images(), Load, Mode::Im2col, &[0; 4], [0, 256, 0]), "im2col offset H is 256, it must be less than 256");
    assert_eq!(
        wrong(&images(), Load, Mode::Im2col, &[0, 32, 0, 0], none),
        "coordinate 1 is 32, the map's corners in W leave 0 to 31"
    );
    assert_eq!(wrong(&wide(), Load, Mode::Im2colW, &[0; 4], [512, 0, 0]), "wHalo is 512, it must be less than 512");
    assert_eq!(wrong(&wide(), Load, Mode::Im2colW, &[0; 4], [0, 32, 0]), "wOffset is 32, it must be less than 32");
    assert_eq!(
        wrong(&wide(), Load, Mode::Im2colW, &[0, 32, 0, 0], none),
        "coordinate 1 is 32, the map's corners in W leave at most 31"
    );
    let corners = |lower, upper| TensorMap {
        window: Window::Im2col { lower: [lower; 3], upper: [upper; 3], channels: 64, pixels: 4 },
        ..images()
    };
    assert!(Copy::new(&corners(0, 0), Store, Mode::Im2col, &[0; 4], none).is_ok());
    assert!(wrong(&corners(-1, 0), Store, Mode::Im2col, &[0; 4], none).contains("corners W are -1 and 0"));
    assert!(wrong(&corners(0, 1), Store, Mode::Im2col, &[0; 4], none).contains("corners W are 0 and 1"));
}

/// No number in a map or a copy makes anything panic.
#[test]
fn extremes_do_not_overflow() {
    let window = Window::Tiled { size: [16, 256, 1, 1, 1] };
    let mut map = TensorMap::dense(Element::U8, u64::MAX - 15, &[1 << 31; 5], window);
    map.strides = [(1 << 40) - 16; 4];
    map.steps = [8; 5];
    map.check().unwrap();
    for c in [i32::MIN, -1, 0, i32::MAX] {
        let copy = Copy::new(&map, Direction::Load, Mode::Tile, &[c; 5], [0; 3]).unwrap();
        let done: Result<(), ()> = copy.each(u32::MAX - 100_000, |_| Ok(()));
        assert_eq!(done, Ok(()));
    }
}

#[test]
fn the_bytes_are_those_that_are_documented() {
    let mut map = map();
    map.steps = [1, 2, 3, 1, 1];
    let bytes = map.encode().unwrap();
    assert_eq!(bytes[..8], [b't', b'm', b'a', b'p', 1, 0, 2, 6]);
    assert_eq!(bytes[8..16], 0x1000u64.to_le_bytes());
    assert_eq!(bytes[16..28], [63, 0, 0, 0, 31, 0, 0, 0, 15, 0, 0, 0]);
    assert_eq!(bytes[36..46], [0, 0, 0, 0, 0, 1, 2, 3, 1, 1]);
    assert_eq!(bytes[48..64], [128, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes[80..86], [64, 0, 8, 0, 2, 0]);
    assert_eq!(bytes[90..], [0; 38]);
    let window = Window::Im2col { lower: [-1, -2, 0], upper: [3, -4, 0], channels: 64, pixels: 300 };
    let bytes = TensorMap { window, ..images() }.encode().unwrap();
    assert_eq!((bytes[5], &bytes[80..96]), (1, &[64, 0, 44, 1, 255, 255, 254, 255, 0, 0, 3, 0, 252, 255, 0, 0][..]));
}

#[test]
fn bytes_that_are_no_map_say_so() {
    let error = TensorMap::decode(&[0; 128]).unwrap_err();
    assert_eq!(error.to_string(), "tensor map is none: its 128 bytes do not begin as one");
    let good = map().encode().unwrap();
    let broken = |at: usize, value: u8| {
        let mut bytes = good;
        bytes[at] = value;
        TensorMap::decode(&bytes).unwrap_err().to_string()
    };
    assert_eq!(broken(5, 9), "kind is number 9, which means nothing");
    assert_eq!(broken(6, 5), "rank is 6, it must be 1 to 5");
    assert_eq!(broken(7, 16), "type is number 16, which means nothing");
    assert_eq!(broken(36, 3), "interleave is number 3, which means nothing");
    assert_eq!(broken(37, 5), "swizzle has mode 5 and atomicity 0, which do not go together");
    assert_eq!(broken(38, 1), "swizzle has mode 0 and atomicity 1, which do not go together");
    assert_eq!(broken(39, 2), "fill is number 2, which means nothing");
    // Any bytes at all are a map or an error.
    let mut state = 7u64;
    for _ in 0..200_000 {
        let mut bytes = good;
        for _ in 0..3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            bytes[(state >> 33) as usize % 96] = (state >> 50) as u8;
        }
        if let Ok(map) = TensorMap::decode(&bytes) {
            assert_eq!(TensorMap::decode(&map.encode().unwrap()), Ok(map));
        }
    }
}

#[test]
fn fields_are_replaced() {
    let mut bytes = map().encode().unwrap();
    let changes = [
        (Field::GlobalAddress, 0x7f00_0000_2000),
        (Field::Rank, 3),
        (Field::GlobalDim(0), 128),
        (Field::GlobalDim(3), 5),
        (Field::GlobalStride(0), 256),
        (Field::GlobalStride(2), 0x1_0000_0000),
        (Field::BoxDim(0), 32),
        (Field::BoxDim(3), 256),
        (Field::ElementStride(1), 2),
        (Field::ElementType, 7),
        (Field::InterleaveLayout, 0),
        (Field::SwizzleMode, 3),
        (Field::SwizzleAtomicity, 3),
        (Field::FillMode, 1),
    ];
    for (field, value) in changes {
        field.replace(&mut bytes, value).unwrap();
    }
    let map = TensorMap::decode(&bytes).unwrap();
    assert_eq!((map.address, map.rank, map.element), (0x7f00_0000_2000, 4, Element::F32));
    assert_eq!((map.sizes[..4].to_vec(), map.strides[..3].to_vec()), (vec![128, 32, 16, 5], vec![256, 4096, 0x1_0000_0000]));
    assert_eq!(map.window, Window::Tiled { size: [32, 8, 2, 256, 1] });
    assert_eq!((map.steps[1], map.swizzle, map.fill), (2, Swizzle::B128Atom64, Fill::Nan));
    // Values at and beyond the limits.
    let limits = [
        (Field::GlobalAddress, 16, 8),
        (Field::Rank, 4, 5),
        (Field::GlobalDim(4), 1 << 31, 0),
        (Field::GlobalStride(3), (1 << 40) - 16, 1 << 40),
        (Field::GlobalStride(0), 0, 4),
        (Field::GlobalStride(3), 32, u64::MAX),
        (Field::BoxDim(4), 256, 257),
        (Field::ElementStride(4), 8, 0),
        (Field::ElementType, 15, 16),
        (Field::InterleaveLayout, 2, 3),
        (Field::SwizzleMode, 4, 5),
        (Field::SwizzleAtomicity, 3, 4),
        (Field::FillMode, 1, 2),
    ];
    for (field, taken, refused) in limits {
        let mut copy = bytes;
        field.replace(&mut copy, taken).unwrap();
        assert_ne!(field.replace(&mut copy, refused), Ok(()), "{field:?}");
    }
    let before = bytes;
    let error = Field::GlobalStride(4).replace(&mut bytes, 16).unwrap_err();
    assert_eq!((error.to_string().as_str(), bytes), ("stride 4 does not exist: a map has 4 of them", before));
    let error = Field::Rank.replace(&mut bytes, 5).unwrap_err();
    assert_eq!(
        (error.to_string().as_str(), error.remedy.as_str()),
        ("rank would become 5, it must be 0 to 4", "the operand is the rank less one")
    );
    assert!(Field::Rank.replace(&mut images().encode().unwrap(), 1).unwrap_err().to_string().contains("im2col"));
    assert!(Field::Rank.replace(&mut [1; 128], 1).unwrap_err().to_string().contains("is none"));
    // A map that compilers make out of zeros, field by field.
    let mut made = [0; 128];
    let fields = [
        (Field::GlobalAddress, 0x1000),
        (Field::Rank, 1),
        (Field::ElementType, 6),
        (Field::GlobalDim(0), 64),
        (Field::GlobalDim(1), 32),
        (Field::GlobalStride(0), 128),
        (Field::BoxDim(0), 64),
        (Field::BoxDim(1), 8),
        (Field::ElementStride(0), 1),
        (Field::ElementStride(1), 1),
        (Field::SwizzleMode, 3),
    ];
    fields.iter().for_each(|(field, value)| field.replace(&mut made, *value).unwrap());
    let made = TensorMap::decode(&made).unwrap();
    let wanted = TensorMap::tiled(Element::F16, 0x1000, &[64, 32], &[64, 8]);
    assert_eq!((made.sizes[..2].to_vec(), made.strides[0], made.swizzle), (vec![64, 32], wanted.strides[0], Swizzle::B128));
    assert_eq!((made.element, made.address, made.rank, made.steps[..2].to_vec()), (Element::F16, 0x1000, 2, vec![1, 1]));
}

#[test]
fn elements_are_converted() {
    let tf32 = |x: f32| f32::from_bits(Element::Tf32.loaded(x.to_bits()));
    // 10 fraction bits: 1 + 2^-11 is halfway, to even.
    assert_eq!(tf32(1.0 + 2f32.powi(-11)), 1.0);
    assert_eq!(tf32(1.0 + 3.0 * 2f32.powi(-11)), 1.0 + 2f32.powi(-9));
    assert_eq!(tf32(1.0 + 2f32.powi(-11) + 2f32.powi(-23)), 1.0 + 2f32.powi(-10));
    assert_eq!(tf32(f32::MAX), f32::INFINITY);
    assert_eq!(tf32(f32::NEG_INFINITY), f32::NEG_INFINITY);
    assert!(tf32(f32::from_bits(0x7f80_0001)).is_nan());
    assert_eq!(Element::F32Ftz.loaded(0x807f_ffff), 0x8000_0000);
    assert_eq!(Element::F32Ftz.loaded(0x0080_0001), 0x0080_0001);
    assert_eq!(Element::Tf32Ftz.loaded(0x0000_4000), 0);
    assert_eq!(Element::Tf32.loaded(0x0000_4000), 0x0000_4000);
    assert_eq!(Element::F32.loaded(0x0000_4001), 0x0000_4001);
    // 6 bits each, the upper 2 are dropped: 1, 2, 3 ... side by side.
    let mut bytes = [0u8; 16];
    (0..16).for_each(|i| bytes[i] = (i as u8 + 1) | 0xc0);
    let packed = pack_b6(bytes);
    for i in 0..16 {
        let (at, shift) = (6 * i / 8, 6 * i % 8);
        let pair = u16::from(packed[at]) | u16::from(*packed.get(at + 1).unwrap_or(&0)) << 8;
        assert_eq!(pair >> shift & 0x3f, i as u16 + 1);
    }
}
