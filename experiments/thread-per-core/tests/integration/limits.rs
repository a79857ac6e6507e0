//! Tests servers at the limits of a computer, and with clients that
//! misbehave. Every server is brought to each limit. It then has to go on
//! serving, or to give a reason and a remedy.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use host::cores::pin_this_thread;
use socket2::SockRef;
use thread_per_core::load::{self, End, Settings};
use thread_per_core::serve::{
    command, find, servers, Interface, Running, Server,
};

use crate::common::processes::{
    as_it_is, connect, each_outcome_of, program, PATIENCE,
};
use crate::common::{
    ask, each, each_started, message, same, send_in_pieces, until,
};

/// Returns a command that runs `first` in a shell, and then starts the server
/// with the command `runner`.
fn after_shell(first: &str, runner: &[&str], server: &Server) -> Command {
    let started = as_it_is(server);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{first} && exec \"$@\""), "sh"]);
    shell.args(runner).arg(started.get_program()).args(started.get_args());
    shell
}

fn open_files(id: u32) -> usize {
    fs::read_dir(format!("/proc/{id}/fd")).unwrap().count()
}

/// Waits until the server has closed its connections, that is, until no more
/// than `files` files are open.
fn closes_all_but(files: usize, running: &Running) -> Result<(), String> {
    until(|| match open_files(running.id()) {
        open if open <= files => Ok(()),
        open => Err(format!("it keeps {open} files open, before {files}")),
    })
}

fn serves_others(running: &Running) -> Result<(), String> {
    // There are enough clients for each worker to get some of them.
    (0..16).try_for_each(|seed| {
        ask(&mut connect(running.address())?, &message(64, seed))
    })
}

#[test]
fn a_client_that_sends_no_more_gets_what_is_left_and_then_the_end() {
    each(|_, running| {
        serves_others(&running)?;
        let before = open_files(running.id());
        for len in [0, 64, 1024 * 1024] {
            let sent = message(len, 7);
            let mut client = connect(running.address())?;
            let got = send_in_pieces(&mut client, &sent, &[len.max(1)])?;
            same(&got, &sent)?;
        }
        closes_all_but(before, &running)
    });
}

fn reset(client: TcpStream) {
    SockRef::from(&client).set_linger(Some(Duration::ZERO)).unwrap();
}

#[test]
fn a_client_that_resets_ends_its_own_connection_only() {
    each(|_, running| {
        // Ensures that each worker has opened its files. A server may be
        // ready before that.
        serves_others(&running)?;
        let mut steady = connect(running.address())?;
        ask(&mut steady, &message(64, 1))?;
        let before = open_files(running.id());
        for seed in 0..20 {
            let mut client = connect(running.address())?;
            client.write_all(&message(10_000, seed)).unwrap();
            reset(client);
        }
        ask(&mut steady, &message(64, 2))?;
        serves_others(&running)?;
        closes_all_but(before, &running)
    });
}

/// Returns the resident memory of a process, in KiB.
fn resident(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Returns a client that reads nothing, and the number of bytes that it has
/// sent. All buffers on the way to the server and back are full.
fn stuck(running: &Running) -> Result<(TcpStream, usize), String> {
    /// More bytes than the kernel's buffers can hold.
    const MOST: usize = 256 << 20;
    let mut client = connect(running.address())?;
    // If no byte is accepted for this long, all buffers are full.
    client.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
    let block = message(BLOCK, 3);
    let mut sent = 0;
    while sent < MOST {
        match client.write(&block[sent % BLOCK..]) {
            Ok(written) => sent += written,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                return Ok((client, sent));
            }
            Err(error) => return Err(format!("sending: {error}")),
        }
    }
    Err(format!("it took {sent} bytes, none of them read"))
}

/// The number of bytes that [`stuck`] sends again and again.
const BLOCK: usize = 64 * 1024;

#[test]
fn a_client_that_reads_nothing_holds_up_nobody_and_no_memory() {
    /// The additional memory that a server may use for a client that doesn't
    /// read, in KiB.
    const MEMORY: u64 = 8 << 10;
    each(|_, running| {
        serves_others(&running)?;
        let files = open_files(running.id());
        let before = resident(running.id());
        let (mut idle, sent) = stuck(&running)?;
        serves_others(&running)?;
        let more = resident(running.id()).saturating_sub(before);
        if more > MEMORY {
            return Err(format!("it holds {more} KiB for {sent} bytes"));
        }
        // When the client reads at last, it gets back all of its bytes.
        idle.shutdown(Shutdown::Write).unwrap();
        let mut got = Vec::new();
        idle.read_to_end(&mut got).map_err(|error| error.to_string())?;
        let block = message(BLOCK, 3);
        let expected = block.iter().cycle().take(sent);
        if got.len() != sent || !got.iter().eq(expected) {
            return Err("other bytes came back".to_owned());
        }
        closes_all_but(files, &running)
    });
}

