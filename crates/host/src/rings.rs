//! Checks whether this process can create io_uring rings. If it can't, says why.

use crate::how_many::{lockable, GLOMMIO_LOCKS};
use crate::kernel_files::KernelFiles;

/// Checks that this process can create an io_uring. The kernel's switch, a filter such as
/// Docker's, or the limit on locked memory may prevent it.
///
/// Fails with the kernel's error, an explanation, and a remedy.
pub fn room_for_ring() -> Result<(), String> {
    tried().map_err(|error| {
        let switch = KernelFiles::of_this_computer().number("/proc/sys/kernel/io_uring_disabled");
        format!(
            "no ring of io_uring can be made here: {error}{}",
            meaning(error.raw_os_error(), switch)
        )
    })
}

#[cfg(target_os = "linux")]
fn tried() -> std::io::Result<()> {
    io_uring::IoUring::new(2).map(drop)
}

#[cfg(not(target_os = "linux"))]
fn tried() -> std::io::Result<()> {
    Err(std::io::Error::other("io_uring is Linux's"))
}

/// Explains an error of `io_uring_setup`. `switch` is the value of the kernel's setting
/// `io_uring_disabled`.
fn meaning(error: Option<i32>, switch: Option<u64>) -> String {
    const EPERM: i32 = 1;
    const ENOMEM: i32 = 12;
    const ENOSYS: i32 = 38;
    match (error, switch) {
        (Some(EPERM), Some(switch @ 1..)) => format!(
            "; the kernel's switch is {switch}, and 0 allows it: sudo sysctl kernel.io_uring_disabled=0"
        ),
        (Some(EPERM), _) => {
            "; a filter forbids it, as Docker's does: docker run --security-opt seccomp=unconfined".to_owned()
        }
        (Some(ENOSYS), _) => "; the kernel has none, or a container's filter says so".to_owned(),
        (Some(ENOMEM), _) => locked("Cannot allocate memory"),
        _ => String::new(),
    }
}

/// Returns a remedy if `error` is about locked memory, and an empty string otherwise.
pub fn locked(error: &str) -> String {
    let is_of_memory =
        ["Cannot allocate memory", "MemLockLimit"].iter().any(|words| error.contains(words));
    if !is_of_memory {
        return String::new();
    }
    // The limit applies to the sum of all rings of a user.
    let allowed = match lockable(&KernelFiles::of_this_computer()) {
        None => String::new(),
        Some(bytes) => format!(", {bytes} bytes"),
    };
    format!(
        "; rings need locked memory, and all rings of a user share RLIMIT_MEMLOCK{allowed}; a Glommio executor needs \
         {GLOMMIO_LOCKS}: ulimit -l 8192"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_refuses_a_ring_is_named_with_what_to_do() {
        for (error, switch, expected) in [
            (Some(1), Some(0), "seccomp=unconfined"),
            (Some(1), None, "seccomp=unconfined"),
            (
                Some(1),
                Some(2),
                "switch is 2, and 0 allows it: sudo sysctl kernel.io_uring_disabled=0",
            ),
            (Some(38), Some(0), "a container's filter says so"),
            (Some(12), Some(0), "RLIMIT_MEMLOCK"),
        ] {
            let found = meaning(error, switch);
            assert!(found.contains(expected), "{error:?}, {switch:?}: {found}");
        }
        assert_eq!(meaning(Some(22), Some(0)), "");
        assert_eq!(locked("Invalid argument"), "");
        assert!(locked("Cannot allocate memory").contains("RLIMIT_MEMLOCK"));
    }
}
