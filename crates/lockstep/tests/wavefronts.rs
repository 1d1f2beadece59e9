//! AMD's machine code through the library, under many schedules. What instructions compute is tested elsewhere.

mod assembled;

use lockstep::{Device, Options, Result, System};

/// A code object of the OpenCL twins.
fn twin(gfx: &str) -> Vec<u8> {
    let path = format!("{}/../../examples/opencl_twins/{gfx}/kernels.co", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).expect("an example")
}

/// A wavefront that is interrupted goes on, however short its turns are: how long a Collatz sequence is, which differs from lane to lane.
#[test]
fn wavefronts_end_under_every_seed() -> Result<()> {
    let device = System.device("gfx906")?;
    let kernel = device.load_code_object("kernels.co", &twin("gfx906"))?.kernel("integers")?;
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

/// The sums of groups of 256 integers by the twins' kernel `reduce`.
fn sums(device: &Device, file: &[u8]) -> Result<Vec<i32>> {
    let kernel = device.load_code_object("a file", file)?.kernel("reduce")?;
    let numbers: Vec<i32> = (0..512).collect();
    let (given, out) = (device.buffer(&numbers)?, device.buffer(&[0i32; 2])?);
    kernel.launch([2, 1, 1], [256, 1, 1]).arg(&given).arg(&out).run()?;
    Ok(out.read())
}

const SUMS: [i32; 2] = [255 * 256 / 2, 255 * 256 / 2 + 256 * 256];

/// A plain offload bundle: its magic, how many entries, of each where it is, its size and its name, then the entries.
fn bundle(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    file.extend((entries.len() as u64).to_le_bytes());
    let header: usize = entries.iter().map(|(name, _)| 24 + name.len()).sum();
    let mut at = file.len() + header;
    for (name, data) in entries {
        for number in [at, data.len(), name.len()] {
            file.extend((number as u64).to_le_bytes());
        }
        file.extend(name.as_bytes());
        at += data.len();
    }
    entries.iter().for_each(|(_, data)| file.extend(*data));
    file
}

#[test]
fn of_a_bundle_the_code_object_for_the_gpu_runs() -> Result<()> {
    let [cdna, rdna] = ["gfx942", "gfx1100"].map(twin);
    let entries: [(&str, &[u8]); 3] = [
        ("host-x86_64-unknown-linux-gnu-", b""),
        ("hipv4-amdgcn-amd-amdhsa--gfx942", &cdna),
        ("hipv4-amdgcn-amd-amdhsa--gfx1100", &rdna),
    ];
    let file = bundle(&entries);
    for gpu in ["mi300x", "rx7900xtx"] {
        assert_eq!(sums(&System.device(gpu)?, &file)?, SUMS, "{gpu}");
    }
    let refused = sums(&System.device("mi50")?, &file).expect_err("gfx906 is not in it").to_string();
    assert!(refused.contains("gfx942") && refused.contains("gfx1100"), "{refused}");
    let truncated = sums(&System.device("mi300x")?, &file[..file.len() - 1]).expect_err("a byte is missing").to_string();
    assert!(truncated.contains("truncated"), "{truncated}");
    Ok(())
}

/// Code for a generic target runs on the members of its family: e_flags of V6 say that the twin for gfx1100 is for gfx11-generic, version 1.
#[test]
fn generic_code_runs_on_its_family() -> Result<()> {
    let mut file = twin("gfx1100");
    file[8] = 4;
    file[48..52].copy_from_slice(&0x0100_0054u32.to_le_bytes());
    for gpu in ["rx7900xtx", "rx7600", "radeon780m"] {
        assert_eq!(sums(&System.device(gpu)?, &file)?, SUMS, "{gpu}");
    }
    let refused = sums(&System.device("rx6900xt")?, &file).expect_err("another family").to_string();
    assert!(refused.contains("gfx11-generic"), "{refused}");
    Ok(())
}

/// A sum at a label that is reached with two modes: through a branch as the kernel began, and from an address in a register with another rounding. What is
/// lowered for one of them must not be taken for the other.
#[test]
fn arithmetic_in_a_mode_that_is_not_known_looks_at_it() -> Result<()> {
    let body = |mode: u32, branch: &str| {
        format!(
            "s_load_dwordx2 s[2:3], s[0:1], 0x0
v_mov_b32 v1, 1.0
v_mov_b32 v2, 0x33000000
s_getpc_b64 s[6:7]
here:
s_add_u32 s6, s6, sum-here
s_addc_u32 s7, s7, 0
s_cmp_eq_u32 s0, s0
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), {mode}
{branch} sum
s_setpc_b64 s[6:7]
sum:
v_add_f32 v3, v1, v2
v_mov_b32 v0, 0
s_waitcnt lgkmcnt(0)
global_store_dword v0, v3, s[2:3]"
        )
    };
    // To nearest, on both ways.
    assert_eq!(assembled::run("gfx906", &body(0, "s_cbranch_scc0"), 0)?, 0x3f80_0000);
    // Up, on both.
    assert_eq!(assembled::run("gfx906", &body(1, "s_cbranch_scc0"), 0)?, 0x3f80_0001);
    // Up by the jump, though only the branch before it leads there as far as the text tells.
    let early = body(1, "s_nop 0 //").replace("s_load_dwordx2", "s_cmp_lg_u32 s0, s0\ns_cbranch_scc1 sum\ns_load_dwordx2");
    assert_eq!(assembled::run("gfx906", &early, 0)?, 0x3f80_0001);
    // From a register, each of the four directions: 1 + 2^-25, and its negative.
    for (mode, [plus, minus]) in
        [[0x3f80_0000u32, 0xbf80_0000], [0x3f80_0001, 0xbf80_0000], [0x3f80_0000, 0xbf80_0001], [0x3f80_0000, 0xbf80_0000]]
            .into_iter()
            .enumerate()
    {
        for (sign, expected) in [("", plus), ("-", minus)] {
            let body = format!(
                "s_load_dwordx2 s[2:3], s[0:1], 0x0
s_load_dword s4, s[0:1], 0x8
v_mov_b32 v1, {sign}1.0
v_mov_b32 v2, 0x33000000
v_mov_b32 v0, 0
s_waitcnt lgkmcnt(0)
s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s4
v_add_f32 v3, v1, {sign}v2
global_store_dword v0, v3, s[2:3]"
            );
            assert_eq!(assembled::run("gfx906", &body, mode as u32)?, expected, "mode {mode}");
        }
    }
    Ok(())
}

