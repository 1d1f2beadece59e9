//! Immediates that are written as words: wait counters, messages, hardware registers, swizzles, lane patterns, export targets.
