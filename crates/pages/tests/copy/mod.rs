//! A copy of the example book (the fixture), which a test can change and build.

use std::fs;
use std::path::{Path, PathBuf};

use findings::DataScope;
use pages::driver;
use tempfile::TempDir;

pub(crate) struct Copy(TempDir);

impl Copy {
    pub(crate) fn new() -> Copy {
        let copy = Copy(tempfile::tempdir().unwrap());
        // The path starts with `..` because the tests of the crate `book` use this module, too.
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pages/tests/fixture");
        for file in FILES {
            copy.write(file, &fs::read_to_string(fixture.join(file)).unwrap());
        }
        copy
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        fs::write(self.path(file), text).unwrap();
    }

    /// Replaces the first occurrence of `from` in the file by `to`. Panics if there is none.
    pub(crate) fn change(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "{file} has no {from:?}");
        self.write(file, &text.replacen(from, to, 1));
    }

    pub(crate) fn build(&self) -> Result<(), String> {
        let built = driver::build(self.0.path(), DataScope::WithLocal);
        built.map(drop).map_err(|error| format!("{error:#}"))
    }

    /// Builds the copied book, and expects an error whose message contains each of these strings.
    pub(crate) fn refused(&self, expected: &[&str]) {
        let message = self.build().expect_err("it was built");
        for expected in expected {
            assert!(message.contains(expected), "{message}\nhas no {expected:?}");
        }
        assert!(!self.path("book").exists(), "something was written");
    }
}

const FILES: [&str; 6] = [
    "book.toml",
    "src/SUMMARY.md",
    PAGE,
    DATA,
    "data/kettle-1/machine.json",
    "data/published/claims.toml",
];

pub(crate) const PAGE: &str = "src/tea.md";
pub(crate) const DATA: &str = "data/kettle-1/tea/boil.jsonl";
