//! How much memory a process has, and the kernel for it, by the kernel's own figures.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use procfs_core::process::{MemoryMap, MemoryMaps, Status};
use procfs_core::Meminfo;

use crate::control_groups::{ControlGroup, ControlGroupVersion};
use crate::kernel_files::KernelFiles;

/// The file with the ids of a group's processes.
const PROCESSES: &str = "cgroup.procs";

/// How often it is tried to remove a group whose last process is ending.
const REMOVALS: usize = 20;

/// The memory of a process, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessMemory {
    /// Addresses that are mapped, touched or not.
    pub virtual_bytes: u64,
    /// Pages that are in memory.
    pub resident_bytes: u64,
    /// The tables that say where these pages are, which the kernel holds.
    pub page_table_bytes: u64,
}

impl ProcessMemory {
    /// That of this process, at this moment.
    ///
    /// # Errors
    ///
    /// If the kernel does not tell, as elsewhere than on Linux.
    pub fn now() -> Result<ProcessMemory, String> {
        let status = KernelFiles::of_this_computer().parsed("/proc/self/status");
        let memory = status.as_ref().and_then(ProcessMemory::of);
        memory.ok_or_else(|| "/proc/self/status tells no memory: Linux is needed".to_owned())
    }

    fn of(status: &Status) -> Option<ProcessMemory> {
        const KIB: u64 = 1024;
        Some(ProcessMemory {
            virtual_bytes: status.vmsize? * KIB,
            resident_bytes: status.vmrss? * KIB,
            page_table_bytes: status.vmpte? * KIB,
        })
    }
}

/// How much is in memory of those mappings of this process in which the addresses lie, in bytes: of
/// stacks, if something on each is named.
///
/// # Errors
///
/// If the kernel does not tell, as elsewhere than on Linux.
pub fn resident_around(addresses: &BTreeSet<u64>) -> Result<u64, String> {
    around(&KernelFiles::of_this_computer(), addresses)
        .ok_or_else(|| "/proc/self/smaps tells no memory: Linux is needed".to_owned())
}

fn around(files: &KernelFiles, addresses: &BTreeSet<u64>) -> Option<u64> {
    let maps: MemoryMaps = files.parsed("/proc/self/smaps")?;
    let is_meant = |map: &&MemoryMap| {
        let (begin, end) = map.address;
        addresses.range(begin..end).next().is_some()
    };
    let resident = |map: &MemoryMap| map.extension.map.get("Rss").copied();
    maps.iter().filter(is_meant).map(resident).sum()
}

/// What the kernel itself holds on this computer, for whatever process, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelMemory {
    /// Its own stacks, of which each thread has one.
    pub stack_bytes: u64,
    /// The tables that say where the pages of processes are.
    pub page_table_bytes: u64,
    /// Slab: its objects, such as those for threads, mappings, files and sockets.
    pub slab_bytes: u64,
}

impl KernelMemory {
    /// At this moment.
    ///
    /// # Errors
    ///
    /// If the kernel does not tell, as elsewhere than on Linux.
    pub fn now() -> Result<KernelMemory, String> {
        KernelMemory::told(&KernelFiles::of_this_computer()).ok_or_else(|| {
            "/proc/meminfo tells no KernelStack, PageTables and Slab: Linux is needed".to_owned()
        })
    }

    fn told(files: &KernelFiles) -> Option<KernelMemory> {
        let memory: Meminfo = files.parsed("/proc/meminfo")?;
        Some(KernelMemory {
            stack_bytes: memory.kernel_stack?,
            page_table_bytes: memory.page_tables?,
            slab_bytes: memory.slab,
        })
    }

    /// All of these.
    pub fn sum(&self) -> u64 {
        self.stack_bytes + self.page_table_bytes + self.slab_bytes
    }
}

/// Whether this process has mapped a file whose name begins so, such as a library.
pub fn has_mapped(name: &str) -> bool {
    maps(&KernelFiles::of_this_computer(), name)
}

fn maps(files: &KernelFiles, name: &str) -> bool {
    let mappings = files.text("/proc/self/maps").unwrap_or_default();
    mappings.lines().any(|line| line.contains(&format!("/{name}")))
}

/// A control group whose memory the kernel adds up, for one process that [joins](join) it: also what
/// the kernel itself needs for the process. Removed when dropped, if that process has ended.
#[derive(Debug)]
pub struct MemoryGroup {
    directory: PathBuf,
}

