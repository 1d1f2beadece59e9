//! Kernel descriptors: 64 bytes from which the command processor starts a kernel.
//!
//! Which bits mean what on which target is in `isa/amdgpu/descriptor.isa`. Here: reading and writing them, and
//! [`Directives`], which makes a descriptor from the lines of `.amdhsa_kernel`. How register counts become units follows
//! AMDGPUUsage, "compute_pgm_rsrc1", and was held against llvm-mc 22.

use super::error::{Error, Result, layout};
use super::target::TargetId;
use isa::Table;
use isa::amdgpu::descriptor::{Directive, Field, Layout, Object, SIZE, Takes};

/// A kernel descriptor as it stands in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Its bytes.
    pub bytes: [u8; SIZE],
}

impl Descriptor {
    /// Bytes of a descriptor.
    pub const SIZE: usize = SIZE;
    /// Where the distance to the code stands, on every target.
    pub const ENTRY_OFFSET: usize = 16;

    /// A descriptor of these values; what is not named is zero.
    ///
    /// # Errors
    /// The target has no such field, or it does not hold the value.
    pub fn of(object: &Object, values: &[(&str, u64)]) -> Result<Descriptor> {
        let layout = layout()?;
        let mut descriptor = Descriptor { bytes: [0; SIZE] };
        for (name, value) in values {
            let Some(field) = layout.field(object, name) else {
                let near = Table::nearest(name, layout.fields_of(object).map(|f| f.name));
                let error = Error::new(format!("a descriptor for {} has no field `{name}`", object.name));
                return Err(error.help(format!("near: {}", near.join(", "))));
            };
            if *value > field.largest() {
                return Err(Error::new(format!("`{name}` holds at most {}, not {value}", field.largest())));
            }
            descriptor.set(field, *value);
        }
        Ok(descriptor)
    }

    /// The value of a field.
    pub fn get(&self, field: &Field) -> u64 {
        let bit = |at: usize| u64::from(self.bytes[at / 8] >> (at % 8) & 1);
        (0..field.width.min(64)).fold(0, |value, i| value | bit(field.first + i) << i)
    }

    /// Changes a field; bits that it does not hold are lost.
    pub fn set(&mut self, field: &Field, value: u64) {
        for i in 0..field.width.min(64) {
            let at = field.first + i;
            self.bytes[at / 8] = self.bytes[at / 8] & !(1 << (at % 8)) | ((value >> i & 1) as u8) << (at % 8);
        }
    }

    /// Every field of a target with its value, by place.
    ///
    /// # Errors
    /// The table is wrong.
    pub fn fields<'a>(&'a self, object: &'a Object) -> Result<impl Iterator<Item = (&'static Field, u64)> + 'a> {
        let layout = layout()?;
        let all = layout.fields.iter().filter(move |f| !f.name.is_empty() && f.on.has(object.target));
        Ok(all.map(|f| (f, self.get(f))))
    }

    /// The value of a field by its name, where the target has it.
    pub fn value(&self, object: &Object, name: &str) -> Option<u64> {
        layout().ok()?.field(object, name).map(|f| self.get(f))
    }

    /// Bits that are reserved on a target and set all the same, counted from the descriptor's begin.
    ///
    /// # Errors
    /// The table is wrong.
    pub fn reserved_bits(&self, object: &Object) -> Result<Vec<usize>> {
        let reserved = layout()?.fields.iter().filter(|f| f.name.is_empty() && f.on.has(object.target));
        let bits = reserved.flat_map(|f| f.first..f.first + f.width);
        Ok(bits.filter(|at| self.bytes[at / 8] >> (at % 8) & 1 == 1).collect())
    }

    /// Distance from the descriptor to the kernel's first instruction.
    pub fn entry(&self) -> i64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.bytes[Self::ENTRY_OFFSET..Self::ENTRY_OFFSET + 8]);
        i64::from_le_bytes(bytes)
    }

    /// Lanes of a wave.
    pub fn wave_size(&self, object: &Object) -> u32 {
        if self.value(object, "enable_wavefront_size32") == Some(1) { 32 } else { 64 }
    }

    /// VGPRs that a work-item is given, AccVGPRs of the unified register file among them.
    pub fn vgprs(&self, object: &Object) -> u32 {
        let unit = object.vgprs[usize::from(self.wave_size(object) == 64)];
        (self.value(object, "granulated_workitem_vgpr_count").unwrap_or(0) as u32 + 1) * unit
    }

    /// The first AccVGPR in the unified register file, where there is one.
    pub fn accum_offset(&self, object: &Object) -> Option<u32> {
        self.value(object, "accum_offset").map(|n| (n as u32 + 1) * 4)
    }

    /// SGPRs that a wave is given, where descriptors count them.
    pub fn sgprs(&self, object: &Object) -> Option<u32> {
        object.sgprs?;
        self.value(object, "granulated_wavefront_sgpr_count").map(|n| (n as u32 + 1) * SGPR_UNIT)
    }
}

