//! The memory that a process uses, and the memory that the kernel uses on behalf of the process.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use procfs_core::process::{MemoryMap, MemoryMaps, Status};
use procfs_core::Meminfo;

use crate::control_groups::{field, ControlGroup, MadeGroup, PROCESSES};
use crate::kernel_files::KernelFiles;

/// The memory of a process, in bytes.
#[derive(Debug)]
pub struct ProcessMemory {
    /// The mapped address space, whether or not it has been touched.
    pub virtual_bytes: u64,
    /// Resident pages.
    pub resident_bytes: u64,
    /// The process's page tables, which are in the kernel's memory.
    pub page_table_bytes: u64,
}

impl ProcessMemory {
    /// Returns how much memory this process uses now.
    ///
    /// Fails if the kernel doesn't report this, for example outside Linux.
    pub fn now() -> Result<ProcessMemory, String> {
        let status = KernelFiles::of_this_computer().parsed("/proc/self/status");
        let of = |status: Status| {
            Some(ProcessMemory {
                virtual_bytes: status.vmsize? << 10,
                resident_bytes: status.vmrss? << 10,
                page_table_bytes: status.vmpte? << 10,
            })
        };
        told(status.and_then(of), "/proc/self/status tells no memory")
    }
}

/// Returns how many bytes are resident in the mappings of this process that contain one of
/// `addresses`. To measure stacks, pass an address on each stack.
///
/// Fails if the kernel doesn't report this, for example outside Linux.
pub fn resident_around(addresses: &BTreeSet<u64>) -> Result<u64, String> {
    let files = KernelFiles::of_this_computer();
    told(around(&files, addresses), "/proc/self/smaps tells no memory")
}

fn around(files: &KernelFiles, addresses: &BTreeSet<u64>) -> Option<u64> {
    let maps: MemoryMaps = files.parsed("/proc/self/smaps")?;
    let is_meant =
        |map: &&MemoryMap| addresses.range(map.address.0..map.address.1).next().is_some();
    maps.iter().filter(is_meant).map(|map| map.extension.map.get("Rss").copied()).sum()
}

/// The memory that the kernel itself uses on this computer, on behalf of all processes, in bytes.
#[derive(Debug)]
pub struct KernelMemory {
    /// The kernel's stacks, one per thread.
    pub stack_bytes: u64,
    /// The page tables of processes.
    pub page_table_bytes: u64,
    /// The slab, that is, the kernel's objects for threads, mappings, files, sockets and so on.
    pub slab_bytes: u64,
}

impl KernelMemory {
    /// Returns how much memory the kernel uses now.
    ///
    /// Fails if the kernel doesn't report this, for example outside Linux.
    pub fn now() -> Result<KernelMemory, String> {
        let memory = KernelFiles::of_this_computer().parsed("/proc/meminfo");
        let of = |memory: Meminfo| {
            Some(KernelMemory {
                stack_bytes: memory.kernel_stack?,
                page_table_bytes: memory.page_tables?,
                slab_bytes: memory.slab,
            })
        };
        told(memory.and_then(of), "/proc/meminfo tells no KernelStack, PageTables and Slab")
    }

    /// Returns the sum of stacks, page tables and slab.
    pub fn sum(&self) -> u64 {
        self.stack_bytes + self.page_table_bytes + self.slab_bytes
    }
}

fn told<T>(found: Option<T>, else_why: &str) -> Result<T, String> {
    found.ok_or_else(|| format!("{else_why}: Linux is needed"))
}

/// Returns whether this process has mapped a file, such as a library, whose file name begins with
/// `name`.
pub fn has_mapped(name: &str) -> bool {
    let mappings = KernelFiles::of_this_computer().text("/proc/self/maps");
    mappings.is_some_and(|mappings| mappings.contains(&format!("/{name}")))
}

/// A control group for a single process, which has to [join] it. The kernel adds up the
/// memory of the group, including the kernel's own memory for the process. Dropping this value
/// removes the group, provided that the process has exited.
pub struct MemoryGroup(MadeGroup);

