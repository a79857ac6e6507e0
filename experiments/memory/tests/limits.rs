//! Tests that `memory limits` names the limit that refuses, both before and
//! after a trial. Covers every limit that a test can lower.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Output};

/// The id of a user who is not root, and owns nothing here.
const NOBODY: u32 = 65_534;

/// The files that limit the memory of a control group, in each of the two
/// versions.
const MEMORY: [&str; 2] = [
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    "/sys/fs/cgroup/memory.max",
];

/// Returns a command that runs `first` in Bash, and then the chapter's
/// program with these arguments.
fn memory(first: &str, arguments: &str) -> Command {
    let program = env!("CARGO_BIN_EXE_memory");
    let mut shell = Command::new("bash");
    let line = format!("{first} && exec \"{program}\" {arguments}");
    shell.args(["-c", &line]).env_remove("RUST_BACKTRACE");
    shell
}

/// Checks that the output of `memory limits` contains the expected strings
/// and agrees with the exit status.
fn check(output: &Output, expected: &[&str]) {
    let said = text(output);
    for part in expected {
        assert!(said.contains(part), "{part:?} is not in {said}");
    }
    let nothing_refused = "nothing refused";
    let is_expected = expected.contains(&nothing_refused);
    assert_eq!(said.contains(nothing_refused), is_expected, "{said}");
    let is_bad = ["do not fit", "error: "].iter().any(|bad| said.contains(bad));
    assert_eq!(output.status.code(), Some(i32::from(is_bad)), "{said}");
}

fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    out + &err
}

#[test]
fn the_limit_that_refuses_is_named_before_and_after_it_is_tried() {
    // A limit of one gigabyte, in KiB. It includes the memory of the program
    // itself.
    let addresses = "ulimit -v 1000000";
    // With larger stacks, the same number of `std`'s threads needs more
    // address space.
    let stacks = "export RUST_MIN_STACK=100000000 && ulimit -v 2000000";
    let refused_addresses = "do not fit: RLIMIT_AS refuses";
    let cases: [(_, _, &[&str]); 12] = [
        ("true", "--want 10 threads", &["10 threads fit."]),
        (
            "true",
            "--want 100000000000 threads",
            &["do not fit: ", "sudo sysctl "],
        ),
        ("true", "--want many threads", &["\"many\" is no count"]),
        (
            "true",
            "--want 5 fibres",
            &["none of threads, tasks, sockets and rings"],
        ),
        (
            "ulimit -n 60",
            "--want 100 sockets",
            &["do not fit: RLIMIT_NOFILE refuses", "ulimit -n 1"],
        ),
        ("ulimit -n 60", "sockets", &["then RLIMIT_NOFILE refused"]),
        (addresses, "--want 5000 threads", &[refused_addresses]),
        (addresses, "threads", &["RLIMIT_AS"]),
        (stacks, "--want 100 threads", &[refused_addresses]),
        (stacks, "threads", &["The others have 100000000 bytes", "RLIMIT_AS"]),
        // A lower limit on the stack doesn't prevent any thread from
        // starting, and the program says so.
        (
            "ulimit -s 256",
            "threads --most 100",
            &[
                "RLIMIT_STACK is 262144 bytes",
                "the first thread only",
                "nothing refused",
            ],
        ),
        ("true", "tasks", &["none were made"]),
    ];
    for (first, arguments, expected) in cases {
        let mut command = memory(first, &format!("limits {arguments}"));
        check(&command.output().expect("there is a shell"), expected);
    }
}

