//! A source that counts, and the form in which its tokens are hashed.

use std::cell::OnceCell;
use std::path::PathBuf;

use proc_macro2::TokenTree;

use super::tokens::canonical;

/// A file, and what of it counts.
pub(super) struct CountedSource {
    pub(super) path: PathBuf,
    pub(super) tokens: Vec<TokenTree>,
    texts: OnceCell<Vec<String>>,
}

impl CountedSource {
    pub(super) fn new(path: PathBuf, tokens: Vec<TokenTree>) -> CountedSource {
        CountedSource { path, tokens, texts: OnceCell::new() }
    }

    /// The tokens in the form in which they are hashed.
    pub(super) fn texts(&self) -> &[String] {
        self.texts.get_or_init(|| canonical(&self.tokens))
    }
}