#[test]
fn a_client_that_reads_nothing_and_then_resets_is_forgotten() {
    each(|_, running| {
        serves_others(&running)?;
        let before = open_files(running.id());
        let (idle, _) = stuck(&running)?;
        reset(idle);
        closes_all_but(before, &running)?;
        serves_others(&running)
    });
}

fn sleeps(id: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{id}/task")).unwrap();
    threads.flatten().all(|thread| {
        // If the file can't be read, the thread has ended in the meantime and
        // doesn't run.
        let stat = fs::read_to_string(thread.path().join("stat"));
        let stat = stat.unwrap_or_default();
        // In the file, the thread's state follows its name in parentheses.
        let state = stat.rsplit(") ").next().and_then(|it| it.chars().next());
        state != Some('R')
    })
}

#[test]
fn with_too_few_descriptors_a_server_waits_for_some() {
    each_started(
        |server| after_shell("ulimit -n 64", &[], server),
        |server, mut running| {
            if server.arm == "as published" {
                return ends_for_lack_of_descriptors(running);
            }
            let mut clients: Vec<TcpStream> = (0..100)
                .map(|_| connect(running.address()))
                .collect::<Result<_, _>>()?;
            until(|| match open_files(running.id()) {
                64.. => Ok(()),
                open => Err(format!("it has {open} files open only")),
            })?;
            // A server that retried at once, without a pause, would hardly
            // ever sleep.
            until(|| {
                let is_asleep = (0..10).all(|_| {
                    thread::sleep(Duration::from_millis(1));
                    sleeps(running.id())
                });
                is_asleep.then_some(()).ok_or_else(|| "it spins".to_owned())
            })?;
            // Most clients disconnect. Now the server can accept those that
            // are left, and has to answer them.
            let mut left = clients.split_off(80);
            drop(clients);
            for (seed, client) in left.iter_mut().enumerate() {
                ask(client, &message(64, seed as u64))?;
            }
            running.report().map(drop)
        },
    );
}

/// Checks that a published server ends if it can't accept a connection. All
/// its other connections end with it.
fn ends_for_lack_of_descriptors(mut running: Running) -> Result<(), String> {
    let clients = (0..100).map_while(|_| connect(running.address()).ok());
    let _clients: Vec<TcpStream> = clients.collect();
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if let Err(reason) = running.report() {
            let is_told = reason.contains("Too many open files");
            return is_told.then_some(()).ok_or(reason);
        }
        thread::sleep(Duration::from_millis(10));
    }
    Err("it goes on".to_owned())
}

#[test]
fn a_load_says_which_requests_a_server_with_too_few_descriptors_left_out() {
    let server = find("tokio multi-thread").unwrap();
    let few = after_shell("ulimit -n 64", &[], server);
    let running = Running::start(few).unwrap();
    let report = load::run(&Settings {
        connections: 100,
        lead_in: Duration::ZERO,
        end: End::After(Duration::from_millis(100)),
        ..Settings::of(running.address())
    });
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    // The kernel opens connections before the server accepts them. The load
    // therefore counts all of them as opened, although some get no answer.
    assert_eq!(report.connections.made, 100);
    assert!(report.answered > 0, "{report:?}");
    assert!((36..100).contains(&report.unanswered), "{report:?}");
    assert_eq!(report.connections.least, 0);
}

/// Returns the first words of a command line that runs a program without
/// root's privileges, since root may lock any amount of memory. Returns
/// `None` if privileges can't be dropped, or if an ordinary user may not run
/// the servers.
fn plain_user() -> Option<&'static [&'static str]> {
    let user =
        &["setpriv", "--reuid=65534", "--clear-groups", "--no-new-privs"];
    let mut list = Command::new(user[0]);
    list.args(&user[1..]).arg(program()).args(["serve", "--list"]);
    match list.output() {
        Ok(output) if output.status.success() => Some(user),
        other => {
            println!("no plain user can be had: {other:?}");
            None
        }
    }
}

