//! Offload bundles: several code objects in one file or in a section of a program for the host.
//!
//! Plain bundles (`__CLANG_OFFLOAD_BUNDLE__`) and compressed ones (`CCOB`, versions 1 to 3, zlib or zstd), alone, one behind the
//! other, or in a section of a host's ELF file such as `.hip_fatbin`. Follows "Clang Offload Bundler", "Bundled Code Object
//! File Layout" and "Compressed Offload Bundle". Hashes are not checked; bundles of text are not read.

use super::error::{Error, Result};
use super::read;
use super::target::TargetId;
use object::read::elf::{FileHeader, SectionHeader};
use object::{LittleEndian, elf};
use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;

const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
const COMPRESSED: &[u8] = b"CCOB";

/// A bundle.
#[derive(Clone, Debug)]
pub struct Bundle<'d> {
    /// Its bytes, uncompressed.
    data: Cow<'d, [u8]>,
    /// How it was compressed, if it was.
    pub compression: Option<Compression>,
    /// What is in it, in its order.
    pub entries: Vec<BundleEntry>,
}

/// How a bundle was compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compression {
    /// Version of the header: 1, 2 or 3.
    pub version: u16,
    /// By what.
    pub method: Method,
}

/// A method of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// RFC 1950.
    Zlib,
    /// RFC 8878.
    Zstd,
}

/// An entry of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleEntry {
    /// Offload kind, triple and target: `hipv4-amdgcn-amd-amdhsa--gfx942:xnack+`.
    pub id: String,
    /// Its bytes in the uncompressed bundle.
    range: Range<usize>,
}

impl BundleEntry {
    /// What it runs on, if that is an AMD target of the table.
    pub fn target(&self) -> Option<TargetId> {
        TargetId::parse(&self.id).ok()
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.range.len()
    }
}

impl<'d> Bundle<'d> {
    /// Reads the bundle at the begin of `data`, which may go on behind it; with how many bytes it takes.
    ///
    /// # Errors
    /// There is none, or it is truncated or damaged.
    pub fn read(data: &'d [u8]) -> Result<(Bundle<'d>, usize)> {
        if data.starts_with(COMPRESSED) {
            let (header, compressed, taken) = compressed(data)?;
            let bytes = decompress(&header, compressed)?;
            let (entries, _) = entries(&bytes)?;
            let compression = Some(header.compression);
            return Ok((Bundle { data: Cow::Owned(bytes), compression, entries }, taken));
        }
        let (entries, taken) = entries(data)?;
        Ok((Bundle { data: Cow::Borrowed(data), compression: None, entries }, taken))
    }

    /// The bytes of an entry.
    pub fn bytes(&self, entry: &BundleEntry) -> &[u8] {
        self.data.get(entry.range.clone()).unwrap_or(&[])
    }

    /// The entry whose code runs on a target: one with its very settings before one that leaves them open.
    pub fn pick(&self, target: &TargetId) -> Option<&BundleEntry> {
        let fitting = || self.entries.iter().filter_map(|e| Some((e, e.target()?))).filter(|(_, t)| t.runs_on(target));
        fitting().find(|(_, t)| t == target).or_else(|| fitting().next()).map(|(e, _)| e)
    }
}

/// A code object that was found in a file.
#[derive(Clone, Debug)]
pub struct Found<'d> {
    /// The bundle entry's name; nothing if the file itself is the code object.
    pub id: Option<String>,
    /// Its bytes.
    pub data: Cow<'d, [u8]>,
}

