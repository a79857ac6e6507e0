//! Tells the harness at compile time which version of rustc compiles it. The
//! same version compiles every workload.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = std::env::var_os("RUSTC").expect("cargo names the compiler");
    let output = std::process::Command::new(rustc).arg("--version").output();
    let output = output.expect("cargo's compiler runs");
    // For example "rustc 1.95.0 (59807616e 2026-04-14)".
    let text = String::from_utf8(output.stdout).expect("a version is text");
    let version =
        text.split_whitespace().nth(1).expect("a version follows the name");
    println!("cargo::rustc-env=HARNESS_RUSTC={version}");
}
