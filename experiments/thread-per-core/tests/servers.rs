//! Every server, as a process: it echoes what it gets, byte by byte, whatever its
//! clients do and whatever this computer refuses.
#![cfg(target_os = "linux")]

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use socket2::SockRef;
use thread_per_core::serve::{
    command, find, servers, Interface, Running, Runtimes, Server,
};

/// How long a client waits for an answer: a server that hangs fails its test.
const PATIENCE: Duration = Duration::from_secs(20);

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_thread-per-core"))
}

/// As many as there are cores, but not more than two.
fn workers() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(2)
}

/// Tests each server that can run here, and names each that fails. Where one
/// cannot, that is said.
fn each(test: impl Fn(&'static Server, Running) -> Result<(), String>) {
    let mut failed = Vec::new();
    for server in servers() {
        let outcome = match start(server) {
            Ok(running) => test(server, running),
            Err(reason) if !server.needs.is_empty() => {
                println!("{} cannot run here: {reason}", server.name());
                Ok(())
            }
            Err(reason) => Err(reason),
        };
        let named = |reason| format!("{}: {reason}", server.name());
        failed.extend(outcome.err().map(named));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn start(server: &Server) -> Result<Running, String> {
    Running::start(command(program(), server, workers(), &[]))
}

/// Has a shell do something first, then runs the server by `runner`.
fn after_shell(first: &str, runner: &[&str], server: &Server) -> Command {
    let started = command(program(), server, workers(), &[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{first} && exec \"$@\""), "sh"]);
    shell.args(runner).arg(started.get_program()).args(started.get_args());
    shell
}

fn connect(address: SocketAddr) -> Result<TcpStream, String> {
    let client = TcpStream::connect_timeout(&address, PATIENCE)
        .map_err(|error| format!("no connection: {error}"))?;
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    client.set_write_timeout(Some(PATIENCE)).unwrap();
    client.set_nodelay(true).unwrap();
    Ok(client)
}

/// Bytes that differ by their place, and from message to message.
fn message(len: usize, seed: u64) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(seed);
    std::iter::repeat_with(|| rng.u8(..)).take(len).collect()
}

/// Says where two messages begin to differ.
fn same(got: &[u8], sent: &[u8]) -> Result<(), String> {
    if got == sent {
        return Ok(());
    }
    let place = got.iter().zip(sent).position(|(a, b)| a != b);
    let place = place.unwrap_or(got.len().min(sent.len()));
    let (got, sent) = (got.len(), sent.len());
    Err(format!("{got} bytes for {sent}, wrong from byte {place} on"))
}

/// Sends a message and reads the answer.
fn ask(client: &mut TcpStream, message: &[u8]) -> Result<(), String> {
    let mut got = vec![0; message.len()];
    client.write_all(message).map_err(|error| format!("sending: {error}"))?;
    client.read_exact(&mut got).map_err(|error| format!("reading: {error}"))?;
    same(&got, message)
}

/// Sends a message in pieces of these lengths, in turn, and then no more; reads
/// meanwhile what comes back, until the server closes.
fn send_in_pieces(
    client: &mut TcpStream,
    message: &[u8],
    pieces: &[usize],
) -> Result<Vec<u8>, String> {
    let mut sending = client.try_clone().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut rest = message;
            for &piece in pieces.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (now, later) = rest.split_at(piece.min(rest.len()));
                // An error shows in what comes back.
                drop(sending.write_all(now));
                rest = later;
            }
            drop(sending.shutdown(Shutdown::Write));
        });
        let mut got = Vec::new();
        let read = client.read_to_end(&mut got);
        read.map_err(|error| format!("reading: {error}"))?;
        Ok(got)
    })
}

#[test]
fn what_is_sent_comes_back_however_it_is_split() {
    let pieces: [(usize, &[usize]); 4] = [
        (64, &[1]),
        (1000, &[3, 61]),
        (64 * 1024, &[4095, 1, 4097]),
        (1024 * 1024, &[16_383, 2, 70_001]),
    ];
    each(|_, running| {
        let mut client = connect(running.address())?;
        for len in [64, 1, 64, 4096, 16 * 1024] {
            ask(&mut client, &message(len, len as u64))?;
        }
        for (len, pieces) in pieces {
            let sent = message(len, len as u64);
            let mut client = connect(running.address())?;
            let got = send_in_pieces(&mut client, &sent, pieces)?;
            same(&got, &sent)?;
        }
        Ok(())
    });
}

