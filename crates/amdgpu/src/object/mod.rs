//! Code objects: ELF files for AMDHSA, their notes and kernel descriptors, and bundles of them.