/// Runs the program as an ordinary user if possible, because root's threads
/// are not limited. Glommio requires the same limit on locked memory for
/// every user, even for root.
#[test]
fn a_users_limits_are_named_as_well() {
    let cases: [(_, _, &[&str]); 5] = [
        (
            "ulimit -l 64",
            "--want 3 rings",
            &["do not fit: RLIMIT_MEMLOCK refuses after 0", "ulimit -l 1536"],
        ),
        ("ulimit -l 64", "rings", &["then RLIMIT_MEMLOCK refused"]),
        (
            "ulimit -u 60",
            "--want 100 threads",
            &["do not fit: RLIMIT_NPROC refuses", "ulimit -u 1"],
        ),
        (
            "ulimit -u 60",
            "threads --use-up-shared",
            &["then RLIMIT_NPROC refused"],
        ),
        // A few threads are left for other processes of that user.
        ("ulimit -u 60", "threads", &["what is left of RLIMIT_NPROC"]),
    ];
    for (first, arguments, expected) in cases {
        let arguments = format!("limits {arguments}");
        let mut as_nobody = memory(first, &arguments);
        match as_nobody.uid(NOBODY).gid(NOBODY).output() {
            Ok(output) => check(&output, expected),
            // Only root can change the user.
            Err(_) if first.contains("-u") => println!("skipped: {arguments}"),
            Err(_) => {
                check(&memory(first, &arguments).output().unwrap(), expected)
            }
        }
    }
}

/// The limit file of a control group. Dropping this value removes the group.
struct Group(PathBuf);

impl Group {
    /// Creates a control group directly under the root of its hierarchy (v1
    /// or v2), and writes `most` to the one of `files` that it has. Returns
    /// `None` if that isn't possible.
    fn make(test: &str, files: [&str; 2], most: u32) -> Option<Group> {
        let name = format!("memory-limits-{test}-{}", std::process::id());
        let made = files.map(PathBuf::from).into_iter().find_map(|file| {
            let directory = file.with_file_name(&name);
            fs::create_dir(&directory).ok()?;
            let group = Group(directory.join(file.file_name()?));
            fs::write(&group.0, most.to_string()).ok()?;
            Some(group)
        });
        if made.is_none() {
            println!("skipped: no control group with {files:?} can be made");
        }
        made
    }

    fn joins(&self) -> String {
        let processes = self.0.with_file_name("cgroup.procs");
        format!("echo $$ > {}", processes.display())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        drop(self.0.parent().map(fs::remove_dir));
    }
}

/// If a control group limits memory, the kernel kills processes instead of
/// refusing. So the outcome is predicted, but not tried.
#[test]
fn a_control_group_limits_tasks_by_their_memory_and_threads() {
    let pids = ["/sys/fs/cgroup/pids/pids.max", "/sys/fs/cgroup/pids.max"];
    // The control group's limit is a tenth of the memory that a million tasks
    // take.
    for (files, most, wanted, tried) in [
        (MEMORY, 60 << 20, "1000000 tasks", None),
        (pids, 60, "100 threads", Some("limits threads --use-up-shared")),
    ] {
        let Some(group) = Group::make("units", files, most) else { continue };
        let file = group.0.display();
        let foretold = format!("limits --want {wanted}");
        let foretold = memory(&group.joins(), &foretold).output().unwrap();
        let refuses = format!("do not fit: {file} refuses");
        check(&foretold, &[&refuses, "| sudo tee "]);
        if let Some(tried) = tried {
            let tried = memory(&group.joins(), tried).output().unwrap();
            check(&tried, &[&format!("then {file} refused")]);
        }
    }
}

/// A benchmark that doesn't fit is not tried, and its row gives the reason.
#[test]
fn a_run_that_would_not_fit_says_so_and_measures_less() {
    let Some(group) = Group::make("run", MEMORY, 60 << 20) else { return };
    let mut run = memory(&group.joins(), "--full --brief \"limits: tokio\"");
    // Runs use a lock file in `TMPDIR` to wait for each other. This run
    // measures nothing, so it uses another directory.
    run.env("TMPDIR", env!("CARGO_TARGET_TMPDIR"));
    let output = run.output().expect("there is a shell");
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("touches 4 GiB of memory at most"), "{said}");
    let reason = format!("it may touch 4 GiB, and {}", group.0.display());
    assert!(said.contains(&reason), "{said}");
}