impl MemoryGroup {
    /// Makes one, below the group of this process or, where the kernel allows none there, around it.
    ///
    /// # Errors
    ///
    /// If none can be made, with what is needed.
    pub fn make() -> Result<MemoryGroup, String> {
        let files = KernelFiles::of_this_computer();
        let current = ControlGroup::limiting(&files, "memory");
        let name = format!("threads-tasks-and-cores-memory-{}", std::process::id());
        for parent in current.iter().flat_map(ControlGroup::and_those_around) {
            let directory = files.path(parent).join(&name);
            // One that another process of this id has left behind will do.
            drop(fs::create_dir(&directory));
            let group = MemoryGroup { directory };
            if kernel_bytes(&group.directory).is_ok() {
                return Ok(group);
            }
        }
        Err("the kernel's own memory is told for a control group, and none can be made here: be root, \
             with the memory controller"
            .to_owned())
    }

    /// Its directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        for _ in 0..REMOVALS {
            if fs::remove_dir(&self.directory).is_ok() || !self.directory.exists() {
                return;
            }
            sleep(Duration::from_millis(5));
        }
    }
}

/// Puts this process, with all its threads, into a group.
///
/// # Errors
///
/// If the kernel does not allow it.
pub fn join(group: &Path) -> Result<(), String> {
    let file = group.join(PROCESSES);
    fs::write(&file, std::process::id().to_string())
        .map_err(|error| format!("{}: {error}", file.display()))
}

/// What the kernel itself holds for the processes of a group, in bytes: stacks, page tables, its
/// objects for threads, mappings, sockets.
///
/// # Errors
///
/// If the kernel does not tell.
pub fn kernel_bytes(group: &Path) -> Result<u64, String> {
    let read = |name| fs::read_to_string(group.join(name)).ok();
    let version_1 = read("memory.kmem.usage_in_bytes");
    let told = version_1.and_then(|text| text.trim().parse().ok());
    told.or_else(|| field(&read("memory.stat")?, "kernel"))
        .ok_or_else(|| format!("{} does not tell the kernel's memory", group.display()))
}

/// What a process may have in a group, and has, in bytes; `None` for what is not told or not limited.
/// Files that the kernel may drop at any time do not count.
pub(crate) fn limit_and_use(
    files: &KernelFiles,
    version: ControlGroupVersion,
    group: &Path,
) -> (Option<u64>, Option<u64>) {
    // What version 1 says where it sets no limit: the greatest number of whole pages.
    const NO_LIMIT: u64 = 1 << 62;
    let (used, dropped) = match version {
        ControlGroupVersion::One => ("memory.usage_in_bytes", "total_inactive_file"),
        ControlGroupVersion::Two => ("memory.current", "inactive_file"),
    };
    let limit = files.number(group.join(version.memory_limit())).filter(|&limit| limit < NO_LIMIT);
    let statistics = files.text(group.join("memory.stat")).unwrap_or_default();
    let dropped = field(&statistics, dropped).unwrap_or(0);
    let used = files.number(group.join(used));
    (limit, used.map(|used| used.saturating_sub(dropped)))
}