/// SGPRs are counted in units of so many.
const SGPR_UNIT: u32 = 8;

/// The lines of one `.amdhsa_kernel`, and the descriptor that they make.
///
/// ```
/// use amdgpu::object::{TargetId, descriptor::Directives};
///
/// let mut lines = Directives::new(TargetId::parse("gfx1100")?, None)?;
/// lines.set(".amdhsa_next_free_vgpr", 24)?;
/// lines.set(".amdhsa_next_free_sgpr", 16)?;
/// lines.set(".amdhsa_user_sgpr_kernarg_segment_ptr", 1)?;
/// let descriptor = lines.finish()?;
/// assert_eq!(descriptor.value(lines.object(), "user_sgpr_count"), Some(2));
/// assert_eq!(descriptor.vgprs(lines.object()), 24);
/// # Ok::<(), amdgpu::object::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Directives {
    layout: &'static Layout,
    target: TargetId,
    /// Lanes of a wave where no directive says so.
    wave: u32,
    /// Values in the order of the layout's directives.
    values: Vec<Option<u64>>,
}

impl Directives {
    /// None yet. `wave` is the number of lanes that the assembler was told; without it, 32 where the target has such waves.
    ///
    /// # Errors
    /// The table is wrong.
    pub fn new(target: TargetId, wave: Option<u32>) -> Result<Directives> {
        let layout = layout()?;
        let default = layout.field(target.object, "enable_wavefront_size32").map_or(64, |_| 32);
        let values = vec![None; layout.directives.len()];
        Ok(Directives { layout, target, wave: wave.unwrap_or(default), values })
    }