#[test]
fn too_little_memory_to_lock_is_a_reason_even_for_fusion() {
    let Some(user) = plain_user() else { return };
    // Where no ring can be created at all, servers would fail for a different
    // reason.
    if let Err(reason) = host::rings::room_for_ring() {
        return println!("skipped: {reason}");
    }
    each_outcome_of(
        servers(),
        |server| after_shell("ulimit -l 64", user, server),
        |server, outcome| match (outcome, server.interface) {
            (Ok(_), _) if server.contender == "glommio" => {
                Err("it does without 512 KiB".to_owned())
            }
            (Ok(running), _) => serves_others(&running),
            // Monoio's fusion driver first creates a small ring, which the
            // limit allows. Then it fails to create a large one.
            (Err(reason), Interface::IoUring | Interface::Chosen) => {
                let is_told = reason.contains("ulimit -l")
                    && reason.contains("exit status: 1");
                is_told.then_some(()).ok_or(reason)
            }
            (Err(reason), _) => Err(reason),
        },
    );
}

#[test]
fn without_any_memory_to_lock_fusion_falls_back_to_epoll() {
    let Some(user) = plain_user() else { return };
    let fusion = find("monoio fusion").unwrap();
    let mut none =
        Running::start(after_shell("ulimit -l 0", user, fusion)).unwrap();
    serves_others(&none).unwrap();
    let ring = find("baseline io_uring").unwrap();
    let ring = Running::start(after_shell("ulimit -l 0", user, ring));
    // Where the kernel doesn't count a ring as locked memory, the fusion
    // driver can create one.
    let expected =
        if ring.is_ok() { Interface::IoUring } else { Interface::Epoll };
    assert_eq!(none.report().unwrap().interface, expected.name());
}

#[test]
fn io_uring_refused_is_a_reason_and_fusion_falls_back_to_epoll() {
    let without = |server| {
        let mut command = as_it_is(server);
        command.arg("--without-io-uring");
        command
    };
    each_outcome_of(servers(), without, |server, outcome| {
        match (outcome, server.interface) {
            (Err(reason), Interface::IoUring) => {
                let is_told = reason.contains("a filter forbids it")
                    && reason.contains("exit status: 1");
                is_told.then_some(()).ok_or(reason)
            }
            (Err(reason), _) => Err(reason),
            (Ok(_), Interface::IoUring) => Err("it runs".to_owned()),
            (Ok(mut running), interface) => {
                serves_others(&running)?;
                let by = running.report()?.interface;
                let expected = match interface {
                    Interface::Chosen => Interface::Epoll.name(),
                    fixed => fixed.name(),
                };
                let is_right = by == expected;
                is_right.then_some(()).ok_or_else(|| format!("it is {by}"))
            }
        }
    });
}

/// Runs `run` on one core, together with the threads that it starts.
fn on_one_core(run: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            pin_this_thread(0).unwrap();
            run();
        });
        thread.join().unwrap();
    });
}

#[test]
fn server_and_load_can_share_a_single_core() {
    on_one_core(|| {
        each_started(
            |server| command(program(), server, 1, &[]),
            |_, running| {
                let report = load::run(&Settings {
                    connections: 16,
                    lead_in: Duration::ZERO,
                    end: End::Requests(1_000),
                    ..Settings::of(running.address())
                });
                let report = report.map_err(|error| error.to_string())?;
                let is_right = report.answered >= 1_000
                    && report.errors + report.unanswered == 0;
                is_right.then_some(()).ok_or_else(|| format!("{report:?}"))
            },
        );
    });
}

#[test]
fn where_there_is_one_core_all_else_is_measured_and_the_rest_has_a_reason() {
    host::limits::raise_file_limit();
    // With too few descriptors, benchmarks would be skipped for a different
    // reason than the number of cores.
    if let Err(reason) = host::how_many::room_for_files(10_000) {
        return println!("skipped: {reason}");
    }
    on_one_core(|| {
        let output = Command::new(program()).arg("--verify").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let text = String::from_utf8_lossy(&output.stdout);
        let skipped = text.lines().filter(|line| line.contains("cannot run"));
        let (apart, others): (Vec<&str>, Vec<&str>) =
            skipped.partition(|line| line.contains("placement=apart"));
        assert!(!apart.is_empty(), "{text}");
        for cell in apart {
            assert!(cell.contains("2 cores are needed"), "{cell}");
        }
        let is_for_cores = |cell: &&str| cell.contains("cores are needed");
        assert!(!others.iter().any(is_for_cores), "{others:?}");
    });
}
