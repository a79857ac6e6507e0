//! A source that counts, and the form in which its tokens are hashed.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use proc_macro2::TokenTree;

use super::included::{included, Included};
use super::tokens::canonical;

/// A file, and what of it counts.
pub(super) struct CountedSource {
    pub(super) path: PathBuf,
    pub(super) tokens: Vec<TokenTree>,
    // Several experiments run most files, and either takes long to find out.
    texts: OnceCell<Vec<String>>,
    included: OnceCell<Vec<Included>>,
}

impl CountedSource {
    pub(super) fn new(path: PathBuf, tokens: Vec<TokenTree>) -> CountedSource {
        CountedSource { path, tokens, texts: OnceCell::new(), included: OnceCell::new() }
    }

    /// The tokens in the form in which they are hashed.
    pub(super) fn texts(&self) -> &[String] {
        self.texts.get_or_init(|| canonical(&self.tokens))
    }

    /// The files that it includes and names by a literal.
    pub(super) fn included(&self) -> &[Included] {
        self.included.get_or_init(|| {
            let mut files = Vec::new();
            let directory = self.path.parent().unwrap_or(Path::new(""));
            included(&self.tokens, directory, &mut files);
            files
        })
    }
}