/// The buffer's address in `s[4:5]`, the number in `s6`, and zero in `v2`.
const ARGUMENTS: &str = "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_load_dword s6, s[0:1], 0x8\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v2, 0\nv_mov_b32_e32 v3, s6\n";

/// Loads to one register come in their order, those to its halves, too; from gfx12 on they do not, and what different counters count never does.
#[test]
fn loads_to_one_register_may_follow_each_other() -> Result<()> {
    let halves = |lower: &str, upper: &str| {
        format!(
            "{ARGUMENTS}{lower} v3, v2, s[4:5]\n{upper} v3, v2, s[4:5]\ns_waitcnt vmcnt(0)\nglobal_store_dword v2, v3, s[4:5]"
        )
    };
    let gfx9 = halves("global_load_ubyte_d16", "global_load_ubyte_d16_hi");
    assert_eq!(assembled::run("gfx942", &gfx9, 0)?, 0x0007_0007);
    assert_eq!(assembled::run("gfx1100", &halves("global_load_d16_u8", "global_load_d16_hi_u8"), 0)?, 0x0007_0007);
    let twice = halves("global_load_dword", "global_load_dword");
    assert_eq!(assembled::run("gfx1030", &twice, 0)?, 7);
    let late = |target: &str, body: &str| {
        let told = assembled::run(target, body, 0).expect_err("a register that is loaded twice");
        assert_eq!(told.problems()[0].diagnostic.code, "E0243", "{target}: {told}");
    };
    let gfx12 = twice.replace("s_waitcnt lgkmcnt(0)", "s_wait_kmcnt 0x0").replace("s_waitcnt vmcnt(0)", "s_wait_loadcnt 0x0");
    late("gfx1200", &gfx12);
    for target in ["gfx906", "gfx1100"] {
        late(target, &format!("{ARGUMENTS}s_load_dword s6, s[0:1], 0x0\ns_load_dword s6, s[0:1], 0x8\ns_waitcnt lgkmcnt(0)"));
    }
    Ok(())
}

