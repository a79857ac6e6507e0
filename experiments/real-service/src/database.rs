//! Runs a PostgreSQL server for the experiment: in its own directory, under a
//! user without privileges, on a Unix socket. The server exits with this
//! process, however this process ends.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::listings::blocking_client::BlockingClient;

/// The name of the user inside the database. The operating system doesn't
/// know this user.
pub const USER: &str = "shop";

/// How long the server may take to start.
const PATIENCE: Duration = Duration::from_secs(20);

/// Users to run the server as, in order of preference, if this process runs
/// as root. PostgreSQL refuses to run as root.
const UNPRIVILEGED: [&str; 2] = ["postgres", "nobody"];

/// A shell script that starts and stops the server when it reads `start` or
/// `stop`. At the end of its input, it stops the server and removes the
/// directory. The script runs in its own process group, so that an interrupt
/// of this process doesn't reach it.
const KEEPER: &str = r#"
pid=
end() { if [ -n "$pid" ]; then kill "$1" "$pid"; wait "$pid"; pid=; fi; }
while read -r word fsync; do
    case $word in
    start)
        "$1/postgres" -D "$0/data" -k "$0" -c listen_addresses= -c autovacuum=off \
            -c "fsync=$fsync" </dev/null >>"$0/log" 2>&1 &
        pid=$! ;;
    stop) end -INT ;;
    esac
    echo done
done
end -QUIT
rm -rf -- "$0"
"#;

/// The statements that create the products and the empty table of orders. The
/// description of a product makes the answer about 1 KiB long. The price
/// follows from the product's key, so that answers can be checked.
const TABLES: &str = "
    CREATE TABLE products (id int PRIMARY KEY, name text NOT NULL,
        description text NOT NULL, price_cents int NOT NULL);
    INSERT INTO products SELECT id, 'product ' || id, repeat('It is good. ', 70), 2 * id + 1
        FROM generate_series(1000, 1999) AS id;
    CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        token text NOT NULL, product int NOT NULL, quantity int NOT NULL, email text NOT NULL);
    ANALYZE;
    CHECKPOINT";

/// A PostgreSQL server, which this process can stop and start again.
pub struct Database {
    directory: PathBuf,
    keeper: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    fsync: bool,
}

/// The database that this process uses for all its measurements, once it has
/// been created.
static OWN: Mutex<Option<Database>> = Mutex::new(None);

/// A lock on this process's database, for exclusive use.
pub type Use = MutexGuard<'static, Option<Database>>;

/// Locks this process's database, and deletes all orders in it. The first
/// call creates the database. If `fsync` is set, the database writes to the
/// disk at each commit.
///
/// # Errors
///
/// The reason why there is no database.
pub fn own(fsync: bool) -> Result<Use, String> {
    let mut own = OWN.lock().unwrap_or_else(|broken| broken.into_inner());
    let database = match &mut *own {
        Some(database) => database,
        none => none.insert(Database::make()?),
    };
    if database.fsync != fsync {
        database.stop()?;
        database.start(fsync)?;
    }
    database.empty()?;
    Ok(own)
}

/// Checks that the programs of a PostgreSQL server are installed.
///
/// # Errors
///
/// Names the missing program.
pub fn is_installed() -> Result<(), String> {
    programs().map(drop)
}

/// Returns the directory with PostgreSQL's programs: the first one on the
/// `PATH` or, if there is none, that of the newest version in Debian's
/// directories.
fn programs() -> Result<PathBuf, String> {
    let version = |path: &PathBuf| -> Option<u32> {
        path.parent()?.file_name()?.to_str()?.parse().ok()
    };
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let of_debian = versions.flatten().map(|entry| entry.path().join("bin"));
    let mut folders: Vec<PathBuf> = of_debian.collect();
    folders.sort_by_key(version);
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).chain(folders.into_iter().rev());
    let is_whole = |folder: &PathBuf| {
        folder.join("initdb").exists() && folder.join("postgres").exists()
    };
    found.into_iter().find(is_whole).ok_or_else(|| {
        "PostgreSQL is not installed: apt install postgresql".to_owned()
    })
}

/// A user and a group of the operating system, by number.
type Ids = (u32, u32);

/// Returns the user that the server should run as, or `None` if this process
/// isn't root and the server can run as the same user.
fn runs_as() -> Result<Option<Ids>, String> {
    let status = fs::metadata("/proc/self").map_err(in_words("/proc/self"))?;
    if std::os::unix::fs::MetadataExt::uid(&status) != 0 {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let ids = |name: &&str| -> Option<Ids> {
        let mut users = users.lines().map(|line| line.split(':'));
        let mut fields =
            users.find(|fields| fields.clone().next() == Some(name))?;
        let (user, group) = (fields.nth(2)?, fields.next()?);
        Some((user.parse().ok()?, group.parse().ok()?))
    };
    let found = UNPRIVILEGED.iter().find_map(ids);
    found.map(Some).ok_or_else(|| {
        format!(
            "PostgreSQL refuses root, and there is none of {UNPRIVILEGED:?}"
        )
    })
}

fn in_words(what: &str) -> impl Fn(std::io::Error) -> String + '_ {
    move |error| format!("{what}: {error}")
}

