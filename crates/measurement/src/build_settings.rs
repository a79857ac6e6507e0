//! The hash of what the compiler is told: the same workload, built in another way, is another time.

use std::collections::BTreeSet;
use std::env::consts::{ARCH, OS};
use std::path::Path;

use toml::{Table, Value};

use crate::manifest::{read_table, texts, Manifest, ManifestError};
use crate::workload::Hasher;

/// What the compiler is told for a package's program, when it is built for measuring: 16 hexadecimal
/// digits. What counts is
///
/// - `[profile.release]` in the workspace's manifest, with the profiles of single packages in it, and
///   the workspace's resolver;
/// - the package's edition, and its features that are on: `features`, and what these turn on by its
///   manifest. `["default"]` is the same as a list of all that its default features are;
/// - `rustc`, its version, such as `1.95.0`, and the system and the processor that it compiles for,
///   taken to be these;
/// - what `.cargo/config.toml` beside the workspace's manifest says about flags, linkers, targets and
///   the release profile;
/// - `rustflags`, those of the environment: what is in `CARGO_ENCODED_RUSTFLAGS`, else in `RUSTFLAGS`,
///   else nothing. Flags by which one build is to differ from the next, such as a seed for the order of
///   sections, do not belong there.
///
/// # Errors
///
/// If a manifest or the configuration cannot be read.
pub fn hash(
    root_manifest: &Path,
    package_manifest: &Path,
    rustc: &str,
    features: &[&str],
    rustflags: &str,
) -> Result<String, ManifestError> {
    let root = Manifest::read(root_manifest)?;
    let package = Manifest::read(package_manifest)?;
    let mut hasher = Hasher::default();
    hasher.text(rustc);
    hasher.text(ARCH);
    hasher.text(OS);
    // Either variable's separator.
    let flags = rustflags.split(|c: char| c.is_whitespace() || c == '\x1f');
    let flags: Vec<String> = flags.filter(|f| !f.is_empty()).map(str::to_owned).collect();
    hasher.texts(&flags);
    let workspace = root.table.get("workspace");
    setting(&mut hasher, "profile", root.table.get("profile").and_then(|all| all.get("release")));
    setting(&mut hasher, "resolver", workspace.and_then(|workspace| workspace.get("resolver")));
    let edition = package.in_package("edition").map(|edition| {
        let is_inherited = edition.get("workspace").is_some();
        let shared = workspace.and_then(|workspace| workspace.get("package")?.get("edition"));
        shared.filter(|_| is_inherited).unwrap_or(edition)
    });
    setting(&mut hasher, "edition", edition);
    hasher.texts(&turned_on(package.table.get("features"), features));
    let configuration = root_manifest.with_file_name(".cargo").join("config.toml");
    if configuration.is_file() {
        let configuration = read_table(&configuration)?;
        for (table, keys) in CONFIGURED {
            let table = configuration.get(table);
            for key in keys {
                setting(&mut hasher, key, table.and_then(|table| table.get(key)));
            }
        }
        setting(&mut hasher, "target", configuration.get("target"));
    }
    Ok(hasher.finish())
}

/// What counts of Cargo's configuration, by table; besides, all that it says of targets.
const CONFIGURED: [(&str, &[&str]); 2] = [
    ("build", &["rustc", "rustc-wrapper", "rustc-workspace-wrapper", "rustflags", "target"]),
    ("profile", &["release"]),
];

/// The features that `features` turn on, and they themselves; but `default` is only what it turns on.
fn turned_on(table: Option<&Value>, features: &[&str]) -> BTreeSet<String> {
    let mut on = BTreeSet::new();
    let mut waiting: Vec<String> = features.iter().map(|&feature| feature.to_owned()).collect();
    while let Some(feature) = waiting.pop() {
        if on.insert(feature.clone()) {
            waiting.extend(texts(table.and_then(|table| table.get(&feature))));
        }
    }
    on.remove("default");
    on
}

/// Hashes a setting, whatever the order of its keys.
fn setting(hasher: &mut Hasher, name: &str, value: Option<&Value>) {
    hasher.text(name);
    match value {
        None => hasher.text("unset"),
        Some(Value::Table(table)) => settings(hasher, table),
        Some(Value::Array(values)) => {
            hasher.text(&values.len().to_string());
            for value in values {
                setting(hasher, "element", Some(value));
            }
        }
        Some(value) => hasher.text(&value.to_string()),
    }
}

fn settings(hasher: &mut Hasher, table: &Table) {
    let mut keys: Vec<&String> = table.keys().collect();
    keys.sort();
    hasher.text(&keys.len().to_string());
    for key in keys {
        setting(hasher, key, table.get(key));
    }
}