/// All code objects of a file: the file itself, those of its bundles, or those of the bundles in a host's program. Nothing if the
/// file is none of these.
///
/// ```
/// use amdgpu::object::bundle::code_objects;
///
/// assert!(code_objects(b"a text")?.is_none());
/// assert!(code_objects(b"CCOB\x03\0").is_err());
/// # Ok::<(), amdgpu::object::Error>(())
/// ```
///
/// # Errors
/// A bundle is truncated or damaged.
pub fn code_objects(data: &[u8]) -> Result<Option<Vec<Found<'_>>>> {
    if read::is_code_object(data) {
        return Ok(Some(vec![Found { id: None, data: Cow::Borrowed(data) }]));
    }
    let bundles = match bundles(data)? {
        bundles if bundles.is_empty() && !data.starts_with(&elf::ELFMAG) => return Ok(None),
        bundles => bundles,
    };
    let mut all = Vec::new();
    for bundle in bundles {
        for entry in bundle.entries.iter().filter(|e| read::is_code_object(bundle.bytes(e))) {
            let data = match &bundle.data {
                Cow::Borrowed(data) => Cow::Borrowed(data.get(entry.range.clone()).unwrap_or(&[])),
                Cow::Owned(_) => Cow::Owned(bundle.bytes(entry).to_vec()),
            };
            all.push(Found { id: Some(entry.id.clone()), data });
        }
    }
    Ok(Some(all))
}

/// Whether a file is a code object, a bundle, or a host's program that has bundles.
pub fn holds_code_objects(data: &[u8]) -> bool {
    read::is_code_object(data) || parts(data).is_ok_and(|parts| !parts.is_empty())
}

/// All bundles of a file: at its begin, or at the begin of sections of a host's ELF file.
///
/// # Errors
/// A bundle is truncated or damaged, or the ELF file is.
pub fn bundles(data: &[u8]) -> Result<Vec<Bundle<'_>>> {
    let mut all = Vec::new();
    for part in parts(data)? {
        all.append(&mut consecutive(part)?);
    }
    Ok(all)
}

/// The parts of a file that begin with a bundle.
fn parts(data: &[u8]) -> Result<Vec<&[u8]>> {
    let is_bundle = |bytes: &&[u8]| bytes.starts_with(MAGIC) || bytes.starts_with(COMPRESSED);
    if is_bundle(&data) {
        return Ok(vec![data]);
    }
    if !data.starts_with(&elf::ELFMAG) || read::is_code_object(data) {
        return Ok(Vec::new());
    }
    let damaged = |e: object::read::Error| Error::new(format!("the host's ELF file cannot be read: {e}"));
    let header = elf::FileHeader64::<LittleEndian>::parse(data).map_err(damaged)?;
    let sections = header.sections(LittleEndian, data).map_err(damaged)?;
    let contents = sections.iter().map(|section| section.data(LittleEndian, data).map_err(damaged));
    Ok(contents.collect::<Result<Vec<_>>>()?.into_iter().filter(is_bundle).collect())
}

/// Bundles one behind the other, with padding between them.
fn consecutive(data: &[u8]) -> Result<Vec<Bundle<'_>>> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(rest) = data.get(at..).filter(|rest| !rest.is_empty()) {
        let (bundle, taken) = Bundle::read(rest).map_err(|e| Error { at: Some(e.at.unwrap_or(0) + at as u64), ..e })?;
        all.push(bundle);
        let next = find(&rest[taken.min(rest.len())..]);
        at = next.map_or(data.len(), |n| at + taken + n);
    }
    Ok(all)
}

/// Where the next bundle begins. What lies between two of them is padding.
fn find(data: &[u8]) -> Option<usize> {
    let start = data.iter().position(|b| *b != 0)?;
    let begins = |d: &[u8]| d.starts_with(MAGIC) || d.starts_with(COMPRESSED);
    begins(&data[start..]).then_some(start)
}

fn word(data: &[u8], at: usize) -> Option<u64> {
    data.get(at..)?.first_chunk().map(|b| u64::from_le_bytes(*b))
}