/// The field of that name in a group's `memory.stat`.
fn field(text: &str, name: &str) -> Option<u64> {
    let mut fields = text.lines().filter_map(|line| line.split_once(' '));
    fields.find(|(field, _)| *field == name)?.1.trim().parse().ok()
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

    #[cfg(target_os = "linux")]
    #[test]
    fn a_stack_is_in_memory_where_something_lies_on_it() {
        const BYTES: usize = 64 << 10;
        let large = std::hint::black_box([1_u8; BYTES]);
        let address = large.as_ptr().addr() as u64;
        let stack = resident_around(&BTreeSet::from([address, address + 1])).unwrap();
        assert!((BYTES as u64..64 << 20).contains(&stack), "{stack}");
        assert_eq!(resident_around(&BTreeSet::new()), Ok(0));
    }

    #[test]
    fn mappings_count_in_which_an_address_lies() {
        let maps = "1000-3000 rw-p 00000000 00:00 0 \nSize: 8 kB\nRss: 4 kB\n\
                    3000-4000 ---p 00000000 00:00 0 \nSize: 4 kB\nRss: 0 kB\n\
                    4000-8000 rw-p 00000000 00:00 0 \nSize: 16 kB\nRss: 8 kB\n";
        let (_root, files) = made(&[("/proc/self/smaps", maps)]);
        let of = |addresses: &[u64]| around(&files, &addresses.iter().copied().collect());
        assert_eq!(of(&[0x1000, 0x2fff]), Some(4096));
        assert_eq!(of(&[0x2000, 0x4000]), Some(3 * 4096));
        assert_eq!(of(&[0x3000, 0x8000]), Some(0));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_kernel_has_stacks_tables_and_objects() {
        let memory = KernelMemory::now().unwrap();
        let KernelMemory { stack_bytes, page_table_bytes, slab_bytes } = memory;
        assert!([stack_bytes, page_table_bytes, slab_bytes].iter().all(|&bytes| bytes > 0));
    }

    #[test]
    fn what_the_kernel_holds_are_its_stacks_tables_and_objects() {
        // What procfs asks for, each the power of two of its place, in KiB.
        let names = [
            "MemTotal",
            "MemFree",
            "Buffers",
            "Cached",
            "SwapCached",
            "Active",
            "Inactive",
            "SwapTotal",
            "SwapFree",
            "Dirty",
            "Writeback",
            "Mapped",
            "Slab",
            "KernelStack",
            "PageTables",
            "Committed_AS",
            "VmallocTotal",
            "VmallocUsed",
            "VmallocChunk",
        ];
        let line = |(place, name): (usize, &&str)| format!("{name}: {} kB\n", 1 << place);
        let text: String = names.iter().enumerate().map(line).collect();
        let (_root, files) = made(&[("/proc/meminfo", &text)]);
        let memory = KernelMemory::told(&files).unwrap();
        let KernelMemory { stack_bytes, page_table_bytes, slab_bytes } = memory;
        assert_eq!([slab_bytes, stack_bytes, page_table_bytes], [4 << 20, 8 << 20, 16 << 20]);
        assert_eq!(memory.sum(), 28 << 20);
    }

    #[test]
    fn who_tells_no_kernel_memory_has_none() {
        let (_root, files) = made(&[]);
        assert_eq!(KernelMemory::told(&files), None);
        assert_eq!(around(&files, &BTreeSet::new()), None);
    }

    #[test]
    fn a_library_is_known_by_the_beginning_of_its_name() {
        let mapping = "7f00-7f01 r--p 00000000 fe:01 1234  /usr/lib/libmimalloc.so.2.0\n";
        let (_root, files) = made(&[("/proc/self/maps", mapping)]);
        assert!(maps(&files, "libmimalloc.so.2"));
        assert!(!maps(&files, "malloc.so.2"));
    }

    #[test]
    fn the_kernels_memory_is_told_in_either_version() {
        let one = made(&[("/a/memory.kmem.usage_in_bytes", "40960\n")]);
        assert_eq!(kernel_bytes(&one.1.path("/a")), Ok(40_960));
        let two = made(&[("/a/memory.stat", "anon 4096\nkernel_stack 16384\nkernel 81920\n")]);
        assert_eq!(kernel_bytes(&two.1.path("/a")), Ok(81_920));
        assert!(kernel_bytes(&two.1.path("/b")).is_err());
    }

    #[test]
    fn what_the_kernel_may_drop_is_no_use() {
        let (_root, files) = made(&[
            ("/two/memory.max", "max\n"),
            ("/two/memory.current", "5000\n"),
            ("/two/memory.stat", "inactive_file 2000\n"),
            ("/one/memory.limit_in_bytes", "9223372036854771712\n"),
            ("/one/memory.usage_in_bytes", "700\n"),
            ("/least/memory.max", "4096\n"),
        ]);
        let of = |version, group| limit_and_use(&files, version, Path::new(group));
        assert_eq!(of(ControlGroupVersion::Two, "/two"), (None, Some(3_000)));
        assert_eq!(of(ControlGroupVersion::One, "/one"), (None, Some(700)));
        assert_eq!(of(ControlGroupVersion::Two, "/least"), (Some(4_096), None));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_group_goes_when_it_is_dropped() {
        // Who is not root may make none.
        let Ok(group) = MemoryGroup::make() else { return };
        let directory = group.directory().to_owned();
        assert!(directory.is_dir());
        drop(group);
        assert!(!directory.exists());
    }
}
