//! Default names for this computer, until somebody enters better ones.

use measurement::machine::Machine;
use measurement::named_machine::NamedMachine;

/// Names a machine after its processor. The generation of the processor has to be added by hand.
pub fn named(machine: Machine) -> NamedMachine {
    let makers =
        [("Intel", "an Intel"), ("AMD", "an AMD"), ("Apple", "an Apple"), ("ARM", "an Arm")];
    let maker = makers.iter().find(|(maker, _)| machine.cpu.contains(maker));
    let (short, kind) = maker.map_or((&*machine.cpu, "a"), |(short, article)| (*short, *article));
    let cores = match (machine.virtual_machine == Some(true), machine.cpus) {
        (true, 1) => "virtual core",
        (true, _) => "virtual cores",
        (false, 1) => "logical processor",
        (false, _) => "logical processors",
    };
    let name = format!("{kind} machine, {} {cores}", machine.cpus);
    NamedMachine { name, short: short.to_owned(), facts: machine }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_called_by_its_maker_and_its_processors() {
        let names = |facts: &str| {
            let text = format!(r#"{{"machine":"a","architecture":"a","os":"a",{facts}}}"#);
            let NamedMachine { name, short, .. } = named(Machine::parse(&text).unwrap());
            [name, short]
        };
        let intel =
            r#""cpu":"Intel(R) Xeon(R) Processor, family 6","cpus":1,"virtual_machine":true"#;
        assert_eq!(names(intel), ["an Intel machine, 1 virtual core", "Intel"]);
        let kettle = r#""cpu":"Kettle","cpus":2"#;
        assert_eq!(names(kettle), ["a machine, 2 logical processors", "Kettle"]);
    }
}
