//! Arithmetic for graphics that needs no image: cube maps and lighting.
//!
//! AMD's ISA guides, V_CUBE and V_MULLIT instructions. Comparisons with NaN are false, as their operations say.

use crate::{Function, ieee, lane};
use machine::Mods;
use machine::row::rare3;

/// The axis of the face of a cube that a direction meets: 2 for `z`, 1 for `y`, 0 for `x`.
fn axis(x: f32, y: f32, z: f32) -> usize {
    if z.abs() >= x.abs() && z.abs() >= y.abs() {
        2
    } else if y.abs() >= x.abs() {
        1
    } else {
        0
    }
}

/// The face, numbered from 0.
pub fn cube_face(_: Mods, x: f32, y: f32, z: f32) -> f32 {
    let axis = axis(x, y, z);
    (2 * axis + usize::from([x, y, z][axis] < 0.0)) as f32
}

/// Twice the coordinate along the axis of the face.
pub fn cube_major(m: Mods, x: f32, y: f32, z: f32) -> f32 {
    ieee::mul(m, [x, y, z][axis(x, y, z)], 2.0)
}

/// The first coordinate on the face.
pub fn cube_first(_: Mods, x: f32, y: f32, z: f32) -> f32 {
    match axis(x, y, z) {
        2 if z < 0.0 => -x,
        1 | 2 => x,
        _ if x < 0.0 => z,
        _ => -z,
    }
}

/// The second coordinate on the face.
pub fn cube_second(_: Mods, x: f32, y: f32, z: f32) -> f32 {
    match axis(x, y, z) {
        1 if y < 0.0 => -z,
        1 => z,
        _ => -y,
    }
}

/// `a * b`, or the least finite number where `b` is it, -infinity or NaN, or where `c` is not above zero.
pub fn light(m: Mods, a: f32, b: f32, c: f32) -> f32 {
    let defined = b > -f32::MAX && c > 0.0;
    if defined { ieee::mul(m, a, b) } else { -f32::MAX }
}

/// Registered functions.
pub(crate) const FUNCTIONS: &[Function] = &[
    lane("graphics::cube_face", &[rare3(cube_face)]),
    lane("graphics::cube_major", &[rare3(cube_major)]),
    lane("graphics::cube_first", &[rare3(cube_first)]),
    lane("graphics::cube_second", &[rare3(cube_second)]),
    lane("graphics::light", &[rare3(light)]),
];
