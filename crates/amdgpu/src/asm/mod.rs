//! The assembler: a file of assembly, line by line, into sections, symbols and fixups.
