//! A copy of the fixture book, to be changed and built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A copy of the fixture book.
pub(crate) struct Copy(TempDir);

impl Copy {
    pub(crate) fn new() -> Copy {
        let copy = Copy(tempfile::tempdir().unwrap());
        copy_directory(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture"), copy.0.path());
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

    /// Replaces a text that stands in the file.
    pub(crate) fn change(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "{file} has no {from:?}");
        self.write(file, &text.replacen(from, to, 1));
    }

    pub(crate) fn build(&self) -> Output {
        Command::new(env!("CARGO_BIN_EXE_book")).current_dir(self.0.path()).output().unwrap()
    }

    /// Builds, and expects an error with all of these texts.
    pub(crate) fn refused(&self, expected: &[&str]) {
        let output = self.build();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        for expected in expected {
            assert!(message.contains(expected), "{message}\nhas no {expected:?}");
        }
        assert!(!self.path("book").exists(), "something was written");
    }
}

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_directory(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

pub(crate) const PAGE: &str = "src/tea.md";
pub(crate) const DATA: &str = "data/kettle-1/tea.jsonl";