    /// The processor that they are for.
    pub fn object(&self) -> &'static Object {
        self.target.object
    }

    /// A directive by its name with the dot, where the target has it.
    ///
    /// # Errors
    /// There is none, or the target does not have it.
    pub fn find(&self, name: &str) -> Result<&'static Directive> {
        let Some(directive) = self.layout.directive(name) else {
            let near = Table::nearest(name, self.layout.directives.iter().map(|d| d.name));
            let help =
                if near.is_empty() { "see AMDGPUUsage, .amdhsa_kernel".to_owned() } else { format!("near: {}", near.join(", ")) };
            return Err(Error::new(format!("unknown directive `{name}` in .amdhsa_kernel")).help(help));
        };
        if !directive.on.has(self.object().target) {
            let mut on: Vec<&str> = self.layout.objects.iter().filter(|o| directive.on.has(o.target)).map(|o| o.name).collect();
            let more = on.len().saturating_sub(8);
            on.truncate(8);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let help = format!("it exists on {}{more}", on.join(", "));
            return Err(Error::new(format!("`{name}` does not exist on {}", self.object().name)).help(help));
        }
        Ok(directive)
    }

    /// Adds a line.
    ///
    /// # Errors
    /// There is no such directive on this target, it is there already, or the value is out of its range.
    pub fn set(&mut self, name: &str, value: i64) -> Result<()> {
        let directive = self.find(name)?;
        let at = self.layout.directives.iter().position(|d| d.name == directive.name).unwrap_or(0);
        if self.values[at].is_some() {
            return Err(Error::new(format!("`{name}` is given twice")).help("remove one"));
        }
        let field = self.layout.field(self.object(), directive.sets).map_or(u64::from(u32::MAX), Field::largest);
        let largest = directive.limit(self.object()).unwrap_or(field).min(field);
        match u64::try_from(value) {
            Ok(value) if value <= largest => self.values[at] = Some(value),
            _ => return Err(Error::new(format!("`{name}` is {value}, which is out of range")).help(format!("0 to {largest}"))),
        }
        Ok(())
    }

    fn value(&self, name: &str) -> Option<u64> {
        self.layout.directives.iter().position(|d| d.name == name).and_then(|at| self.values[at])
    }

    /// The descriptor; the distance to the code is zero.
    ///
    /// # Errors
    /// A line is missing, or lines contradict each other or the target.
    pub fn finish(&self) -> Result<Descriptor> {
        let object = self.object();
        let missing = |d: &&Directive| d.required && d.on.has(object.target) && self.value(d.name).is_none();
        if let Some(directive) = self.layout.directives.iter().find(missing) {
            return Err(Error::new(format!("`{}` is missing", directive.name)).help(format!("it says: {}", directive.title)));
        }
        let mut descriptor = Descriptor { bytes: [0; SIZE] };
        for field in self.layout.fields_of(object) {
            descriptor.set(field, field.default(object));
        }
        let mut set = |name: &str, value: u64| {
            self.layout.field(object, name).into_iter().for_each(|f| descriptor.set(f, value));
        };
        set("enable_wavefront_size32", u64::from(self.wave == 32));
        for (directive, value) in self.layout.directives.iter().zip(&self.values) {
            value.filter(|_| !directive.sets.is_empty()).into_iter().for_each(|v| set(directive.sets, v));
        }
        let user = self.user_sgprs()?;
        set("user_sgpr_count", user);
        let vgprs = self.vgpr_units()?;
        set("granulated_workitem_vgpr_count", vgprs);
        set("granulated_wavefront_sgpr_count", self.sgpr_units(user)?);
        if let Some(offset) = self.value(".amdhsa_accum_offset") {
            set("accum_offset", self.accum_units(offset)?);
        }
        self.check_preload()?;
        self.check_shared(vgprs)?;
        Ok(descriptor)
    }

    /// Lanes of a wave.
    fn wave(&self) -> u32 {
        match self.value(".amdhsa_wavefront_size32") {
            Some(0) => 64,
            Some(_) => 32,
            None => self.wave,
        }
    }

    fn user_sgprs(&self) -> Result<u64> {
        let takes = |(directive, value): (&Directive, &Option<u64>)| match (directive.takes, value.unwrap_or(0)) {
            (_, 0) => 0,
            (Takes::Fixed(n), _) => u64::from(n),
            (Takes::Value, value) => value,
        };
        let implied: u64 = self.layout.directives.iter().zip(&self.values).map(takes).sum();
        let explicit = self.value(".amdhsa_user_sgpr_count");
        if let Some(explicit) = explicit.filter(|n| *n < implied) {
            let message =
                format!("`.amdhsa_user_sgpr_count` is {explicit}, and the other directives ask for {implied} user SGPRs");
            return Err(Error::new(message).help(format!("at least {implied}")));
        }
        let count = explicit.unwrap_or(implied);
        let largest = self.layout.field(self.object(), "user_sgpr_count").map_or(0, Field::largest);
        if count > largest {
            return Err(Error::new(format!("there are {count} user SGPRs, and a wave has at most {largest}")));
        }
        Ok(count)
    }

    fn vgpr_units(&self) -> Result<u64> {
        let unit = u64::from(self.object().vgprs[usize::from(self.wave() == 64)]);
        let count = self.value(".amdhsa_next_free_vgpr").unwrap_or(0);
        let units = count.max(1).div_ceil(unit) - 1;
        let largest = self.layout.field(self.object(), "granulated_workitem_vgpr_count").map_or(0, Field::largest);
        if units > largest {
            let help = format!("at most {}", (largest + 1) * unit);
            return Err(Error::new(format!("`.amdhsa_next_free_vgpr` is {count}, which is out of range")).help(help));
        }
        Ok(units)
    }

    /// Units of SGPRs, with what is reserved behind them.
    fn sgpr_units(&self, user: u64) -> Result<u64> {
        self.check_xnack()?;
        let Some(most) = self.object().sgprs else { return Ok(0) };
        let mut count = self.value(".amdhsa_next_free_sgpr").unwrap_or(0);
        if self.value(".amdhsa_user_sgpr_kernarg_preload_length").is_some_and(|n| n > 0) {
            count = count.max(user);
        }
        if count > u64::from(most) {
            let message = format!("`.amdhsa_next_free_sgpr` is {count}, which is out of range");
            return Err(Error::new(message).help(format!("at most {most}")));
        }
        let on = |name: &str| self.value(name) != Some(0);
        // Each reservation lies behind the ones before it: VCC, XNACK_MASK, FLAT_SCRATCH.
        let reserved = match () {
            () if self.layout.is(self.object(), "architected_flat_scratch") || on(".amdhsa_reserve_flat_scratch") => 6,
            () if self.target.xnack.on_or_any() => 4,
            () if on(".amdhsa_reserve_vcc") => 2,
            () => 0,
        };
        let units = (count + reserved).max(1).div_ceil(u64::from(SGPR_UNIT)) - 1;
        Ok(units)
    }

    fn check_xnack(&self) -> Result<()> {
        let expected = self.target.xnack.on_or_any();
        match self.value(".amdhsa_reserve_xnack_mask") {
            Some(value) if (value == 1) != expected => {
                let message = format!("`.amdhsa_reserve_xnack_mask` is {value}, which contradicts the target {}", self.target);
                Err(Error::new(message).help(format!("{}, or leave it away", u8::from(expected))))
            }
            _ => Ok(()),
        }
    }

    fn accum_units(&self, offset: u64) -> Result<u64> {
        if !(4..=256).contains(&offset) || !offset.is_multiple_of(4) {
            let message = format!("`.amdhsa_accum_offset` is {offset}, which is out of range");
            return Err(Error::new(message).help("4 to 256, in steps of 4"));
        }
        let vgprs = self.value(".amdhsa_next_free_vgpr").unwrap_or(0).max(1).next_multiple_of(4);
        if offset > vgprs {
            let message = format!("`.amdhsa_accum_offset` is {offset}, behind the {vgprs} VGPRs of `.amdhsa_next_free_vgpr`");
            return Err(Error::new(message).help(format!("at most {vgprs}")));
        }
        Ok(offset / 4 - 1)
    }

    fn check_preload(&self) -> Result<()> {
        let length = self.value(".amdhsa_user_sgpr_kernarg_preload_length").unwrap_or(0);
        let offset = self.value(".amdhsa_user_sgpr_kernarg_preload_offset").unwrap_or(0);
        let size = self.value(".amdhsa_kernarg_size").unwrap_or(0);
        if length > 0 && size > 0 && 4 * (length + offset) > size {
            let message = format!("arguments up to byte {} are preloaded, and there are {size}", 4 * (length + offset));
            return Err(Error::new(message).help("lower the preload's length or offset, or raise `.amdhsa_kernarg_size`"));
        }
        Ok(())
    }

    fn check_shared(&self, vgpr_units: u64) -> Result<()> {
        let shared = self.value(".amdhsa_shared_vgpr_count").unwrap_or(0);
        if shared > 0 && self.value(".amdhsa_wavefront_size32").is_some_and(|n| n > 0) {
            return Err(Error::new("`.amdhsa_shared_vgpr_count` needs waves of 64 lanes").help("`.amdhsa_wavefront_size32 0`"));
        }
        if 2 * shared + vgpr_units > 63 {
            let message = format!("{shared} units of shared VGPRs and {vgpr_units} of others do not fit");
            return Err(Error::new(message).help("twice the shared units and the others are at most 63"));
        }
        Ok(())
    }
}