impl MemoryGroup {
    /// Creates a group inside the group of this process or, if the kernel doesn't allow that,
    /// inside one of the groups that contain it.
    pub fn make() -> Result<MemoryGroup, String> {
        let files = KernelFiles::of_this_computer();
        let current = ControlGroup::limiting(&files, "memory");
        let parents = current.into_iter().flat_map(|group| group.directories);
        let groups = parents.filter_map(|parent| MadeGroup::below(&files.path(parent), "memory"));
        let group = groups.into_iter().find(|group| kernel_bytes(&group.0).is_ok());
        group.map(MemoryGroup).ok_or_else(|| {
            "the kernel's own memory is told for a control group, and none can be made here: be root, \
             with the memory controller"
                .to_owned()
        })
    }

    /// Returns the directory of the group.
    pub fn directory(&self) -> &Path {
        &self.0 .0
    }
}

/// Moves this process, with all its threads, into `group`.
pub fn join(group: &Path) -> Result<(), String> {
    let file = group.join(PROCESSES);
    fs::write(&file, std::process::id().to_string())
        .map_err(|error| format!("{}: {error}", file.display()))
}

/// Returns how much memory the kernel uses on behalf of a group's processes, in bytes: for
/// stacks, page tables, and objects for threads, mappings and sockets.
pub fn kernel_bytes(group: &Path) -> Result<u64, String> {
    let read = |name| fs::read_to_string(group.join(name)).ok();
    let version_1 = read("memory.kmem.usage_in_bytes");
    let told = version_1.and_then(|text| text.trim().parse().ok());
    told.or_else(|| field(&read("memory.stat")?, "kernel"))
        .ok_or_else(|| format!("{} does not tell the kernel's memory", group.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_files::tests::made;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_touched_is_resident_and_what_is_not_is_virtual() {
        const BYTES: usize = 32 << 20;
        let before = ProcessMemory::now().unwrap();
        let touched = std::hint::black_box(vec![1_u8; BYTES]);
        let with_it = ProcessMemory::now().unwrap();
        let untouched = std::hint::black_box(vec![0_u8; BYTES]);
        let after = ProcessMemory::now().unwrap();
        let (half, bytes) = (BYTES as u64 / 2, BYTES as u64);
        assert!(with_it.resident_bytes >= before.resident_bytes + half, "{before:?} {with_it:?}");
        assert!(after.virtual_bytes >= with_it.virtual_bytes + bytes, "{with_it:?} {after:?}");
        assert!(after.resident_bytes < with_it.resident_bytes + half, "{with_it:?} {after:?}");
        drop((touched, untouched));
    }

    #[test]
    fn mappings_count_in_which_an_address_lies() {
        let maps = "/proc/self/smaps 1000-3000 rw-p 00000000 00:00 0 \nSize: 8 kB\nRss: 4 kB\n\
                    3000-4000 ---p 00000000 00:00 0 \nSize: 4 kB\nRss: 0 kB\n\
                    4000-8000 rw-p 00000000 00:00 0 \nSize: 16 kB\nRss: 8 kB\n";
        let (_root, files) = made(maps);
        for (addresses, bytes) in
            [([0x1000, 0x2fff], 4 << 10), ([0x2000, 0x4000], 12 << 10), ([0x3000, 0x8000], 0)]
        {
            assert_eq!(around(&files, &addresses.into()), Some(bytes));
        }
        assert_eq!(around(&made("").1, &BTreeSet::new()), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_kernel_has_stacks_tables_and_objects() {
        let memory = KernelMemory::now().unwrap();
        let text = fs::read_to_string("/proc/meminfo").unwrap();
        for (name, bytes) in [
            ("KernelStack:", memory.stack_bytes),
            ("PageTables:", memory.page_table_bytes),
            ("Slab:", memory.slab_bytes),
        ] {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap();
            let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
            // The bounds are wide because other tests run in this process at the same time.
            assert!((kib / 2..2 * kib).contains(&(bytes >> 10)), "{line} {memory:?}");
        }
    }

    #[test]
    fn the_kernels_memory_is_told_in_either_version() {
        let (_root, files) = made(
            "/1/memory.kmem.usage_in_bytes 40960\n\
             /2/memory.stat anon 4096\nkernel_stack 16384\nkernel 81920",
        );
        let told = ["/1", "/2", "/3"].map(|group| kernel_bytes(&files.path(group)).ok());
        assert_eq!(told, [Some(40_960), Some(81_920), None]);
    }
}
