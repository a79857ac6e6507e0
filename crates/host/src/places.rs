//! Determines which cores share execution units, a cache or a socket.

use crate::cores::usable;
use crate::kernel_files::KernelFiles;

/// How far apart two processors are, from near to far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Apart {
    /// Two hardware threads of one core.
    Sibling,
    /// Two cores that share the last-level cache.
    SameCache,
    /// Two cores of one socket with separate last-level caches.
    SameSocket,
    /// Two processors in different sockets, and therefore on different memory nodes.
    OtherSocket,
}

impl Apart {
    /// All distances, from near to far.
    pub const ALL: [Apart; 4] =
        [Apart::Sibling, Apart::SameCache, Apart::SameSocket, Apart::OtherSocket];

    /// Returns the distance as a name, for use as the value of a parameter.
    pub fn name(self) -> &'static str {
        match self {
            Apart::Sibling => "sibling",
            Apart::SameCache => "same cache",
            Apart::SameSocket => "same socket",
            Apart::OtherSocket => "other socket",
        }
    }
}

/// Returns the first two processors of this process that are this far apart, as indices into
/// [`usable`].
///
/// Fails if no two processors are this far apart, or if the kernel doesn't report their
/// distances. The error lists the distances that exist.
pub fn pair(apart: Apart) -> Result<(usize, usize), String> {
    pair_of(&KernelFiles::of_this_computer(), &usable()?, apart)
}

struct Place {
    /// Lists of processors in the kernel's format. `core` lists the processors of this core, and
    /// `cache` those that share the last-level cache.
    core: String,
    cache: String,
    socket: u64,
}

impl Place {
    fn of(files: &KernelFiles, cpu: usize) -> Option<Place> {
        let directory = format!("/sys/devices/system/cpu/cpu{cpu}");
        let core = files.text(format!("{directory}/topology/thread_siblings_list"))?;
        let caches = (0..8).filter_map(|index| {
            let cache = format!("{directory}/cache/index{index}");
            let level = files.number(format!("{cache}/level"))?;
            Some((level, files.text(format!("{cache}/shared_cpu_list"))?))
        });
        Some(Place {
            // If no caches are reported, as on some virtual machines, a core is treated as if it
            // were the cache.
            cache: caches.max_by_key(|(level, _)| *level).map_or_else(|| core.clone(), |it| it.1),
            socket: files.number(format!("{directory}/topology/physical_package_id"))?,
            core,
        })
    }

    fn from(&self, other: &Place) -> Apart {
        if self.core == other.core {
            Apart::Sibling
        } else if self.cache == other.cache {
            Apart::SameCache
        } else if self.socket == other.socket {
            Apart::SameSocket
        } else {
            Apart::OtherSocket
        }
    }
}

fn pair_of(files: &KernelFiles, cpus: &[usize], apart: Apart) -> Result<(usize, usize), String> {
    let places: Option<Vec<Place>> = cpus.iter().map(|cpu| Place::of(files, *cpu)).collect();
    let places = places.ok_or("the kernel does not tell where its processors are")?;
    let others = |first: usize| (first + 1..places.len()).map(move |other| (first, other));
    let pairs = || (0..places.len()).flat_map(others);
    let distance = |(one, other): (usize, usize)| places[one].from(&places[other]);
    pairs().find(|pair| distance(*pair) == apart).ok_or_else(|| {
        let there: Vec<&str> =
            Apart::ALL.into_iter().filter(|it| pairs().any(|pair| distance(pair) == *it)).map(Apart::name).collect();
        let (count, wanted) = (places.len(), apart.name());
        if there.is_empty() {
            format!("2 processors are needed, and this process may use {count}")
        } else {
            format!(
                "no two of the {count} processors that this process may use are as far apart as {wanted:?}: there is {}",
                there.join(", ")
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_files::tests::made;

    /// Returns the kernel's files for a machine with these numbers of sockets, caches per socket,
    /// cores per cache and threads per core. Sibling threads are numbered consecutively.
    fn machine([sockets, caches, cores, threads]: [usize; 4]) -> String {
        let count = sockets * caches * cores * threads;
        let list = |size: usize, cpu: usize| {
            let first = cpu / size * size;
            if size == 1 {
                first.to_string()
            } else {
                format!("{first}-{}", first + size - 1)
            }
        };
        let of = |cpu: usize| {
            let directory = format!("/sys/devices/system/cpu/cpu{cpu}");
            format!(
                "{directory}/topology/thread_siblings_list {}\n{directory}/topology/physical_package_id {}\n\
                 {directory}/cache/index0/level 1\n{directory}/cache/index0/shared_cpu_list {}\n\
                 {directory}/cache/index1/level 3\n{directory}/cache/index1/shared_cpu_list {}\n",
                list(threads, cpu),
                cpu / (caches * cores * threads),
                list(threads, cpu),
                list(cores * threads, cpu)
            )
        };
        (0..count).map(of).collect()
    }

    #[test]
    fn each_distance_that_a_machine_has_is_a_pair_and_others_say_what_there_is() {
        use Apart::{OtherSocket, SameCache, SameSocket, Sibling};
        for (shape, pairs) in [
            ([1, 1, 1, 1], vec![]),
            ([1, 1, 2, 1], vec![(SameCache, (0, 1))]),
            ([1, 1, 2, 2], vec![(Sibling, (0, 1)), (SameCache, (0, 2))]),
            ([1, 2, 4, 2], vec![(Sibling, (0, 1)), (SameCache, (0, 2)), (SameSocket, (0, 8))]),
            (
                [2, 4, 8, 2],
                vec![
                    (Sibling, (0, 1)),
                    (SameCache, (0, 2)),
                    (SameSocket, (0, 16)),
                    (OtherSocket, (0, 64)),
                ],
            ),
        ] {
            let (_root, files) = made(&machine(shape));
            let cpus: Vec<usize> = (0..shape.iter().product()).collect();
            for apart in Apart::ALL {
                let found = pair_of(&files, &cpus, apart);
                match pairs.iter().find(|(of, _)| *of == apart) {
                    Some((_, pair)) => assert_eq!(found, Ok(*pair), "{shape:?}: {apart:?}"),
                    None => {
                        assert!(found.unwrap_err().contains("processors"), "{shape:?}: {apart:?}")
                    }
                }
            }
        }
        // The returned indices are positions in the list of usable cores.
        let (_root, files) = made(&machine([2, 1, 2, 2]));
        assert_eq!(pair_of(&files, &[1, 3, 6], OtherSocket), Ok((0, 2)));
        let (_root, files) = made("");
        assert!(pair_of(&files, &[0, 1], SameCache).unwrap_err().contains("does not tell"));
    }
}