/// A register that is used before its load has been waited for is told where execution comes that way, and only there: the word becomes the number otherwise.
#[test]
fn waits_are_missed_on_some_ways_alone() -> Result<()> {
    let store = "s_waitcnt vmcnt(0)\nglobal_store_b32 v2, v3, s[4:5]";
    let two = |wait: &str, used: &str| {
        format!(
            "{ARGUMENTS}global_load_b32 v5, v2, s[4:5]\nglobal_load_b32 v6, v2, s[4:5]\ns_waitcnt vmcnt({wait})\nv_mov_b32 v7, {used}\n{store}"
        )
    };
    // The load of a round is used in the next one.
    let rounds = |wait: &str| {
        format!(
            "{ARGUMENTS}v_mov_b32 v5, 0
again:
v_add_nc_u32 v6, v5, v5
global_load_b32 v5, v2, s[4:5]
{wait}
s_sub_i32 s6, s6, 1
s_cmp_gt_i32 s6, 0
s_cbranch_scc1 again
{store}"
        )
    };
    let skipped = format!(
        "{ARGUMENTS}global_load_b32 v5, v2, s[4:5]
s_cmp_lg_u32 s6, 3
s_cbranch_scc1 use
s_waitcnt vmcnt(0)
use:
v_mov_b32 v6, v5
{store}"
    );
    let scalar = |wait: &str| {
        let loads = "s_load_b32 s8, s[4:5], 0x0\ns_load_b32 s9, s[4:5], 0x0";
        format!("{ARGUMENTS}{loads}\ns_waitcnt lgkmcnt({wait})\ns_mov_b32 s10, s8\ns_waitcnt lgkmcnt(0)\n{store}")
    };
    let called = |wait: &str| {
        format!(
            "{ARGUMENTS}global_load_b32 v5, v2, s[4:5]
s_getpc_b64 s[12:13]
here:
s_add_u32 s12, s12, f-here
s_addc_u32 s13, s13, 0
s_swappc_b64 s[30:31], s[12:13]
{store}
s_endpgm
.type f,@function
f:
{wait}
v_mov_b32 v6, v5
s_setpc_b64 s[30:31]"
        )
    };
    let all = "s_waitcnt vmcnt(0)";
    let cases = [
        (two("1", "v5"), 5, true),
        (two("1", "v6"), 5, false),
        (two("2", "v5"), 5, false),
        (rounds(all), 2, true),
        (rounds(""), 1, true),
        (rounds(""), 2, false),
        (rounds("s_waitcnt vmcnt(1)"), 2, false),
        (skipped.clone(), 3, true),
        (skipped, 4, false),
        (scalar("0"), 5, true),
        (scalar("1"), 5, false),
        (called(all), 5, true),
        (called(""), 5, false),
    ];
    for (body, number, waits) in cases {
        match assembled::run("gfx1100", &body, number) {
            Ok(word) => assert!(waits && word == number, "{word} of {body}"),
            Err(told) => {
                assert!(!waits, "{told}");
                assert_eq!(told.problems()[0].diagnostic.code, "E0243", "{told}");
            }
        }
    }
    Ok(())
}

/// A copy in the background is nothing that the counter of loads counts: it lets no load be older.
#[test]
fn copies_in_the_background_are_no_loads() -> Result<()> {
    let arguments = ARGUMENTS.replace("s_waitcnt lgkmcnt(0)", "s_wait_kmcnt 0x0");
    let body = |left: u32| {
        format!(
            "{arguments}v_mov_b32 v8, 0
global_load_b32 v5, v2, s[4:5]
global_load_async_to_lds_b32 v8, v2, s[4:5]
s_wait_loadcnt {left}
v_mov_b32 v6, v5
s_wait_asynccnt 0x0
global_store_b32 v2, v6, s[4:5]"
        )
    };
    assert_eq!(assembled::run("gfx1250", &body(0), 5)?, 7);
    let told = assembled::run("gfx1250", &body(1), 5).expect_err("the load may be outstanding");
    assert_eq!(told.problems()[0].diagnostic.code, "E0243", "{told}");
    Ok(())
}

