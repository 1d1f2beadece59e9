//! The order of pixels in im2col: along W from corner to corner, then H, then D, then the next image.
//!
//! PTX ISA 9.4, 5.5.4 and 5.5.5. A dimension that has come to its upper corner begins again at its lower one, whatever its first
//! coordinate was; steps are the element strides. Along W alone, H and D stay and the next image follows. The manual shows halos in
//! figures alone; here they are the pixels that follow in the same order.

/// Images and the pixel that comes first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Images {
    /// Coordinates of the first pixel in W, H and D.
    pub at: [i64; 3],
    /// The least coordinates.
    pub lower: [i64; 3],
    /// The greatest coordinates.
    pub upper: [i64; 3],
    /// Pixels that there are in memory.
    pub size: [i64; 3],
    /// Element strides.
    pub step: [i64; 3],
    /// Bytes.
    pub stride: [u64; 3],
    /// The first image.
    pub image: i64,
    /// How many there are.
    pub images: i64,
    /// Bytes.
    pub image_stride: u64,
}

/// Pixels one after the other.
#[derive(Clone, Copy)]
pub(super) struct Pixels<'a> {
    images: &'a Images,
    at: [i64; 3],
    image: i64,
    marked: ([i64; 3], i64),
}

impl<'a> Pixels<'a> {
    pub fn new(images: &'a Images) -> Self {
        Pixels { images, at: images.at, image: images.image, marked: (images.at, images.image) }
    }

    /// Notes the next pixel.
    pub fn mark(&mut self) {
        self.marked = (self.at, self.image);
    }

    /// The same from the noted pixel on.
    pub fn marked(self) -> Self {
        Pixels { at: self.marked.0, image: self.marked.1, ..self }
    }

    /// The bytes before the next pixel in global memory; none if it is outside of the tensor.
    pub fn next(&mut self) -> Option<u64> {
        let images = self.images;
        let mut inside = (0..images.images).contains(&self.image);
        let mut offset = (self.image as u64).wrapping_mul(images.image_stride);
        for i in 0..3 {
            inside &= images.size[i] == 0 || (0..images.size[i]).contains(&self.at[i]);
            offset = offset.wrapping_add((self.at[i] as u64).wrapping_mul(images.stride[i]));
        }
        self.advance();
        inside.then_some(offset)
    }

    fn advance(&mut self) {
        for i in 0..3 {
            self.at[i] += self.images.step[i];
            if self.images.step[i] != 0 && self.at[i] <= self.images.upper[i] {
                return;
            }
            self.at[i] = self.images.lower[i];
        }
        self.image += 1;
    }
}