impl Database {
    /// Creates a database in a new directory, and starts it.
    ///
    /// # Errors
    ///
    /// If PostgreSQL is not installed, or fails to start, with the reason.
    pub fn make() -> Result<Database, String> {
        let programs = programs()?;
        let folder = TempDir::with_prefix("real-service-")
            .map_err(in_words("no folder can be made"))?;
        let run_as = runs_as()?;
        let command = |program: &Path| {
            let mut command = Command::new(program);
            if let Some((user, group)) = run_as {
                command.uid(user).gid(group);
            }
            command.current_dir(folder.path()).process_group(0);
            command
        };
        if let Some((user, group)) = run_as {
            chown(folder.path(), Some(user), Some(group))
                .map_err(in_words("the folder cannot be given away"))?;
        }
        let made = command(&programs.join("initdb"))
            .args(["--no-sync", "--auth=trust", "--encoding=UTF8"])
            .args(["--locale=C", "--username", USER, "--pgdata"])
            .arg(folder.path().join("data"))
            .output()
            .map_err(in_words("initdb cannot be run"))?;
        if !made.status.success() {
            let said = String::from_utf8_lossy(&made.stderr);
            return Err(format!("initdb: {}", said.trim()));
        }
        let mut keeper = command(Path::new("/bin/sh"))
            .args(["-c", KEEPER])
            .arg(folder.path())
            .arg(&programs)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(in_words("sh cannot be run"))?;
        let stdin = keeper.stdin.take();
        let stdout = keeper.stdout.take().expect("it is piped");
        let mut database = Database {
            // From here on, the script removes the directory. Dropping
            // `folder` no longer removes it.
            directory: folder.keep(),
            keeper,
            stdin,
            stdout: BufReader::new(stdout),
            fsync: false,
        };
        database.start(false)?;
        database.query(TABLES)?;
        Ok(database)
    }

    /// Returns the directory that contains the server's sockets.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Starts the server again after it was stopped.
    ///
    /// # Errors
    ///
    /// If the server doesn't accept connections in time, with the end of its
    /// log.
    pub fn start(&mut self, fsync: bool) -> Result<(), String> {
        self.tell(if fsync { "start on" } else { "start off" })?;
        self.fsync = fsync;
        let until = Instant::now() + PATIENCE;
        while self.client().is_err() {
            if Instant::now() > until {
                let log = self.directory.join("log");
                let log = fs::read_to_string(log).unwrap_or_default();
                let last = log.lines().last().unwrap_or("nothing");
                return Err(format!("PostgreSQL does not start: {last}"));
            }
            sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Stops the server, and ends any running queries.
    ///
    /// # Errors
    ///
    /// If the script that starts and stops the server has exited.
    pub fn stop(&mut self) -> Result<(), String> {
        self.tell("stop")
    }

    fn tell(&mut self, line: &str) -> Result<(), String> {
        let mut stdin = self.stdin.as_ref().expect("it is open until the end");
        writeln!(stdin, "{line}").map_err(in_words("PostgreSQL's keeper"))?;
        let mut done = String::new();
        match self.stdout.read_line(&mut done) {
            Ok(read) if read > 0 => Ok(()),
            _ => Err("PostgreSQL's keeper is gone".to_owned()),
        }
    }

    fn client(&self) -> Result<BlockingClient, String> {
        BlockingClient::connect(&self.directory, USER)
            .map_err(in_words("PostgreSQL"))
    }

    /// Runs a query. Returns the first field of the first row, or `None` if
    /// that isn't a number.
    fn query(&self, query: &str) -> Result<Option<u64>, String> {
        let rows = self.client()?.query(query);
        let rows = rows.map_err(in_words("PostgreSQL"))?;
        Ok(rows.first().and_then(|row| {
            // Each value in a row is preceded by its length, which takes four
            // bytes.
            let text = std::str::from_utf8(row.buffer().get(4..)?).ok()?;
            text.parse().ok()
        }))
    }

    /// Deletes all orders.
    fn empty(&self) -> Result<(), String> {
        self.query("TRUNCATE orders").map(drop)
    }

    /// Returns the number of distinct orders.
    ///
    /// # Errors
    ///
    /// If the server doesn't answer.
    pub fn orders(&self) -> Result<u64, String> {
        let count = self.query("SELECT count(DISTINCT token) FROM orders")?;
        count.ok_or_else(|| "the orders cannot be counted".to_owned())
    }

    /// Returns the CPU time that the server's processes have used, in
    /// nanoseconds. Only compare two readings if no process of the server has
    /// ended in between.
    ///
    /// # Errors
    ///
    /// If the kernel doesn't report the CPU time.
    pub fn cpu_time(&self) -> Result<u64, String> {
        let file = self.directory.join("data/postmaster.pid");
        let file = fs::read_to_string(file).map_err(in_words("its id"))?;
        let parent = file.lines().next().unwrap_or_default();
        let children = fs::read_to_string(format!(
            "/proc/{parent}/task/{parent}/children"
        ))
        .map_err(in_words("its processes"))?;
        let of_each = children.split_whitespace().map(|process| {
            let file = format!("/proc/{process}/schedstat");
            let text =
                fs::read_to_string(file).map_err(in_words("its CPU time"))?;
            let run = text.split(' ').next();
            let run = run.and_then(|run| run.parse::<u64>().ok());
            run.ok_or_else(|| format!("its CPU time: {text}"))
        });
        of_each.sum()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.stdin = None;
        drop(self.keeper.wait());
    }
}
