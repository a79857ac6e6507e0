//! How often each core was interrupted, by the kernel's own count: what a stall may
//! have been that was not the host's.

use std::time::Instant;

use host::cores::usable;

use super::Place;

const FILE: &str = "/proc/interrupts";

/// The interrupts of each core until an instant.
pub(super) struct CoreInterrupts {
    at: Instant,
    table: String,
}

impl CoreInterrupts {
    /// # Errors
    ///
    /// If the kernel does not tell.
    pub(super) fn now() -> Result<CoreInterrupts, String> {
        let table = std::fs::read_to_string(FILE)
            .map_err(|error| format!("{FILE}: {error}"))?;
        Ok(CoreInterrupts { at: Instant::now(), table })
    }

    /// A core's, of all kinds, a second.
    ///
    /// # Errors
    ///
    /// If the kernel's table has no such core.
    pub(super) fn per_second_since(
        &self,
        earlier: &CoreInterrupts,
        Place(place): Place,
    ) -> Result<f64, String> {
        let core = usable()?[place];
        let count = |table: &str| {
            of_core(table, core)
                .ok_or_else(|| format!("{FILE} has no column CPU{core}"))
        };
        let more = count(&self.table)?.saturating_sub(count(&earlier.table)?);
        let seconds = self.at.duration_since(earlier.at).as_secs_f64();
        Ok(more as f64 / seconds)
    }
}

/// The sum of a core's column. Rows without a column for each core, such as `ERR`,
/// count for the first cores, and hardly ever count anything.
fn of_core(table: &str, core: usize) -> Option<u64> {
    let mut lines = table.lines();
    let name = format!("CPU{core}");
    let column = lines.next()?.split_whitespace().position(|it| it == name)?;
    let count = |line: &str| {
        // The first is the name of the interrupt.
        let count = line.split_whitespace().nth(column + 1)?;
        count.parse::<u64>().ok()
    };
    Some(lines.filter_map(count).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_has_the_interrupts_of_its_column() {
        let table = "\
           CPU0       CPU3
 36:          0    2181123 PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0
LOC:         25         17   Local timer interrupts
ERR:          0
";
        assert_eq!(of_core(table, 0), Some(25));
        assert_eq!(of_core(table, 3), Some(2_181_140));
        assert_eq!(of_core(table, 1), None);
    }
}
