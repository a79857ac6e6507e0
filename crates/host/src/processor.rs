//! What the processor says of itself.

use procfs_core::CpuInfo;

use crate::kernel_files::KernelFiles;

/// The first of the CPUs: they are alike but where a machine has several kinds.
pub(crate) struct Processor(CpuInfo);

impl Processor {
    pub(crate) fn read(files: &KernelFiles) -> Option<Processor> {
        files.parsed("/proc/cpuinfo").map(Processor)
    }

    /// Its name. A hypervisor may hide the model, so family and model stand beside it.
    pub(crate) fn name(&self) -> Option<String> {
        let field = |name| self.0.get_field(0, name);
        let name = field("model name")?;
        Some(match (field("cpu family"), field("model")) {
            (Some(family), Some(model)) => format!("{name}, family {family}, model {model}"),
            _ => name.to_owned(),
        })
    }

    /// Whether it has a feature, such as `constant_tsc`; `None` where it tells none, as on Arm.
    pub(crate) fn has(&self, flag: &str) -> Option<bool> {
        Some(self.0.flags(0)?.contains(&flag))
    }
}
