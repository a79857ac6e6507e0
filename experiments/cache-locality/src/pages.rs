//! Memory in pages of a chosen size.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// The size of a huge page in bytes, if the kernel has huge pages.
const HUGE: usize = 2 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pages {
    Small,
    Huge,
}

impl Pages {
    pub(crate) const BOTH: [Pages; 2] = [Pages::Small, Pages::Huge];

    pub(crate) fn contender(self) -> &'static str {
        match self {
            Pages::Small => "small pages",
            Pages::Huge => "huge pages",
        }
    }

    /// Checks that the kernel provides pages of this size.
    ///
    /// # Errors
    ///
    /// If the kernel provides no such pages.
    pub(crate) fn can_be_had(self) -> Result<(), String> {
        let mut memory = Memory::map(HUGE, self)?;
        memory[0] = 1;
        if self == Pages::Huge && memory.huge_share()? == 0.0 {
            return Err("the kernel gives no huge pages: see \
                 /sys/kernel/mm/transparent_hugepage/enabled"
                .to_owned());
        }
        Ok(())
    }
}

/// Mapped memory that begins on the boundary of a huge page. The kernel
/// creates each page when it is first touched.
pub(crate) struct Memory {
    map: MmapMut,
    begins: usize,
    bytes: usize,
}

impl Memory {
    /// Maps `bytes` bytes, and asks the kernel to use pages of the size
    /// `pages`.
    ///
    /// # Errors
    ///
    /// If the kernel refuses.
    pub(crate) fn map(bytes: usize, pages: Pages) -> Result<Memory, String> {
        // The extra memory leaves room for whole huge pages, wherever the
        // mapping begins.
        let room = bytes.next_multiple_of(HUGE) + HUGE;
        let map = MmapMut::map_anon(room)
            .map_err(|error| format!("no {bytes} bytes: {error}"))?;
        platform::ask_for(pages == Pages::Huge, &map)?;
        let begins = map.as_ptr().align_offset(HUGE);
        Ok(Memory { map, begins, bytes })
    }

    /// Returns the share of the resident memory in huge pages, from 0 to 1,
    /// according to `/proc/self/smaps`.
    ///
    /// # Errors
    ///
    /// If the kernel doesn't report the share.
    pub(crate) fn huge_share(&self) -> Result<f64, String> {
        platform::huge_share(self.as_ptr().addr() as u64)
    }
}

impl Deref for Memory {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map[self.begins..][..self.bytes]
    }
}

impl DerefMut for Memory {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.map[self.begins..][..self.bytes]
    }
}

#[cfg(target_os = "linux")]
mod platform {
    use memmap2::{Advice, MmapMut};
    use procfs_core::process::MemoryMaps;
    use procfs_core::FromRead;

    pub(super) fn ask_for(huge: bool, map: &MmapMut) -> Result<(), String> {
        let advice = if huge { Advice::HugePage } else { Advice::NoHugePage };
        match map.advise(advice) {
            Err(error) if huge => {
                Err(format!("the kernel knows no huge pages: {error}"))
            }
            // A kernel without huge pages also refuses the advice to use
            // small pages, so this error is ignored.
            _ => Ok(()),
        }
    }

    pub(super) fn huge_share(address: u64) -> Result<f64, String> {
        let maps = MemoryMaps::from_file("/proc/self/smaps")
            .map_err(|error| error.to_string())?;
        let is_here = |map: &&procfs_core::process::MemoryMap| {
            (map.address.0..map.address.1).contains(&address)
        };
        let map = maps.0.iter().find(is_here);
        let field = |name| map?.extension.map.get(name).copied();
        match (field("AnonHugePages"), field("Rss")) {
            (Some(huge), Some(resident)) if resident > 0 => {
                Ok(huge as f64 / resident as f64)
            }
            _ => Err("/proc/self/smaps does not tell".to_owned()),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use memmap2::MmapMut;

    const REASON: &str = "pages are asked for on Linux only";

    pub(super) fn ask_for(_huge: bool, _map: &MmapMut) -> Result<(), String> {
        Err(REASON.to_owned())
    }

    pub(super) fn huge_share(_address: u64) -> Result<f64, String> {
        Err(REASON.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_pages_are_small_and_huge_ones_huge_where_there_are_any() {
        for pages in Pages::BOTH {
            // Without huge pages in this kernel, there is nothing to test.
            if pages.can_be_had().is_err() {
                continue;
            }
            let mut memory = Memory::map(3 * HUGE, pages).unwrap();
            memory.fill(1);
            assert_eq!(memory.len(), 3 * HUGE);
            assert!(memory.as_ptr().addr().is_multiple_of(HUGE));
            let share = memory.huge_share().unwrap();
            match pages {
                Pages::Small => assert_eq!(share, 0.0),
                // Some of the memory may be in small pages, because the
                // kernel may have run out of huge ones.
                Pages::Huge => assert!((0.0..=1.0).contains(&share)),
            }
        }
    }
}