/// A copy to LDS in the background may overtake a load from there that was issued before it: where both mean the same bytes, the program has to wait.
#[test]
fn copies_may_overtake_loads_from_lds() -> Result<()> {
    let arguments = ARGUMENTS.replace("s_waitcnt lgkmcnt(0)", "s_wait_kmcnt 0x0");
    let run = |read: u32, width: &str, wait: &str| {
        let body = format!(
            "{arguments}v_mov_b32 v8, {read}
v_mov_b32 v9, 16
v_mov_b32 v11, {}
v_mov_b32 v10, 0x9090909
ds_store_b32 v11, v10
s_wait_dscnt 0x0
ds_load_{width} v5, v8
{wait}
global_load_async_to_lds_b32 v9, v2, s[4:5]
s_wait_asynccnt 0x0
s_wait_dscnt 0x0
global_store_b32 v2, v5, s[4:5]",
            read / 4 * 4
        );
        let object = assembled::described("gfx1250", &body, 16, ".amdhsa_group_segment_fixed_size 64\n");
        let device = System.device("gfx1250")?;
        let kernel = device.load_code_object("k.co", &object)?.kernel("k")?;
        let out = device.buffer(&[7u32])?;
        kernel.launch([1, 1, 1], [1, 1, 1]).arg(&out).arg(0u32).run()?;
        Ok::<u32, lockstep::Error>(out.read()[0])
    };
    // What is read: the word itself, its last byte, the bytes before it and behind it.
    for (read, width, wait, right) in [
        (16, "b32", "s_wait_dscnt 0x0", true),
        (16, "b32", "", false),
        (19, "u8", "", false),
        (12, "b32", "", true),
        (20, "b32", "", true),
        (15, "u8", "", true),
    ] {
        match run(read, width, wait) {
            Ok(word) => assert!(right && word == if width == "u8" { 9 } else { 0x909_0909 }, "{word} of {read}"),
            Err(told) => {
                assert!(!right, "{told}");
                assert_eq!(told.problems()[0].diagnostic.code, "E0243", "{told}");
                let text = told.to_string();
                assert!(text.contains("copies to 0x10 in LDS") && text.contains("loaded here"), "{text}");
            }
        }
    }
    Ok(())
}

/// Sums of 64 bits by two instructions, whose carries are read by others or not, for all lanes, for some, and for none.
#[test]
fn sums_of_two_words_carry() -> Result<()> {
    // The addend is 0x5_ffff_ffff, three times; `lanes` are those that execute the last of the sums, `ones` those whose carry the store tells.
    let kernel = |low: &str, high: &str, exec: &str, lanes: &str| {
        let (low, high) = (low.replace("{}", "v6"), high.replace("{}", "v7"));
        format!(
            "{ARGUMENTS}s_mov_b32 s8, -1
s_mov_b32 s9, 5
v_mov_b32 v8, s8
v_mov_b32 v9, s9
v_mov_b32 v6, v3
v_mov_b32 v7, 0
s_mov_b32 s7, 2
again:
{low}
{high}
s_sub_u32 s7, s7, 1
s_cmp_lg_u32 s7, 0
s_cbranch_scc1 again
s_mov_b32 {exec}, {lanes}
{low}
{high}
s_mov_b32 {exec}, 1
"
        )
    };
    let store = "global_store_dword v2, v7, s[4:5]";
    let gfx11 = |high: &str| ("v_add_co_u32 {}, vcc_lo, s8, {}".to_owned(), high.to_owned());
    let gfx9 = ("v_add_co_u32_e32 {}, vcc, v8, {}".to_owned(), "v_addc_co_u32_e32 {}, vcc, v9, {}, vcc".to_owned());
    let forms = [
        ("gfx1100", "exec_lo", gfx11("v_add_co_ci_u32_e64 {}, null, s9, {}, vcc_lo")),
        ("gfx1100", "exec_lo", gfx11("v_add_co_ci_u32_e64 {}, vcc_lo, s9, {}, vcc_lo")),
        ("gfx906", "exec_lo", gfx9),
    ];
    for (target, exec, (low, high)) in forms {
        for (number, lanes, rounds) in [(0u32, "1", 3u64), (3, "-1", 3), (3, "0", 2), (1, "1", 3)] {
            let word = assembled::run(target, &(kernel(&low, &high, exec, lanes) + store), number)?;
            let sum = u64::from(number) + rounds * 0x5_ffff_ffff;
            assert_eq!(u64::from(word), sum >> 32, "{target}: {number} for lanes {lanes} by {high}");
        }
        // The mask is that of the upper words where the second instruction gives one, else that of the lower words: none, and those of 3.
        let carry = if target == "gfx906" { "v_cndmask_b32_e32 v7, v2, v9, vcc" } else { "v_cndmask_b32 v7, 0, 5, vcc_lo" };
        let body = kernel(&low, &high, exec, "1") + carry + "\n" + store;
        let kept = high.contains("null");
        assert_eq!(assembled::run(target, &body, 3)?, if kept { 5 } else { 0 }, "{target} by {high}");
        assert_eq!(assembled::run(target, &body, 0)?, if kept { 5 } else { 0 }, "{target} by {high}");
    }
    Ok(())
}

