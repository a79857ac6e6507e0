//! The hypervisor of this computer and the features that it offers its guests, as reported by the
//! CPUID instruction.

use std::collections::BTreeMap;

/// The description that the hypervisor gives of itself. Unknown fields are absent.
#[derive(Default)]
pub(crate) struct Hypervisor {
    /// The signature, such as `KVMKVMKVM`.
    pub(crate) signature: Option<String>,
    /// The features that the hypervisor offers, by name, each with its purpose. Known only for
    /// KVM, and limited to the features in [`OFFERED`].
    pub(crate) offered: BTreeMap<String, String>,
}

/// Features of KVM that change the cost of waking a core: the bit, the kernel's name without
/// `KVM_FEATURE_`, and the purpose (Linux 6.18, `arch/x86/include/uapi/asm/kvm_para.h`).
const OFFERED: [(u32, &str, &str); 4] = [
    (9, "PV_TLB_FLUSH", "leave the TLB of a core that doesn't run to be flushed later"),
    (11, "PV_SEND_IPI", "interrupt several cores at once"),
    (12, "POLL_CONTROL", "switch off the host's polling for a halted core"),
    (13, "PV_SCHED_YIELD", "yield to a core that was interrupted and doesn't run"),
];

const KVM: &str = "KVMKVMKVM";

impl Hypervisor {
    /// Asks the processor which hypervisor is present. Returns `None` if there is none, or if
    /// this processor lacks the CPUID instruction.
    pub(crate) fn ask() -> Option<Hypervisor> {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::__cpuid;
            /// The bit of CPUID leaf 1, ECX, that hypervisors set. On a real processor, it is
            /// clear.
            const IS_GUEST: u32 = 1 << 31;
            let registers = |leaf| {
                let found = __cpuid(leaf);
                [found.eax, found.ebx, found.ecx, found.edx]
            };
            (__cpuid(1).ecx & IS_GUEST != 0).then(|| told(registers))
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }
}

/// Parses what CPUID reports about the hypervisor. `leaf` returns the registers EAX to EDX for
/// the number of a leaf.
fn told(leaf: impl Fn(u32) -> [u32; 4]) -> Hypervisor {
    let signature = |base: u32| {
        let [_, first, second, third] = leaf(base);
        let bytes = [first, second, third].into_iter().flat_map(u32::to_le_bytes);
        let bytes: Vec<u8> = bytes.filter(u8::is_ascii_graphic).collect();
        String::from_utf8(bytes).unwrap_or_default()
    };
    // If the hypervisor also offers the interface of another one, KVM's leaves begin at a higher
    // number. Linux finds them by the same search.
    let bases = (0x4000_0000..0x4001_0000).step_by(0x100);
    let kvm = bases.map(|base: u32| (base, signature(base))).find(|(_, it)| it == KVM);
    let Some((base, kvm)) = kvm else {
        let other = Some(signature(0x4000_0000)).filter(|it| !it.is_empty());
        return Hypervisor { signature: other, ..Hypervisor::default() };
    };
    let features = leaf(base + 1)[0];
    let is_offered = |(bit, ..): &(u32, &str, &str)| features & (1 << bit) != 0;
    let offered = OFFERED.into_iter().filter(is_offered);
    let offered = offered.map(|(_, name, purpose)| (name.to_owned(), purpose.to_owned()));
    Hypervisor { signature: Some(kvm), offered: offered.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the registers EAX to EDX that CPUID returns for a signature.
    fn signed(signature: &str) -> [u32; 4] {
        let mut bytes = signature.as_bytes().to_vec();
        bytes.resize(12, 0);
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        [0, word(0), word(4), word(8)]
    }

    #[test]
    fn kvm_tells_what_it_offers_and_nobody_else_is_asked() {
        let all = "PV_TLB_FLUSH PV_SEND_IPI POLL_CONTROL PV_SCHED_YIELD";
        for (base, signature, features, told_signature, offered) in [
            (0x4000_0000, KVM, 0x0100_7efb, KVM, all),
            (0x4000_0000, KVM, 1 << 12, KVM, "POLL_CONTROL"),
            (0x4000_0000, KVM, !0b11_1010_0000_0000, KVM, ""),
            // KVM, with Hyper-V's interface in the leaves before its own.
            (0x4000_0100, KVM, 1 << 9, KVM, "PV_TLB_FLUSH"),
            (0x4000_0000, "Microsoft Hv", u32::MAX, "MicrosoftHv", ""),
            (0x4000_0000, "XenVMMXenVMM", u32::MAX, "XenVMMXenVMM", ""),
        ] {
            let found = told(|leaf| match leaf {
                it if it == base => signed(signature),
                it if it == base + 1 => [features, 0, 0, 0],
                0x4000_0000 => signed("Microsoft Hv"),
                _ => [0; 4],
            });
            assert_eq!(found.signature.as_deref(), Some(told_signature));
            let names = offered.split_whitespace().map(|name| {
                assert!(found.offered.contains_key(name), "{name}");
            });
            assert_eq!(names.count(), found.offered.len(), "{:?}", found.offered);
        }
        assert_eq!(told(|_| [0; 4]).signature, None);
    }
}
