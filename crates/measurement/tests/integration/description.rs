//! Tests that a machine.json is either read or rejected, and that the error names the line and
//! the field.

use measurement::named_machine::NamedMachine;

const KETTLE: &str = r#"{
  "name": "a kettle",
  "short": "Kettle",
  "machine": "kettle-1",
  "cpu": "Kettle",
  "architecture": "x86_64",
  "cpus": 2,
  "caches": {
    "L1d": "32K"
  },
  "memory_bytes": 25276510208,
  "os": "linux"
}
"#;

#[test]
fn what_is_written_is_read() {
    assert_eq!(NamedMachine::parse(KETTLE).unwrap().to_json(), KETTLE);
}

#[test]
fn what_no_machine_is_is_refused_with_its_line() {
    let long = format!("\"short\": {:?}", "k".repeat(201));
    for (from, to, line, why) in [
        ("\"cpus\": 2", "\"cpus\": 4000000000", 7, "`cpus` is 4000000000, which no machine has"),
        ("\"cpus\": 2", "\"cpus\": 0", 7, "`cpus` is 0, which no machine has"),
        (
            "\"cpus\": 2",
            "\"cpus\": \"two\"",
            7,
            "`cpus`: invalid type: string \"two\", expected usize",
        ),
        ("\"cpus\": 2,", "", 13, "missing field `cpus`"),
        ("\"cpus\": 2", "\"cpus\": 2, \"cpus\": 3", 7, "duplicate field `cpus`"),
        ("\"cpus\": 2", "\"cups\": 2", 7, "unknown field `cups`"),
        ("\"cpus\": 2", "\"cpus\": 2, \"short\": \"a\"", 7, "`short` stands twice"),
        ("\"32K\"", "\"32K\",\n\"L1d\": \"48K\"", 11, "the key \"L1d\" stands twice"),
        ("25276510208", "12", 11, "`memory_bytes` is 12, which no machine has"),
        ("25276510208", "9000000000000000000", 11, "`memory_bytes` is 9000000000000000000"),
        ("\"a kettle\"", "\" \"", 2, "`name`, what people call the machine, is missing or empty"),
        ("\"Kettle\",", "\"K\u{202e}ettle\",", 3, "`short` has the invisible character U+202E"),
        (
            "\"cpu\": \"Kettle\"",
            "\"cpu\": \"K\\u2066\"",
            5,
            "`cpu` has the invisible character U+2066",
        ),
        ("\"short\": \"Kettle\"", &long, 3, "`short` has 201 characters, 200 are the most"),
        ("kettle-1", "../kettle-1", 4, "machine \"../kettle-1\" is not a name"),
        ("\"os\"", "os", 12, "`memory_bytes`: key must be a string"),
        ("\"linux\"\n}", "\"linux\"\n}\n}", 14, "trailing characters"),
    ] {
        assert!(KETTLE.contains(from), "{from}");
        let error = NamedMachine::parse(&KETTLE.replacen(from, to, 1)).unwrap_err();
        assert!(error.line == line && error.message.contains(why), "{to}: {error}");
    }
    assert_eq!(NamedMachine::parse("").unwrap_err().line, 1);
}
