//! The hash of a workload's own files: what a time depends on besides the versions of the crates.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Hashes a package's `Cargo.toml` and all Rust files under its `src/`: 16 hexadecimal digits. Ends of
/// lines count as `\n`, so that a checkout on Windows gives the same hash.
///
/// # Errors
///
/// If a file cannot be read.
pub fn hash(package: &Path) -> io::Result<String> {
    let mut files = vec![package.join("Cargo.toml")];
    collect(&package.join("src"), &mut files)?;
    files.sort();
    let mut hasher = Sha256::new();
    for file in files {
        let name = file.strip_prefix(package).unwrap_or(&file);
        let name = name.components().map(|part| part.as_os_str().to_string_lossy());
        let text = fs::read_to_string(&file)?.replace("\r\n", "\n");
        hasher.update(name.collect::<Vec<_>>().join("/"));
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    Ok(hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") && !hidden {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_follows_the_files_and_not_the_ends_of_their_lines() {
        let package = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(package.path().join(name), text).unwrap();
        fs::create_dir(package.path().join("src")).unwrap();
        write("Cargo.toml", "[package]\n");
        write("src/lib.rs", "fn a() {}\nfn b() {}\n");
        let first = hash(package.path()).unwrap();
        assert_eq!(first.len(), 16);
        write("src/lib.rs", "fn a() {}\r\nfn b() {}\r\n");
        assert_eq!(hash(package.path()).unwrap(), first);
        write("src/lib.rs", "fn a() {}\nfn c() {}\n");
        assert_ne!(hash(package.path()).unwrap(), first);
        write("src/lib.rs", "fn a() {}\nfn b() {}\n");
        write("src/.lib.rs.swp", "what an editor leaves");
        write("src/.more.rs", "");
        assert_eq!(hash(package.path()).unwrap(), first);
        write("src/more.rs", "");
        assert_ne!(hash(package.path()).unwrap(), first);
    }
}