/// Instructions that do nothing are counted where execution passes them, and not where it is jumped over them.
#[test]
fn instructions_that_do_nothing_are_counted() -> Result<()> {
    let body = "s_nop 0
s_nop 0
s_mov_b32 s6, 3
s_nop 0
s_nop 0
again:
s_nop 0
s_sub_i32 s6, s6, 1
s_nop 0
s_cmp_gt_i32 s6, 0
s_cbranch_scc1 again
s_nop 0";
    let device = System.device("gfx1100")?;
    let kernel = device.load_code_object("k.co", &assembled::object("gfx1100", body))?.kernel("k")?;
    let out = device.buffer(&[7u32])?;
    let report = kernel.launch([1, 1, 1], [1, 1, 1]).arg(&out).arg(0u32).run()?;
    // Five before the loop, three rounds of five, one behind it, and the end.
    assert_eq!(report.instructions, 5 + 3 * 5 + 1 + 1);
    Ok(())
}

/// An address in a register may lead to any function of the file. What this kernel cannot execute is told when it is led there.
#[test]
fn functions_of_other_kernels_are_told_when_they_are_called() -> Result<()> {
    let body = format!(
        "{ARGUMENTS}s_cmp_lg_u32 s6, 3
s_cbranch_scc1 store
s_getpc_b64 s[12:13]
here:
s_add_u32 s12, s12, f-here
s_addc_u32 s13, s13, 0
s_swappc_b64 s[30:31], s[12:13]
store:
global_store_dword v2, v3, s[4:5]
s_endpgm
.type f,@function
f:
v_mov_b32_e32 v40, 0
s_setpc_b64 s[30:31]"
    );
    for target in ["gfx906", "gfx942", "gfx1030"] {
        assert_eq!(assembled::run(target, &body, 5)?, 5);
        let told = assembled::run(target, &body, 3).expect_err("a register that the kernel does not have");
        let diagnostic = &told.problems()[0].diagnostic;
        assert_eq!(diagnostic.code, "E0242");
        assert_eq!(diagnostic.message, "`v_mov_b32` uses v40, of which there are 16 here: v0 to v15", "{target}");
        assert!(told.to_string().contains("lane 0 of wave 0"), "{told}");
    }
    Ok(())
}

/// Each work-item's scratch memory ends where the next one's begins.
#[test]
fn accesses_outside_of_scratch_memory_are_told() {
    let flat = "v_mov_b32_e32 v4, 16\nv_mov_b32_e32 v5, 0x7e01\nflat_store_dword v[4:5], v3";
    let accesses = [
        ("gfx942", "scratch_store_dword off, v3, s20 offset:16"),
        ("gfx942", flat),
        ("gfx1100", "scratch_store_b32 off, v3, s20 offset:16"),
    ];
    for (target, access) in accesses {
        let told = assembled::run(target, &format!("{ARGUMENTS}s_mov_b32 s20, 0\n{access}"), 5).expect_err("there is none");
        let diagnostic = &told.problems()[0].diagnostic;
        assert_eq!(diagnostic.code, "E0231");
        assert_eq!(diagnostic.message, "access of 4 bytes at 16 in scratch memory, of which a work-item has 0 bytes", "{target}");
    }
}

