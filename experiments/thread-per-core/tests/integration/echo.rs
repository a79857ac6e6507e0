//! Tests that every server, as a process, echoes its input byte by byte.
//! `limits.rs` tests what happens if the operating system refuses something.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::BorrowedFd;
use std::process::Command;
use std::sync::atomic::AtomicU64;
use std::thread;
use std::time::{Duration, Instant};

use thread_per_core::listings::echo::epoll;
use thread_per_core::serve::{
    command, find, servers, Running, Runtimes, Server,
};

use crate::common::processes::{as_it_is, connect, program, workers, PATIENCE};
use crate::common::{ask, each, message, same, send_in_pieces, until};

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
        // With 200 connections, the chance that one of two listeners gets
        // none is less than one in 10^59.
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
        // The kernel frees a ring, and the listener that the ring polls, some
        // time after the process has exited.
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

/// A child process that is just starting still has copies of all sockets.
/// Epoll keeps reporting a closed socket while a copy exists, unless the
/// socket was removed from epoll.
#[test]
fn a_copy_of_a_closed_connection_does_no_harm() {
    static ACCEPTED: AtomicU64 = AtomicU64::new(0);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || epoll::serve(&listener, &ACCEPTED));
    let mut client = connect(address).unwrap();
    ask(&mut client, b"a").unwrap();
    let copy = copy_of_other_end(&client);
    drop(client);
    thread::sleep(Duration::from_millis(100));
    ask(&mut connect(address).unwrap(), b"b").unwrap();
    drop(copy);
}

/// Returns a copy of the server's socket for `client`. The server runs in
/// this process.
fn copy_of_other_end(client: &TcpStream) -> TcpStream {
    let ends = [client.peer_addr().unwrap(), client.local_addr().unwrap()];
    let copy = |file: std::fs::DirEntry| {
        let number = file.file_name().to_str()?.parse().ok()?;
        // SAFETY: the descriptor is only copied. If it was closed meanwhile,
        // copying fails.
        let file = unsafe { BorrowedFd::borrow_raw(number) };
        let copy = TcpStream::from(file.try_clone_to_owned().ok()?);
        let found = [copy.local_addr().ok()?, copy.peer_addr().ok()?];
        (found == ends).then_some(copy)
    };
    let files = std::fs::read_dir("/proc/self/fd").unwrap();
    files.flatten().find_map(copy).expect("it is in this process")
}

/// Returns the CPUs on which each thread of process `id` may run, as strings
/// such as `0-1` or `1`.
fn cpus_of_threads(id: u32) -> Vec<String> {
    let threads = std::fs::read_dir(format!("/proc/{id}/task")).unwrap();
    let statuses = threads.filter_map(|thread| {
        // Skips threads that have ended in the meantime.
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
        // Waits for the workers, which pin themselves when they begin to run.
        until(|| {
            let threads = cpus_of_threads(running.id());
            let is_right = |cpu| threads.contains(cpu) == server.pinned;
            let are_right = own.iter().all(is_right);
            let reason = || format!("its threads may use {threads:?}");
            are_right.then_some(()).ok_or_else(reason)
        })?;
        // Now all threads of a server have to be on the core on which it was
        // started.
        let last = usable[usable.len() - 1];
        let there = Running::start(command(program(), server, 1, &[last]))?;
        let threads = cpus_of_threads(there.id());
        let all = threads.iter().all(|cpus| *cpus == last.to_string());
        all.then_some(()).ok_or_else(|| format!("{threads:?} for {last}"))
    });
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
    // The search matches `io` as a whole word, not as a part of `monoio`.
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
    // Two servers can't share a port, not even with SO_REUSEPORT.
    for has_it in ["std::thread", "tokio current_thread", "glommio"] {
        let started = Running::start(as_it_is(find(has_it).unwrap()));
        let Ok(running) = started else { continue };
        let port = running.address().port().to_string();
        for wants_it in ["std::thread", "tokio reuseport", "glommio"] {
            let reason = serve(&[wants_it, "--port", &port]);
            assert!(reason.contains(&port), "{has_it}, {wants_it}: {reason}");
        }
    }
}
