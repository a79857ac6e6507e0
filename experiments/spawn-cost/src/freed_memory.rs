//! Makes the process keep freed memory instead of returning it to the kernel.

/// Makes glibc's allocator keep freed memory, as it does after a program has
/// freed a large block. Otherwise, a batch of tasks or threads that carry
/// state may return memory to the kernel, and the next batch pays page faults
/// to get it back. The faults cost many times as much as the state itself,
/// and depend on what ran before.
pub(crate) fn keep() {
    const LARGE: usize = 24 << 20;
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGE)));
}
