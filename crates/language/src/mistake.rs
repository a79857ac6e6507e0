//! Mistakes in the files of a book, with their places.

/// A mistake in a file, displayed as `src/spawn-cost.md:41: ...`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {}", measurement::shortened(message))]
pub struct Mistake {
    /// The path of the file, relative to the book's root.
    pub file: String,
    /// The line number, counted from 1.
    pub line: usize,
    /// What is wrong, what is expected, and what to do about it.
    pub message: String,
}

/// Returns the line number, counted from 1, of a byte offset in `text`.
pub fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

/// All mistakes in a book. A build reports as many as it finds, instead of only the first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mistakes(pub Vec<Mistake>);

impl Mistakes {
    /// Returns `found` if there are no mistakes. Otherwise fails with them.
    pub fn or<T>(self, found: T) -> Result<T, Mistakes> {
        if self.0.is_empty() { Ok(found) } else { Err(self) }
    }
}

impl std::fmt::Display for Mistakes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut mistakes: Vec<&Mistake> = self.0.iter().collect();
        mistakes.sort_by_key(|mistake| (&mistake.file, mistake.line));
        for (index, mistake) in mistakes.into_iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{mistake}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Mistakes {}
