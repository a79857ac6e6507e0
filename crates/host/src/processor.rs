//! Reads the description of the processor in /proc/cpuinfo.

use procfs_core::CpuInfo;

use crate::kernel_files::KernelFiles;

/// The description of the first CPU. On machines with several kinds of cores, the other CPUs may
/// differ.
pub(crate) struct Processor(CpuInfo);

impl Processor {
    pub(crate) fn read(files: &KernelFiles) -> Option<Processor> {
        files.parsed("/proc/cpuinfo").map(Processor)
    }

    /// Returns the processor's name followed by its family and model number, since a hypervisor
    /// may hide the model's name.
    pub(crate) fn name(&self) -> Option<String> {
        let field = |name| self.0.get_field(0, name);
        let name = field("model name")?;
        Some(match (field("cpu family"), field("model")) {
            (Some(family), Some(model)) => format!("{name}, family {family}, model {model}"),
            _ => name.to_owned(),
        })
    }

    /// Returns whether the processor has a feature, such as `constant_tsc`. `None` if the
    /// processor lists no features, as on Arm.
    pub(crate) fn has(&self, flag: &str) -> Option<bool> {
        Some(self.0.flags(0)?.contains(&flag))
    }
}