#[test]
fn two_hundred_clients_at_once_get_each_its_own_bytes() {
    each(|server, mut running| {
        let mut clients = Vec::new();
        for _ in 0..200 {
            clients.push(connect(running.address())?);
        }
        for round in 0..3 {
            let of = |place: usize| message(64, (1000 * round + place) as u64);
            for (place, client) in clients.iter_mut().enumerate() {
                client.write_all(&of(place)).map_err(|e| e.to_string())?;
            }
            for (place, client) in clients.iter_mut().enumerate() {
                let mut got = [0; 64];
                client.read_exact(&mut got).map_err(|e| e.to_string())?;
                same(&got, &of(place))?;
            }
        }
        let report = running.report()?;
        let spread = &report.accepted;
        let listeners = if server.reuseport { workers() } else { 1 };
        // That one gets nothing has a chance of less than one in 10^60.
        let is_spread = spread.len() == listeners && !spread.contains(&0);
        if spread.iter().sum::<u64>() != 200 || !is_spread {
            return Err(format!("it has accepted {spread:?}"));
        }
        if report.user_cpu_ns + report.system_cpu_ns == 0 {
            return Err("it has used no CPU time".to_owned());
        }
        Ok(())
    });
}

#[test]
fn a_client_that_sends_no_more_gets_what_is_left_and_then_the_end() {
    each(|_, running| {
        for len in [0, 64, 1024 * 1024] {
            let sent = message(len, 7);
            let mut client = connect(running.address())?;
            let got = send_in_pieces(&mut client, &sent, &[len.max(1)])?;
            same(&got, &sent)?;
        }
        Ok(())
    });
}

#[test]
fn a_client_that_resets_ends_its_own_connection_only() {
    each(|_, mut running| {
        let mut steady = connect(running.address())?;
        ask(&mut steady, &message(64, 1))?;
        for seed in 0..20 {
            let mut client = connect(running.address())?;
            client.write_all(&message(10_000, seed)).unwrap();
            // What is dropped with a linger time of zero sends a reset.
            SockRef::from(&client).set_linger(Some(Duration::ZERO)).unwrap();
        }
        ask(&mut steady, &message(64, 2))?;
        for seed in 0..8 {
            ask(&mut connect(running.address())?, &message(64, seed))?;
        }
        running.report().map(drop)
    });
}

