//! Reads from the kernel how often other cores have interrupted a core.

use std::fs;

/// The name of the quantity that counts rescheduling interrupts of the
/// server's core. Another core sends one to announce a thread to run, or work
/// for the running thread.
pub(crate) const INTERRUPTS: &str = "interrupts per message";

/// Returns how many rescheduling interrupts `cpu` has received from other
/// cores.
///
/// # Errors
///
/// If the kernel doesn't report the count.
pub(crate) fn interrupts(cpu: usize) -> Result<u64, String> {
    let table = fs::read_to_string("/proc/interrupts")
        .map_err(|error| format!("/proc/interrupts: {error}"))?;
    rescheduling(&table, cpu).ok_or_else(|| {
        format!("/proc/interrupts has no line RES with a column CPU{cpu}")
    })
}

/// Returns the number of rescheduling interrupts of `cpu` in `table`, the
/// content of `/proc/interrupts`.
fn rescheduling(table: &str, cpu: usize) -> Option<u64> {
    let mut lines = table.lines();
    let cpus = lines.next()?.split_whitespace();
    let place = cpus.clone().position(|it| it == format!("CPU{cpu}"))?;
    let line = lines.find_map(|line| line.trim_start().strip_prefix("RES:"))?;
    line.split_whitespace().nth(place)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::rescheduling;

    #[test]
    fn a_cpu_is_found_by_its_name_and_not_by_its_place() {
        let table = "            CPU0       CPU2\n LOC:  7  8  Local timer interrupts\n RES:  40  41  Rescheduling interrupts\n";
        assert_eq!(rescheduling(table, 0), Some(40));
        assert_eq!(rescheduling(table, 2), Some(41));
        assert_eq!(rescheduling(table, 1), None);
        assert_eq!(rescheduling("CPU0\n LOC: 7\n", 0), None);
    }
}
