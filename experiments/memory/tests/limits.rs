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
    memory(first, &format!("limits {arguments}"))
}

/// The chapter's program with these arguments, after something else.
fn memory(first: &str, arguments: &str) -> Command {
    let program = env!("CARGO_BIN_EXE_memory");
    let mut shell = Command::new("bash");
    let line = format!("{first} && exec \"{program}\" {arguments}");
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
    assert!(
        text(&no_kind).contains("none of threads, tasks, sockets and rings")
    );
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

/// `std` is told how large a stack is: as many threads need more addresses then.
#[test]
fn a_larger_stack_reaches_a_limit_on_addresses_earlier() {
    let lowered = "export RUST_MIN_STACK=100000000 && ulimit -v 2000000";
    let foretold = text(&limits(lowered, "--want 100 threads"));
    assert!(foretold.contains("do not fit: RLIMIT_AS refuses"), "{foretold}");
    let tried = text(&limits(lowered, "threads"));
    assert!(tried.contains("The others have 100000000 bytes"), "{tried}");
    assert!(tried.contains("RLIMIT_AS"), "{tried}");
    assert!(!tried.contains("nothing refused"), "{tried}");
}

/// A lower limit on the stack refuses no thread, and the program says so.
#[test]
fn the_limit_on_the_stack_is_that_of_the_first_thread() {
    let tried = text(&limits("ulimit -s 256", "threads --most 100"));
    assert!(tried.contains("RLIMIT_STACK is 262144 bytes"), "{tried}");
    assert!(tried.contains("the first thread only"), "{tried}");
    assert!(tried.contains("and nothing refused"), "{tried}");
}

/// As a plain user where that can be had: Glommio asks everybody for as much.
#[test]
fn locked_memory_limits_executors_on_io_uring() {
    let says = |arguments| {
        let mut command = shell("ulimit -l 64", arguments);
        command.uid(NOBODY).gid(NOBODY);
        // Only root can be somebody else.
        let output = command.output();
        output.unwrap_or_else(|_| limits("ulimit -l 64", arguments))
    };
    let foretold = text(&says("--want 3 rings"));
    assert!(
        foretold.contains("do not fit: RLIMIT_MEMLOCK refuses after 0"),
        "{foretold}"
    );
    assert!(foretold.contains("ulimit -l 1536"), "{foretold}");
    let tried = text(&says("rings"));
    assert!(tried.contains("then RLIMIT_MEMLOCK refused"), "{tried}");
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

/// A control group with a tenth of the memory that a million tasks take.
struct LittleMemory(PathBuf);

impl LittleMemory {
    /// `None` where none can be made.
    fn make(test: &str) -> Option<LittleMemory> {
        let name = format!("memory-limits-{test}-{}", std::process::id());
        let version_1 = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes");
        let version_2 = ("/sys/fs/cgroup", "memory.max");
        [version_1, version_2].iter().find_map(|(parent, file)| {
            let directory = Path::new(parent).join(&name);
            fs::create_dir(&directory).ok()?;
            let group = LittleMemory(directory);
            fs::write(group.0.join(file), (60 << 20).to_string()).ok()?;
            Some(group)
        })
    }
}

impl Drop for LittleMemory {
    fn drop(&mut self) {
        drop(fs::remove_dir(&self.0));
    }
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

/// Where a control group limits memory the kernel refuses nothing: it kills. So what
/// would happen is said, and not tried.
#[test]
fn a_control_group_limits_tasks_by_their_memory() {
    let Some(group) = LittleMemory::make("tasks") else {
        println!("skipped: no control group with memory can be made here");
        return;
    };
    let joins = format!("echo $$ > {}/cgroup.procs", group.0.display());
    let foretold = text(&limits(&joins, "--want 1000000 tasks"));
    let refuses = format!("do not fit: {}", group.0.display());
    assert!(foretold.contains(&refuses), "{foretold}");
    assert!(foretold.contains("| sudo tee "), "{foretold}");
}

/// What would not fit is a row with the reason, and nothing else of it is tried.
#[test]
fn a_run_that_would_not_fit_says_so_and_measures_less() {
    let Some(group) = LittleMemory::make("run") else {
        println!("skipped: no control group with memory can be made here");
        return;
    };
    let joins = format!("echo $$ > {}/cgroup.procs", group.0.display());
    let mut run = memory(&joins, "--full --brief \"limits: tokio\"");
    // Runs wait for each other by a file there: this one measures nothing.
    run.env("TMPDIR", env!("CARGO_TARGET_TMPDIR"));
    let output = run.output().expect("there is a shell");
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("touches 4 GiB of memory at most"), "{said}");
    let reason = format!("it may touch 4 GiB, and {}", group.0.display());
    assert!(said.contains(&reason), "{said}");
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