/// The memory that a process has in use, in KiB.
fn resident(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_client_that_reads_nothing_holds_up_nobody_and_no_memory() {
    /// More than the kernel's buffers on the way there and back can hold.
    const MOST: usize = 256 << 20;
    /// What more a server may hold, in KiB.
    const MEMORY: u64 = 8 << 10;
    each(|_, running| {
        ask(&mut connect(running.address())?, &message(64, 1))?;
        let before = resident(running.id());
        let mut idle = connect(running.address())?;
        // When nothing was taken for so long, the buffers are full.
        idle.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
        let block = message(64 * 1024, 3);
        let mut sent = 0;
        while sent < MOST {
            match idle.write(&block[sent % block.len()..]) {
                Ok(written) => sent += written,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(format!("sending: {error}")),
            }
        }
        if sent >= MOST {
            return Err(format!("it took {sent} bytes, none of them read"));
        }
        // Each worker has some of these.
        for seed in 0..16 {
            ask(&mut connect(running.address())?, &message(64, seed))?;
        }
        let more = resident(running.id()).saturating_sub(before);
        if more > MEMORY {
            return Err(format!("it holds {more} KiB for {sent} bytes"));
        }
        // Read at last, they are all there.
        idle.shutdown(Shutdown::Write).unwrap();
        let mut got = Vec::new();
        idle.read_to_end(&mut got).map_err(|error| error.to_string())?;
        let expected = block.iter().cycle().take(sent);
        let is_same = got.len() == sent && got.iter().eq(expected);
        is_same.then_some(()).ok_or_else(|| "other bytes came back".to_owned())
    });
}

#[test]
fn a_server_that_was_stopped_goes_on() {
    each(|_, running| {
        let mut client = connect(running.address())?;
        ask(&mut client, &message(64, 1))?;
        let id = running.id().to_string();
        let signal = |name: &str| {
            let sent = Command::new("kill").args([name, id.as_str()]).status();
            assert!(sent.expect("kill can be run").success());
        };
        signal("-STOP");
        client.write_all(&message(64, 2)).unwrap();
        thread::sleep(Duration::from_millis(20));
        signal("-CONT");
        let mut got = [0; 64];
        client.read_exact(&mut got).map_err(|error| error.to_string())?;
        same(&got, &message(64, 2))?;
        ask(&mut connect(running.address())?, &message(64, 3))
    });
}

#[test]
fn a_server_ends_with_its_parent_and_reports_first() {
    each(|server, running| {
        let mut client = connect(running.address())?;
        ask(&mut client, &message(64, 1))?;
        let address = running.address();
        let (report, status) = running.end()?;
        if !status.success() || report.server != server.name() {
            return Err(format!("{status}, {report:?}"));
        }
        // The kernel takes down a ring, and with it what the ring waited for, a
        // while after the process has ended.
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(address).is_ok() {
            if Instant::now() > deadline {
                return Err("somebody listens still".to_owned());
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    });
}

/// The CPUs that each thread of a process may use, such as `0-1` or `1`.
fn cpus_of_threads(id: u32) -> Vec<String> {
    let threads = std::fs::read_dir(format!("/proc/{id}/task")).unwrap();
    let statuses = threads.filter_map(|thread| {
        // A thread may have ended meanwhile.
        std::fs::read_to_string(thread.ok()?.path().join("status")).ok()
    });
    let cpus = statuses.filter_map(|status| {
        let line = status.lines().find_map(|line| {
            line.strip_prefix("Cpus_allowed_list:").map(str::trim)
        });
        line.map(str::to_owned)
    });
    cpus.collect()
}

#[test]
fn workers_are_pinned_to_one_core_each_or_to_none() {
    let usable = host::cores::usable().unwrap();
    if usable.len() < 2 {
        return println!("there is one core only");
    }
    let own: Vec<String> =
        usable[..2].iter().map(|cpu| cpu.to_string()).collect();
    each(|server, running| {
        let threads = cpus_of_threads(running.id());
        let is_right = |cpu| threads.contains(cpu) == server.pinned;
        if !own.iter().all(is_right) {
            return Err(format!("its threads may use {threads:?}"));
        }
        // The process as a whole is where it was put.
        let last = usable[usable.len() - 1];
        let there = Running::start(command(program(), server, 1, &[last]))?;
        let threads = cpus_of_threads(there.id());
        let all = threads.iter().all(|cpus| *cpus == last.to_string());
        all.then_some(()).ok_or_else(|| format!("{threads:?} for {last}"))
    });
}

/// CPU time that a server has used, in user code and in the kernel.
fn cpu_time(running: &mut Running) -> Result<Duration, String> {
    let report = running.report()?;
    Ok(Duration::from_nanos(report.user_cpu_ns + report.system_cpu_ns))
}

#[test]
fn with_too_few_descriptors_a_server_waits_for_some() {
    for server in servers() {
        let name = server.name();
        let few = after_shell("ulimit -n 64", &[], server);
        let mut running = match Running::start(few) {
            Ok(running) => running,
            Err(reason) if !server.needs.is_empty() => {
                println!("{name} cannot run here: {reason}");
                continue;
            }
            Err(reason) => panic!("{name}: {reason}"),
        };
        if server.arm == "as published" {
            // It ends, and with it all connections, maybe before the last is made.
            let connected =
                (0..100).map_while(|_| connect(running.address()).ok());
            let _clients: Vec<TcpStream> = connected.collect();
            let deadline = Instant::now() + PATIENCE;
            while running.report().is_ok() {
                assert!(Instant::now() < deadline, "{name} goes on");
                thread::sleep(Duration::from_millis(10));
            }
            continue;
        }
        let mut clients: Vec<TcpStream> =
            (0..100).map(|_| connect(running.address()).unwrap()).collect();
        let before = (cpu_time(&mut running).unwrap(), Instant::now());
        thread::sleep(Duration::from_millis(500));
        let used = cpu_time(&mut running).unwrap() - before.0;
        let passed = before.1.elapsed();
        // One that tries again at once takes all the time that there is.
        assert!(used < passed / 4, "{name} spins: {used:?} of {passed:?}");
        // Those that were accepted are served, and the others when these go.
        let mut left = clients.split_off(80);
        drop(clients);
        for (seed, client) in left.iter_mut().enumerate() {
            ask(client, &message(64, seed as u64))
                .unwrap_or_else(|reason| panic!("{name}: {reason}"));
        }
    }
}

#[test]
fn too_little_memory_to_lock_is_a_reason() {
    // Root may lock what it likes.
    let user = ["setpriv", "--reuid=65534", "--clear-groups", "--no-new-privs"];
    let mut list = Command::new(user[0]);
    list.args(&user[1..]).arg(program()).args(["serve", "--list"]);
    match list.output() {
        Ok(output) if output.status.success() => {}
        other => return println!("no plain user can be had: {other:?}"),
    }
    let glommio = find("glommio").unwrap();
    let limited = Running::start(after_shell("ulimit -l 64", &user, glommio));
    let reason = limited.err().expect("it needs 512 KiB");
    assert!(reason.contains("ulimit -l"), "{reason}");
    assert!(reason.contains("exit status: 1"), "{reason}");
    // Epoll needs none.
    let epoll = find("baseline epoll").unwrap();
    let limited = Running::start(after_shell("ulimit -l 0", &user, epoll));
    let address = limited.as_ref().unwrap().address();
    ask(&mut connect(address).unwrap(), &message(64, 1)).unwrap();
}

/// Refuses io_uring to this thread and to what it starts, as a container does.
fn refuse_io_uring() {
    use seccompiler::{apply_filter, BpfProgram, SeccompAction, SeccompFilter};

    const EPERM: u32 = 1;
    // The same number on every architecture.
    const IO_URING_SETUP: i64 = 425;
    let filter = SeccompFilter::new(
        [(IO_URING_SETUP, Vec::new())].into(),
        SeccompAction::Allow,
        SeccompAction::Errno(EPERM),
        std::env::consts::ARCH.try_into().expect("its numbers are known"),
    );
    let program: BpfProgram = filter.unwrap().try_into().unwrap();
    apply_filter(&program).unwrap();
}

#[test]
fn io_uring_refused_is_a_reason_and_fusion_falls_back_to_epoll() {
    let refused = thread::spawn(|| {
        refuse_io_uring();
        for server in servers() {
            let name = server.name();
            match (start(server), server.interface) {
                (Err(reason), Interface::IoUring) => {
                    let is_told = reason.contains("io_uring_disabled")
                        && reason.contains("exit status: 1");
                    assert!(is_told, "{name}: {reason}");
                }
                (Err(reason), _) => panic!("{name}: {reason}"),
                (Ok(_), Interface::IoUring) => panic!("{name} runs"),
                (Ok(mut running), interface) => {
                    let mut client = connect(running.address()).unwrap();
                    ask(&mut client, &message(64, 1)).unwrap();
                    let by = running.report().unwrap().interface;
                    let chosen = interface == Interface::Chosen;
                    let expected =
                        if chosen { "epoll" } else { interface.name() };
                    assert_eq!(by, expected, "{name}");
                }
            }
        }
    });
    refused.join().unwrap();
}

#[test]
fn names_differ_and_a_short_one_finds_the_plain_server() {
    let mut names: Vec<String> = servers().iter().map(Server::name).collect();
    for (server, name) in servers().iter().zip(&names) {
        assert_eq!(find(name).unwrap().name(), *name);
        assert!(server.runtimes != Runtimes::OnePerCore || server.reuseport);
    }
    assert_eq!(find("tokio").unwrap().name(), "tokio multi-thread");
    assert_eq!(find("ours pinned").unwrap().name(), "ours pinned");
    assert_eq!(find("monoio pinned").unwrap().name(), "monoio epoll, pinned");
    // A word is found as a whole, not as a part of `monoio`.
    assert!(find("io").is_err());
    let unknown = find("tokoi").unwrap_err();
    assert!(unknown.contains("tokio LocalSet, pinned"), "{unknown}");
    names.sort();
    names.dedup();
    assert_eq!(names.len(), servers().len());
}

#[test]
fn what_cannot_be_is_refused_with_a_reason() {
    let serve = |arguments: &[&str]| {
        let mut command = Command::new(program());
        let output = command.arg("serve").args(arguments).output().unwrap();
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(serve(&["no such"]).contains("std::thread"));
    assert!(serve(&["tokio", "--cores", "100000"]).contains("100000"));
    assert!(serve(&["tokio", "--cores", "0"]).contains("--cores 1"));
    assert!(serve(&["tokio", "--on", "1023"]).contains("pinned"));
    assert!(serve(&[]).contains("Usage"));
    // Not even SO_REUSEPORT makes two servers share a port.
    for has_it in ["std::thread", "tokio current_thread", "glommio"] {
        let Ok(running) = start(find(has_it).unwrap()) else { continue };
        let port = running.address().port().to_string();
        for wants_it in ["std::thread", "tokio reuseport", "glommio"] {
            let reason = serve(&[wants_it, "--port", &port]);
            assert!(reason.contains(&port), "{has_it}, {wants_it}: {reason}");
        }
    }
}
