//! The server that all contenders ask: it sends each request back after a
//! wait.
//!
//! It has two threads in the same process, on the same cores: one reads the
//! requests (a task per connection, on a separate runtime), the other sleeps
//! until an answer is due, more precisely than a runtime's millisecond timers
//! would. The wait begins when a request has been read, so a contender's
//! extra time includes the server's work, which is the same for all.

use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::{mpsc, Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tokio::net;
use tokio::runtime::Builder;

struct Answer {
    due: Instant,
    connection: Arc<net::UnixStream>,
    bytes: [u8; 8],
}

pub(super) struct Server {
    address: SocketAddr,
    /// Receives one message per connection that the server has accepted.
    accepted: Mutex<mpsc::Receiver<()>>,
}

impl Server {
    /// Starts the server's threads, which live as long as the process.
    pub(super) fn start(wait: Duration) -> io::Result<Server> {
        // An abstract socket address leaves no file behind.
        let name = format!("spawn-cost-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(name)?;
        let listener = UnixListener::bind_addr(&address)?;
        let (accepts, accepted) = mpsc::channel();
        thread::spawn(move || {
            let served = serve(listener, wait, &accepts);
            panic!("the server has ended: {served:?}");
        });
        Ok(Server { address, accepted: Mutex::new(accepted) })
    }

    /// Opens connections to the server, and waits until it has accepted them.
    pub(super) fn connect(
        &self,
        connections: u64,
    ) -> io::Result<Vec<UnixStream>> {
        let connect = |_| UnixStream::connect_addr(&self.address);
        let opened = (0..connections).map(connect).collect();
        let accepted = self.accepted.lock().expect("no connecting panics");
        for _ in 0..connections {
            accepted.recv().expect("the server lives on");
        }
        opened
    }
}

fn serve(
    listener: UnixListener,
    wait: Duration,
    accepts: &mpsc::Sender<()>,
) -> io::Result<()> {
    // These threads get their own table of open files, so that the server's
    // ends of connections don't count against the limit for the clients'
    // ends.
    nix::sched::unshare(nix::sched::CloneFlags::CLONE_FILES)?;
    let (answers, due) = mpsc::channel();
    thread::spawn(move || answer(&due));
    listener.set_nonblocking(true)?;
    let runtime = Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let listener = net::UnixListener::from_std(listener)?;
        loop {
            let (connection, _) = listener.accept().await?;
            tokio::spawn(read(connection, wait, answers.clone()));
            accepts.send(()).expect("the connecting side lives on");
        }
    })
}

/// Reads a connection's requests, until the other end closes it.
async fn read(
    connection: net::UnixStream,
    wait: Duration,
    answers: mpsc::Sender<Answer>,
) -> io::Result<()> {
    let connection = Arc::new(connection);
    let mut bytes = [0; 8];
    loop {
        connection.readable().await?;
        match connection.try_read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(_) => {
                let due = Instant::now() + wait;
                let connection = Arc::clone(&connection);
                drop(answers.send(Answer { due, connection, bytes }));
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

/// Sends each answer when it is due. Answers are due in the order of the
/// requests.
fn answer(answers: &mpsc::Receiver<Answer>) {
    for Answer { due, connection, bytes } in answers {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        // Writing fails if the other end has been closed.
        drop(connection.try_write(&bytes));
    }
}