/// Bytes that are no instruction, and metadata that are about another name.
#[test]
fn damaged_kernels_are_told() -> Result<()> {
    let told = assembled::run("gfx942", ".long 0xffffffff", 0).expect_err("no instruction");
    let diagnostic = &told.problems()[0].diagnostic;
    assert_eq!(diagnostic.message, "the bytes here are no instruction of this target");
    assert!(diagnostic.help.as_ref().is_some_and(|help| help.contains("s_endpgm")));

    let mut object = assembled::object("gfx942", "s_nop 0");
    let symbol = b".symbol\xa4k.kd";
    let at = object.windows(symbol.len()).position(|bytes| bytes == symbol).expect("the metadata has it");
    object[at + 8] = b'j';
    let told = System.device("gfx942")?.load_code_object("k.co", &object)?.kernel("k").map(drop).expect_err("no metadata");
    assert_eq!(told.problems()[0].diagnostic.message, "no metadata is about `k`, and those of `j.kd` are about no kernel");
    Ok(())
}

/// What a kernel does wrong is told with its code, in these words, at the disassembled line, of a work-item and its lane, with a remedy.
#[test]
fn mistakes_of_machine_code_are_told() {
    let wild = "s_mov_b32 s8, 64\ns_mov_b32 s9, 5\ns_mov_b32 s10, 0x1000\ns_mov_b32 s11, 0x31016000\n";
    let aperture = |name: &str| format!("s_mov_b64 s[8:9], {name}\nv_mov_b32 v4, 64\nv_mov_b32 v5, s9\nflat_load_b32 v6, v[4:5]");
    let buffers = format!("{wild}buffer_load_b32 v5, off, s[8:11], 0");
    let scalar_buffers = format!("{wild}s_buffer_load_b32 s12, s[8:11], 0x0");
    let (shared, private) = (aperture("src_shared_base"), aperture("src_private_base"));
    let cases = [
        ("v_mov_b32 v4, 4\nglobal_load_b32 v5, v4, s[4:5]", "E0231", "read of 4 bytes at", "global_load_b32 v5, v4, s[4:5]"),
        ("global_store_b64 v2, v[6:7], s[4:5]", "E0231", "write of 4 bytes at", "global_store_b64 v2, v[6:7], s[4:5]"),
        ("v_mov_b32 v4, 4\nglobal_atomic_add_u32 v4, v3, s[4:5]", "E0231", "atomic access of 4 bytes", "global_atomic_add_u32"),
        ("v_mov_b32 v4, 0\nv_mov_b32 v5, 0\nglobal_load_b32 v5, v[4:5], off", "E0231", "the null address", "global_load_b32"),
        (
            "v_mov_b32 v4, 0\nv_mov_b32 v5, 9\nflat_load_b32 v5, v[4:5]",
            "E0231",
            "0x900000000, outside global memory",
            "flat_load_b32",
        ),
        (&shared, "E0231", "read of 4 bytes at 0x40, outside shared memory", "flat_load_b32 v6, v[4:5]"),
        (&private, "E0231", "at 64 in scratch memory, of which a work-item has 0 bytes", "flat_load_b32 v6, v[4:5]"),
        ("v_mov_b32 v4, 64\nds_load_b32 v5, v4", "E0231", "0x40, outside shared memory", "ds_load_b32 v5, v4"),
        ("s_load_b64 s[8:9], s[4:5], 0x100", "E0231", "outside global memory", "s_load_b64 s[8:9], s[4:5], 0x100"),
        (&buffers, "E0231", "0x500000040, outside global memory", "buffer_load_b32 v5, off, s[8:11], 0"),
        (&scalar_buffers, "E0231", "0x500000040, outside global memory", "s_buffer_load_b32 s12, s[8:11]"),
        (".long 0xdfffffff", "E0238", "no instruction of this target", ".long 0xdfffffff"),
        ("s_code_end", "E0238", "no instruction of this target", "s_code_end"),
        ("s_mov_b64 s[8:9], 0\ns_setpc_b64 s[8:9]", "E0237", "0x0 is not the address of an instruction", "s_setpc_b64 s[8:9]"),
        ("s_rfe_b64 s[8:9]", "E0238", "for trap handlers alone", "s_rfe_b64 s[8:9]"),
        ("s_getreg_b32 s8, hwreg(HW_REG_TRAPSTS)", "E0238", "hardware register 3 is not modelled", "s_getreg_b32 s8"),
        ("s_trap 2", "E0234", "trap", "s_trap 2"),
    ];
    for (body, code, words, line) in cases {
        let told = assembled::run("gfx1100", &format!("{ARGUMENTS}{body}"), 5).expect_err(body);
        let (diagnostic, text) = (&told.problems()[0].diagnostic, told.to_string());
        assert_eq!(diagnostic.code, code, "{text}");
        assert!(diagnostic.message.contains(words) && diagnostic.help.is_some(), "{words}: {text}");
        assert!(text.contains(line) && text.contains("| 0x"), "{line}: {text}");
        assert!(text.contains("thread (0, 0, 0) of block (0, 0, 0), lane 0 of wave 0"), "{text}");
    }
}

