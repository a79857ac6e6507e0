//! Tests the description of idle cores, for several kinds of machines.

use measurement::machine::Machine;

/// Returns a machine with the required fields and the fields in `known`.
fn machine(known: &str) -> Machine {
    let text = r#"{"machine":"a","cpu":"a","architecture":"a","cpus":1,"os":"a""#;
    Machine::parse(&format!("{text},{known}}}")).unwrap()
}

const POLL: &str = r#"{"name":"POLL","description":"CPUIDLE CORE POLL IDLE","latency_us":0}"#;

fn haltpoll(limit: &str) -> String {
    format!(
        r#""virtual_machine":true,"idle_driver":"haltpoll","idle_governor":"haltpoll","haltpoll":
        {{"guest_halt_poll_ns":"{limit}"}},"idle_states":[{POLL},
        {{"name":"haltpoll idle","description":"default architecture idle","latency_us":1}}]"#
    )
}

fn with_states(driver: &str, states: &str) -> String {
    format!(
        r#""virtual_machine":false,"idle_driver":"{driver}","idle_governor":"menu","idle_states":[{POLL},
        {states}]"#
    )
}

#[test]
fn what_idling_means_is_said() {
    let intel = r#"{"name":"C1","description":"MWAIT 0x00","latency_us":2},
        {"name":"C1E","description":"MWAIT 0x01","latency_us":4,"disabled":true},
        {"name":"C6","description":"MWAIT 0x20","latency_us":133}"#;
    let amd = r#"{"name":"C1","description":"ACPI FFH MWAIT 0x0","latency_us":1},
        {"name":"C2","description":"ACPI IOPORT 0x814","latency_us":18}"#;
    let arm = r#"{"name":"WFI","description":"ARM WFI","latency_us":1}"#;
    let through = "a wake-up across cores costs an interrupt through the hypervisor";
    let nothing = "the request in /dev/cpu_dma_latency is accepted and does nothing";
    let none = r#""idle_driver":"none","idle_governor":"menu""#;
    let earlier = r#""virtual_machine":true,"idle_governor":"haltpoll","kernel_parameters":
        {"haltpoll.guest_halt_poll_ns":"0"}"#;
    for (known, setting, sentence) in [
        (haltpoll("0"), "haltpoll, halts at once", format!("idle cores halt at once: {through}")),
        (
            haltpoll("0") + r#","paravirtual":{"POLL_CONTROL":"a"}"#,
            "haltpoll, halts at once",
            format!(
                "idle cores halt at once, and the host does not poll for them either: {through}"
            ),
        ),
        (
            haltpoll("200000"),
            "haltpoll, polls up to 200 us",
            "idle cores poll for up to 200 us, then they halt: only a wake-up that comes later costs an \
             interrupt through the hypervisor"
                .to_owned(),
        ),
        // A description that was written before the idle driver was recorded.
        (earlier.to_owned(), "haltpoll, halts at once", format!("idle cores halt at once: {through}")),
        (haltpoll("1500"), "haltpoll, polls up to 1.5 us", String::new()),
        (
            format!(r#""virtual_machine":true,{none}"#),
            "no driver",
            format!("no idle driver: an idle core halts, and {through}; {nothing}"),
        ),
        (
            format!(r#""virtual_machine":false,{none}"#),
            "no driver",
            format!(
                "no idle driver: an idle core halts, or waits in MWAIT where the processor has that; {nothing}"
            ),
        ),
        (
            format!(r#""kernel_parameters":{{"idle":"poll"}},{none}"#),
            "idle=poll",
            "idle cores poll, always (`idle=poll`): a wake-up across cores needs no interrupt".to_owned(),
        ),
        (
            with_states("intel_idle", intel),
            "menu, C1 2 us, C6 133 us",
            "an idle core waits in MWAIT (C1, C6) and is woken by a store; leaving C6 takes 133 us"
                .to_owned(),
        ),
        (
            with_states("acpi_idle", amd),
            "menu, C1 1 us, C2 18 us",
            "an idle core waits in MWAIT (C1) and is woken by a store; one in C2 is woken by an interrupt; \
             leaving C2 takes 18 us"
                .to_owned(),
        ),
        (
            with_states("psci_idle", arm),
            "menu, WFI 1 us",
            "an idle core in WFI is woken by an interrupt; leaving WFI takes 1 us".to_owned(),
        ),
    ] {
        let machine = machine(&known);
        assert_eq!(machine.idle_setting().as_deref(), Some(setting));
        if !sentence.is_empty() {
            assert_eq!(machine.idling().unwrap(), sentence);
        }
        assert_eq!(Machine::parse(&machine.to_json()), Ok(machine));
    }
    // Without the governor's limit or the driver's states, there is nothing to describe.
    for known in [
        r#""kernel":"6""#,
        r#""idle_governor":"menu""#,
        r#""idle_driver":"haltpoll","idle_governor":"haltpoll""#,
    ] {
        let machine = machine(known);
        assert_eq!((machine.idle_setting(), machine.idling()), (None, None));
    }
}
