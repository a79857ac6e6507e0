//! `memory limits` names the limit that refuses, for each that a test may really
//! lower: beforehand, and after it was tried.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A user who is not root, and owns nothing here.
const NOBODY: u32 = 65_534;

/// What `memory limits` with these arguments says, started by Bash, which does
/// something first.
fn limits(first: &str, arguments: &str) -> Output {
    shell(first, arguments).output().expect("there is a shell")
}

fn shell(first: &str, arguments: &str) -> Command {
    let program = env!("CARGO_BIN_EXE_memory");
    let mut shell = Command::new("bash");
    let line = format!("{first} && exec \"{program}\" limits {arguments}");
    shell.args(["-c", &line]).env_remove("RUST_BACKTRACE");
    shell
}

fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    out + &err
}

#[test]
fn what_fits_is_said_to_fit() {
    let output = limits("true", "--want 10 threads");
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("10 threads fit."), "{}", text(&output));
}

#[test]
fn too_many_threads_are_refused_with_the_limit_and_what_raises_it() {
    let output = limits("true", "--want 100000000000 threads");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("do not fit: "), "{}", text(&output));
    assert!(text(&output).contains("sudo sysctl "), "{}", text(&output));
}

#[test]
fn what_is_no_count_or_kind_is_refused() {
    let no_count = limits("true", "--want many threads");
    assert!(text(&no_count).contains("\"many\" is no count"));
    let no_kind = limits("true", "--want 5 fibres");
    assert!(text(&no_kind).contains("none of threads, tasks and sockets"));
}

#[test]
fn open_files_limit_sockets() {
    let lowered = "ulimit -n 60";
    let foretold = text(&limits(lowered, "--want 100 sockets"));
    assert!(
        foretold.contains("do not fit: RLIMIT_NOFILE refuses"),
        "{foretold}"
    );
    assert!(foretold.contains("ulimit -n 1"), "{foretold}");
    let tried = text(&limits(lowered, "sockets"));
    assert!(tried.contains("then RLIMIT_NOFILE refused"), "{tried}");
}

#[test]
fn an_address_space_limits_threads() {
    // In KiB: a gigabyte, of which the program itself needs a part.
    let lowered = "ulimit -v 1000000";
    let foretold = text(&limits(lowered, "--want 5000 threads"));
    assert!(foretold.contains("do not fit: RLIMIT_AS refuses"), "{foretold}");
    let tried = text(&limits(lowered, "threads"));
    assert!(tried.contains("RLIMIT_AS"), "{tried}");
    assert!(!tried.contains("nothing refused"), "{tried}");
}

/// As somebody whose threads are limited, which root's are not.
#[test]
fn the_number_of_a_users_processes_limits_threads() {
    let as_nobody = |arguments| {
        let mut command = shell("ulimit -u 60", arguments);
        command.uid(NOBODY).gid(NOBODY).output()
    };
    let Ok(foretold) = as_nobody("--want 100 threads") else {
        println!("skipped: only root can be somebody else");
        return;
    };
    let foretold = text(&foretold);
    assert!(
        foretold.contains("do not fit: RLIMIT_NPROC refuses"),
        "{foretold}"
    );
    assert!(foretold.contains("ulimit -u 1"), "{foretold}");
    let tried = as_nobody("threads --use-up-shared").expect("it could before");
    let tried = text(&tried);
    assert!(tried.contains("then RLIMIT_NPROC refused"), "{tried}");
    // Other processes of that user need some, too.
    let spared = as_nobody("threads").expect("it could before");
    assert!(
        text(&spared).contains("what is left of RLIMIT_NPROC"),
        "{}",
        text(&spared)
    );
}

/// A control group with few processes, which goes when this is dropped.
struct FewProcesses(PathBuf);

impl FewProcesses {
    /// `None` where none can be made.
    fn make(most: u32) -> Option<FewProcesses> {
        let name = format!("memory-limits-test-{}", std::process::id());
        let parents = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"].map(Path::new);
        parents.iter().find_map(|parent| {
            let directory = parent.join(&name);
            fs::create_dir(&directory).ok()?;
            let group = FewProcesses(directory);
            fs::write(group.0.join("pids.max"), most.to_string()).ok()?;
            Some(group)
        })
    }
}

impl Drop for FewProcesses {
    fn drop(&mut self) {
        drop(fs::remove_dir(&self.0));
    }
}

#[test]
fn a_control_group_limits_threads() {
    let Some(group) = FewProcesses::make(60) else {
        println!("skipped: no control group can be made here");
        return;
    };
    let joins = format!("echo $$ > {}/cgroup.procs", group.0.display());
    let file = group.0.join("pids.max").display().to_string();
    let foretold = text(&limits(&joins, "--want 100 threads"));
    let refuses = format!("do not fit: {file} refuses");
    assert!(foretold.contains(&refuses), "{foretold}");
    assert!(foretold.contains("| sudo tee "), "{foretold}");
    let tried = text(&limits(&joins, "threads --use-up-shared"));
    assert!(tried.contains(&format!("then {file} refused")), "{tried}");
}