/// The entries of an uncompressed bundle, and how many bytes it has.
fn entries(data: &[u8]) -> Result<(Vec<BundleEntry>, usize)> {
    let truncated = |at: usize| Error::new("the bundle's list of entries is truncated").at(at as u64);
    if !data.starts_with(MAGIC) {
        return Err(Error::new("this is no offload bundle: it does not begin with __CLANG_OFFLOAD_BUNDLE__").at(0));
    }
    let mut at = MAGIC.len();
    let count = word(data, at).ok_or_else(|| truncated(at))?;
    at += 8;
    let (mut all, mut end) = (Vec::new(), at);
    for _ in 0..count {
        let numbers = (word(data, at), word(data, at + 8), word(data, at + 16));
        let (Some(offset), Some(size), Some(length)) = numbers else { return Err(truncated(at)) };
        let name_end = usize::try_from(length).ok().and_then(|n| n.checked_add(at + 24));
        let Some(id) = name_end.and_then(|end| data.get(at + 24..end)) else { return Err(truncated(at)) };
        let id = String::from_utf8_lossy(id).into_owned();
        let last = offset.checked_add(size).filter(|end| *end <= data.len() as u64);
        let Some(last) = last else {
            let message = format!("the entry {id} has {size} bytes from {offset} on, and the bundle ends at {}", data.len());
            return Err(Error::new(message).at(at as u64).help("the file is truncated or damaged"));
        };
        all.push(BundleEntry { id, range: offset as usize..last as usize });
        at += 24 + length as usize;
        end = end.max(last as usize).max(at);
    }
    Ok((all, end))
}

/// What stands before compressed bytes.
struct CompressedHeader {
    compression: Compression,
    uncompressed_size: u64,
}

/// Header, compressed bytes, and how many bytes both take.
fn compressed(data: &[u8]) -> Result<(CompressedHeader, &[u8], usize)> {
    let truncated = || Error::new("the header of a compressed bundle is truncated").at(data.len() as u64);
    let half = |at: usize| data.get(at..at + 2).map(|b| u16::from_le_bytes([b[0], b[1]]));
    let (Some(version), Some(method)) = (half(4), half(6)) else { return Err(truncated()) };
    let method = match method {
        0 => Method::Zlib,
        1 => Method::Zstd,
        other => return Err(Error::new(format!("a bundle is compressed by method {other}; zlib is 0, zstd is 1")).at(6)),
    };
    let size_at = |at: usize, bytes: usize| word(data, at).map(|w| if bytes == 4 { w & 0xffff_ffff } else { w });
    // Behind the sizes stands a hash of 8 bytes.
    let (file_size, uncompressed_size, header) = match version {
        1 => (Some(data.len() as u64), size_at(8, 4), 20),
        2 => (size_at(8, 4), size_at(12, 4), 24),
        3 => (size_at(8, 8), size_at(16, 8), 32),
        other => return Err(Error::new(format!("a compressed bundle has version {other}; 1 to 3 are known")).at(4)),
    };
    let (Some(file_size), Some(uncompressed_size)) = (file_size, uncompressed_size) else { return Err(truncated()) };
    let end = usize::try_from(file_size).unwrap_or(usize::MAX);
    let Some(bytes) = data.get(header..end) else {
        let message = format!("a compressed bundle has {file_size} bytes, and the file ends after {}", data.len());
        return Err(Error::new(message).at(8).help("the file is truncated or damaged"));
    };
    Ok((CompressedHeader { compression: Compression { version, method }, uncompressed_size }, bytes, end))
}

fn decompress(header: &CompressedHeader, bytes: &[u8]) -> Result<Vec<u8>> {
    let damaged =
        |why: String| Error::new(format!("a compressed bundle cannot be decompressed: {why}")).help("the file is damaged");
    let size = usize::try_from(header.uncompressed_size).map_err(|e| damaged(e.to_string()))?;
    let data = match header.compression.method {
        Method::Zlib => {
            miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(bytes, size).map_err(|e| damaged(e.to_string()))?
        }
        Method::Zstd => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(bytes).map_err(|e| damaged(e.to_string()))?;
            let mut data = Vec::new();
            decoder.take(header.uncompressed_size).read_to_end(&mut data).map_err(|e| damaged(e.to_string()))?;
            data
        }
    };
    if data.len() != size {
        return Err(damaged(format!("it has {} bytes instead of {size}", data.len())));
    }
    Ok(data)
}