/// Atomic operations are aligned.
#[test]
fn misaligned_atomic_operations_are_told() -> Result<()> {
    let body = format!("{ARGUMENTS}v_mov_b32 v4, 2\nglobal_atomic_add_u32 v4, v3, s[4:5]");
    let device = System.device("gfx1100")?;
    let kernel = device.load_code_object("k.co", &assembled::object("gfx1100", &body))?.kernel("k")?;
    let out = device.buffer(&[0u32; 4])?;
    let told = kernel.launch([1, 1, 1], [1, 1, 1]).arg(&out).arg(1u32).run().expect_err("misaligned");
    let (diagnostic, text) = (&told.problems()[0].diagnostic, told.to_string());
    assert_eq!(diagnostic.code, "E0232", "{text}");
    assert!(diagnostic.message.starts_with("misaligned atomic access of 4 bytes") && text.contains("AMD's ISA guides"), "{text}");
    Ok(())
}

/// Code that leaves the file, and registers that the descriptor does not grant, are told before anything runs, at their lines.
#[test]
fn code_that_cannot_run_is_told_at_its_line() {
    let cases = [
        ("gfx1100", "s_branch 100", "E0241", "where no code is", "s_branch 100"),
        ("gfx1100", "v_mov_b32 v40, 0", "E0242", "uses v40, of which there are 16 here", "v_mov_b32_e32 v40, 0"),
        ("gfx906", "s_mov_b32 s90, 0", "E0242", "uses s90, of which there are 40 here", "s_mov_b32 s90, 0"),
        ("gfx906", "s_mov_b64 s[40:41], 0", "E0242", "uses s41, of which there are 40 here", "s_mov_b64 s[40:41], 0"),
    ];
    for (target, body, code, words, line) in cases {
        let told = assembled::run(target, body, 5).expect_err(body);
        let (diagnostic, text) = (&told.problems()[0].diagnostic, told.to_string());
        assert_eq!(diagnostic.code, code, "{text}");
        assert!(diagnostic.message.contains(words) && text.contains(line), "{words}, {line}: {text}");
    }
}

/// A note that names no kernels says nothing of the arguments; a descriptor under another name is no kernel's.
#[test]
fn metadata_about_nothing_are_told() -> Result<()> {
    let object = assembled::object("gfx1100", "s_nop 0");
    let renamed = |from: &[u8], to: &[u8]| {
        let mut object = object.clone();
        let places: Vec<usize> = (0..object.len() - from.len()).filter(|at| object[*at..].starts_with(from)).collect();
        assert!(!places.is_empty());
        places.into_iter().for_each(|at| object[at..at + to.len()].copy_from_slice(to));
        object
    };
    let device = System.device("gfx1100")?;
    let told = |object: Vec<u8>| {
        let kernel = device.load_code_object("k.co", &object)?.kernel("k").map(drop);
        Ok::<_, lockstep::Error>(kernel.expect_err("damaged").problems()[0].diagnostic.clone())
    };
    let nothing = told(renamed(b"amdhsa.kernels", b"amdhsa.kernelx"))?;
    assert_eq!(nothing.message, "no metadata is about `k`, whose arguments take 16 bytes: what they are is not known");
    let nobody = told(renamed(b"k.kd\0", b"k.kx\0"))?;
    assert_eq!(nobody.message, "no kernel is called `k`");
    assert!(nobody.help.is_some_and(|help| help.starts_with("the code object has none")));
    Ok(())
}
