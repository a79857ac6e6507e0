//! Memory that is freed stays with the process.

/// Has glibc's allocator keep what is freed, as it does in a program that has
/// freed a large block before. Else each batch of units that carry state may
/// give their memory back to the kernel, and the next one gets it by page
/// faults: that costs many times what the state itself does, and whether it
/// happens depends on what ran before.
pub(crate) fn keep() {
    const LARGE: usize = 24 << 20;
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGE)));
}
