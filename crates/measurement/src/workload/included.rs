//! What tokens include: files whose content counts as if it stood there.

use std::path::{Path, PathBuf};

use proc_macro2::TokenTree;

use super::tokens::{content, is_punct, text};

/// A file that tokens include.
pub(super) enum Included {
    /// By `include!` or `include_str!`.
    Text(PathBuf),
    /// By `include_bytes!`.
    Bytes(PathBuf),
}

/// The files that tokens of a file in `directory` include and name by a literal.
pub(super) fn included(tokens: &[TokenTree], directory: &Path, files: &mut Vec<Included>) {
    for (place, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        let content = content(group);
        included(&content, directory, files);
        let [.., TokenTree::Ident(name), bang] = &tokens[..place] else {
            continue;
        };
        let literal = match content.as_slice() {
            [TokenTree::Literal(literal)] => text(&literal.to_string()),
            [TokenTree::Literal(literal), comma] if is_punct(comma, ',') => {
                text(&literal.to_string())
            }
            _ => None,
        };
        if let (true, Some(literal)) = (is_punct(bang, '!'), literal) {
            let path = directory.join(literal);
            if name == "include_bytes" {
                files.push(Included::Bytes(path));
            } else if name == "include" || name == "include_str" {
                files.push(Included::Text(path));
            }
        }
    }
}
