//! How many registers image instructions have: what a record's line `image` says, and the dimensions of images.
//!
//! The widths of data and address follow from modifiers (`dmask`, `dim`, `a16`, `d16`, `tfe`); how, is the business of crate `amdgpu`.

use crate::text::Text;

/// What is particular of an image instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// It uses a sampler.
    pub sampler: bool,
    /// It gives four words whatever `dmask` is.
    pub gather4: bool,
    /// It writes to the image.
    pub store: bool,
    /// It is an atomic operation.
    pub atomic: bool,
    /// It is for images with several samples only.
    pub msaa: bool,
    /// It intersects a ray with a tree.
    pub bvh: bool,
    /// Its address has the coordinates of the dimension.
    pub coordinates: bool,
    /// Its address has a level, a level of detail or a clamp.
    pub lod: bool,
    /// Its address has gradients.
    pub gradients: bool,
    /// Gradients have 16 bits.
    pub g16: bool,
    /// `off` may stand in place of the data.
    pub noreturn: bool,
    /// Words of address before all others: offsets, bias, depth.
    pub extra: u8,
    /// Numbers of words of data that it may have; the first where the bits ask for another.
    pub data: Vec<u8>,
    /// Lengths of the parts of a ray's address.
    pub rays: Vec<u8>,
    /// The same with a16; none if that does not exist.
    pub rays16: Vec<u8>,
}

/// A dimension of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Its number in the field `dim`.
    pub number: u8,
    /// Coordinates.
    pub coordinates: u8,
    /// Gradients.
    pub gradients: u8,
    /// Whether such an image has several samples.
    pub msaa: bool,
}

impl Image {
    /// Reads the words of a line `image`.
    ///
    /// # Errors
    ///
    /// The word that is none of them.
    pub fn parse(text: Text) -> Result<Image, Text> {
        let mut image = Image::default();
        for word in text.split_ascii_whitespace() {
            let flag = match word {
                "sampler" => &mut image.sampler,
                "gather4" => &mut image.gather4,
                "store" => &mut image.store,
                "atomic" => &mut image.atomic,
                "msaa" => &mut image.msaa,
                "bvh" => &mut image.bvh,
                "coordinates" => &mut image.coordinates,
                "lod" => &mut image.lod,
                "gradients" => &mut image.gradients,
                "g16" => &mut image.g16,
                "noreturn" => &mut image.noreturn,
                _ => {
                    image.number(word).ok_or(word)?;
                    continue;
                }
            };
            *flag = true;
        }
        if image.data.is_empty() { Err(text) } else { Ok(image) }
    }

    /// The least and most words of address that there are, over all dimensions.
    pub fn range(&self) -> (u8, u8) {
        if !self.sampler {
            return (1, 4);
        }
        let (low, high) = match (self.gradients, self.g16) {
            (false, _) => (1, 3),
            (true, false) => (2, 9),
            (true, true) => (2, 7),
        };
        (self.extra + low, self.extra + high + u8::from(self.lod))
    }

    /// Whether one operand can have so many words of address: besides those that are needed also four and eight, with a sampler.
    pub fn is_width(&self, words: u8) -> bool {
        let (low, high) = self.range();
        let rounded = |from: u8, to: u8| words == to && low <= to && high >= from && self.sampler;
        (low..=high).contains(&words) || rounded(3, 4) || rounded(5, 8)
    }

    fn number(&mut self, word: Text) -> Option<()> {
        let (key, value) = word.split_once('=')?;
        let list: Vec<u8> = value.split(',').map(|n| n.parse().ok()).collect::<Option<_>>()?;
        // Registers of an operand are counted in a byte, and no instruction has more than thirteen words of address.
        if list.iter().any(|n| *n > 16) || list.len() > 5 {
            return None;
        }
        match key {
            "extra" => self.extra = *list.first()?,
            "data" => self.data = list,
            "rays" => self.rays = list,
            "rays16" => self.rays16 = list,
            _ => return None,
        }
        Some(())
    }
}

impl Dimension {
    /// Reads `NUMBER COORDINATES GRADIENTS [msaa]`.
    pub fn parse(text: Text) -> Option<Dimension> {
        let words: Vec<Text> = text.split_ascii_whitespace().collect();
        let [number, coordinates, gradients, rest @ ..] = &words[..] else { return None };
        let small = |text: &Text| text.parse().ok().filter(|n: &u8| *n < 8);
        let (number, coordinates, gradients) = (small(number)?, small(coordinates)?, small(gradients)?);
        matches!(rest, [] | ["msaa"]).then_some(Dimension { number, coordinates, gradients, msaa: !rest.is_empty() })
    }
}
