//! Threads of a warp that meet at different instructions of one kind: a member mask asks for the same instruction with the same
//! qualifiers, not for the same place (PTX ISA 9.4, 9.7.10.6).

use lockstep::{Buffer, Error, System};

/// Each half of a warp runs a loop of its own length, the second half's twice as long, with shuffles inside its sixteen lanes under a mask of
/// all lanes, at instructions of its own; then both halves vote together.
const PTX: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry halves(.param .u64 out)
{
    .reg .pred %p, %q;
    .reg .b32 %t, %v, %n, %b;
    .reg .b64 %d, %o;
    ld.param.u64 %d, [out];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %o, %t, 4;
    add.u64 %d, %d, %o;
    mov.u32 %v, %t;
    mov.u32 %n, 0;
    setp.ge.u32 %q, %t, 16;
    @%q bra second;
first:
    shfl.sync.bfly.b32 %v, %v, 1, 0x101f, 0xffffffff;
    add.u32 %v, %v, 100;
    add.u32 %n, %n, 1;
    setp.lt.u32 %p, %n, 6;
    @%p bra first;
    bra done;
second:
    shfl.sync.bfly.b32 %v, %v, 2, 0x101f, 0xffffffff;
    add.u32 %v, %v, 1000;
    shfl.sync.bfly.b32 %v, %v, 4, 0x101f, 0xffffffff;
    add.u32 %n, %n, 1;
    setp.lt.u32 %p, %n, 3;
    @%p bra second;
done:
    vote.sync.ballot.b32 %b, %q, 0xffffffff;
    shr.u32 %b, %b, 16;
    xor.b32 %v, %v, %b;
    st.global.u32 [%d], %v;
    ret;
}";

#[test]
fn halves_of_a_warp_shuffle_at_their_own_instructions() {
    let run = |seed: Option<u64>| -> Result<Vec<u32>, Error> {
        let device = System.device("a100")?;
        let kernel = device.load([("halves.ptx", PTX)])?.kernel("halves")?;
        let out: Buffer<u32> = device.zeros(32)?;
        let options = lockstep::Options { seed, ..Default::default() };
        kernel.launch([1, 1, 1], [32, 1, 1]).arg(&out).options(options).run()?;
        Ok(out.read())
    };
    // Six exchanges with the neighbour leave the first half's values where they were; three with lanes two and four away move
    // the second half's.
    let expected: Vec<u32> = (0..32).map(|i| if i < 16 { i + 600 } else { (i ^ 2 ^ 4) + 3000 } ^ 0xffff).collect();
    for seed in [None, Some(1), Some(2), Some(3), Some(4)] {
        assert_eq!(run(seed).unwrap_or_else(|e| panic!("{e}")), expected, "seed {seed:?}");
    }
}
