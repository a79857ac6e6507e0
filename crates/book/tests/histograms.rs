//! `cargo book measure` keeps histograms beside the rows, with a program that only prints what it is given.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use book::histograms;
use mdbook_measured::data::paths::histograms_file;
use mdbook_measured::{DataScope, driver};
use measurement::{METHOD, Run};
use tempfile::TempDir;

const ROWS: &str = "data/kettle-1/tea/serve.jsonl";

struct Book(TempDir);

impl Book {
    fn new() -> Book {
        let book = Book(tempfile::tempdir().unwrap());
        let write = |file: &str, text: &str| {
            fs::create_dir_all(book.path(file).parent().unwrap()).unwrap();
            fs::write(book.path(file), text).unwrap();
        };
        let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../mdbook-measured/tests/fixture/");
        for file in ["book.toml", "data/published/claims.toml"] {
            write(file, &fs::read_to_string(format!("{fixture}{file}")).unwrap());
        }
        write("src/SUMMARY.md", "# Summary\n\n- [Tea](tea.md)\n");
        write("src/tea.md", "# Tea\n\nIs hot.\n");
        // It is no cargo, and builds nothing.
        write("experiments/tea/src/main.rs", "");
        write("cargo", "#!/bin/sh\nexec cat printed\n");
        fs::set_permissions(book.path("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
        book
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn histograms(&self) -> PathBuf {
        self.path("data/kettle-1").join(histograms_file("tea", "serve"))
    }

    fn measure(&self, day: &str, histograms: &str) -> Output {
        let header = format!(
            r#"{{"run":"{day}T10:12:00Z","machine":"kettle-1","chapter":"tea","experiment":"serve","profile":"quick","commit":"","method":{METHOD},"rustc":"1.95.0","crates":{{}},"load":0.0,"processes":2,"rounds":1}}"#
        );
        let row = |quantity: &str, figures: &str| {
            format!(
                r#"{{"contender":"kettle","parameters":{{"litres":1}},"quantity":"{quantity}",{figures}}}"#
            )
        };
        let throughput = row(
            "throughput",
            &format!(
                r#""unit":"1/s","estimate":30.0,"low":20.0,"high":40.0,"points":[20.0,40.0],"window":{{{histograms}"achieved":[20.0,40.0],"errors":[0,1]}},"source":"harness""#
            ),
        );
        let p50 = row(
            "latency p50",
            r#""unit":"ns","estimate":7.0,"low":5.0,"high":7.0,"points":[5.0,7.0],"source":"histogram""#,
        );
        fs::write(self.path("printed"), format!("{header}\n{throughput}\n{p50}\n")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
        command.current_dir(self.0.path()).args(["measure", "tea", "--machine", "kettle-1"]);
        command.env("CARGO", self.path("cargo")).output().unwrap()
    }
}

const TWO: &str = r#""histogram":["5x3","7x8 2"],"#;

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn histograms_go_beside_the_rows() {
    let book = Book::new();
    for day in ["2026-11-28", "2026-11-29"] {
        let output = book.measure(day, TWO);
        assert!(output.status.success(), "{}", message(&output));
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("Wrote data/kettle-1/tea/serve.histograms.jsonl.gz"), "{said}");
    }
    let runs = Run::parse_all(&fs::read_to_string(book.path(ROWS)).unwrap()).unwrap();
    assert_eq!(runs.len(), 2);
    let kept = histograms::read(&fs::read(book.histograms()).unwrap()).unwrap();
    assert_eq!(kept.len(), 2);
    for (run, of_cell) in runs.iter().zip(kept) {
        let [throughput, p50] = &run.rows[..] else { panic!("{run:?}") };
        assert_eq!((&of_cell.run, &of_cell.contender), (&run.header.run, &throughput.contender));
        assert_eq!((&of_cell.parameters, &of_cell.twin_of), (&throughput.parameters, &None));
        let texts: Vec<String> = of_cell.histogram.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["5x3", "7x8 2"]);
        let window = throughput.measured().unwrap().window.clone().unwrap();
        assert_eq!((window.histogram.len(), window.errors), (0, vec![0, 1]));
        assert_eq!(p50.measured().unwrap().estimate, 7.0);
    }
}

#[test]
fn without_histograms_there_is_no_file_of_them() {
    let book = Book::new();
    let output = book.measure("2026-11-28", "");
    assert!(output.status.success(), "{}", message(&output));
    assert!(book.path(ROWS).is_file());
    assert!(!book.histograms().exists());
}

/// What is wrong with a file of histograms is found by who would append to it, and by nobody who renders.
#[test]
fn rendering_never_opens_histograms_and_none_is_appended_to_what_is_broken() {
    let book = Book::new();
    assert!(book.measure("2026-11-28", TWO).status.success());
    let (whole, rows) = (fs::read(book.histograms()).unwrap(), fs::read(book.path(ROWS)).unwrap());
    for broken in [&whole[..whole.len() - 9], b"no gzip", b""] {
        fs::write(book.histograms(), broken).unwrap();
        driver::build(book.0.path(), DataScope::WithLocal).unwrap();
        let output = book.measure("2026-11-29", TWO);
        assert_eq!(output.status.code(), Some(1), "{}", message(&output));
        let said = "data/kettle-1/tea/serve.histograms.jsonl.gz:";
        assert!(message(&output).contains(said), "{}", message(&output));
        assert!(message(&output).contains("the run is kept in "), "{}", message(&output));
        assert_eq!(fs::read(book.histograms()).unwrap(), broken);
        assert_eq!(fs::read(book.path(ROWS)).unwrap(), rows);
    }
}
