//! As much of the Chrome DevTools Protocol as the tests need.
//!
//! With `--remote-debugging-pipe` a browser reads JSON messages, each ended by a zero byte, from file
//! descriptor 3 and writes them to 4. A shell puts our pipes there, so it takes no web socket, and
//! the browser ends by itself when this process does.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail, ensure, Context, Result};
use serde::de::DeserializeOwned;
use serde_json::{json, Value};

/// How long anything may take: a browser that hangs is an error.
const PATIENCE: Duration = Duration::from_secs(120);

const FLAGS: [&str; 13] = [
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--no-default-browser-check",
    // Nothing leaves the machine: neither a page's requests nor the browser's own.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
];

/// The browser's program: `CHROMIUM`, or the first of the usual names.
pub(crate) fn find() -> Result<PathBuf, String> {
    if cfg!(not(unix)) {
        return Err("they speak to the browser through pipes that only Unix has".to_owned());
    }
    if let Some(given) = std::env::var_os("CHROMIUM") {
        let given = PathBuf::from(given);
        let missing = format!("CHROMIUM is {}, which is no file", given.display());
        return if given.is_file() { Ok(given) } else { Err(missing) };
    }
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let in_path =
        names.iter().flat_map(|name| directories.iter().map(move |directory| directory.join(name)));
    let apps = ["Google Chrome", "Chromium"]
        .map(|app| PathBuf::from(format!("/Applications/{app}.app/Contents/MacOS/{app}")));
    in_path.chain(apps).find(|file| file.is_file()).ok_or_else(|| {
        "there is no Chromium: install it (Debian: apt-get install chromium), or give the path of \
         a Chromium or Chrome in the environment variable CHROMIUM"
            .to_owned()
    })
}

/// A running browser.
pub(crate) struct Browser {
    child: Mutex<Child>,
    input: Mutex<Option<ChildStdin>>,
    inbox: Arc<Inbox>,
    next: AtomicU64,
    /// Tabs that are not in use.
    idle: Mutex<Vec<Target>>,
    /// Its profile, and what it says on stderr.
    directory: tempfile::TempDir,
}

/// A tab as the browser knows it, with storage and a cache of its own.
#[derive(Clone)]
struct Target {
    id: Value,
    context: Value,
}

/// What the browser has said.
#[derive(Default)]
struct Inbox {
    said: Mutex<Said>,
    more: Condvar,
}

#[derive(Default)]
struct Said {
    replies: HashMap<u64, Value>,
    /// By session.
    events: HashMap<String, Vec<Event>>,
    has_ended: bool,
}

/// Something that happened in a tab.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) method: String,
    pub(crate) parameters: Value,
}

impl Inbox {
    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listen(&self, output: ChildStdout) {
        let mut output = BufReader::new(output);
        let mut message = Vec::new();
        loop {
            message.clear();
            let length = output.read_until(0, &mut message).unwrap_or(0);
            let mut said = self.said();
            if length == 0 {
                said.has_ended = true;
                self.more.notify_all();
                return;
            }
            let message: Value =
                serde_json::from_slice(message.strip_suffix(&[0]).unwrap_or(&message))
                    .unwrap_or_else(|error| json!({"error": {"message": error.to_string()}}));
            match message["id"].as_u64() {
                Some(id) => drop(said.replies.insert(id, message)),
                None => {
                    let session = message["sessionId"].as_str().unwrap_or_default().to_owned();
                    let method = message["method"].as_str().unwrap_or_default().to_owned();
                    let parameters = message["params"].clone();
                    said.events.entry(session).or_default().push(Event { method, parameters });
                }
            }
            self.more.notify_all();
        }
    }
}

impl Browser {
    /// Starts the program with a profile of its own.
    pub(crate) fn start(program: &Path) -> Result<Browser> {
        let directory = tempfile::tempdir()?;
        let errors = File::create(directory.path().join("stderr"))?;
        let mut command = Command::new("sh");
        command.args(["-c", r#"exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null"#, "sh"]);
        command.arg(program).args(FLAGS);
        command.arg(format!("--user-data-dir={}", directory.path().join("profile").display()));
        // In place of the page for a new tab, which is a program of hundreds of scripts.
        command.arg("about:blank");
        // The browser's sandbox refuses to work for root, as whom containers often run.
        if is_root() {
            command.arg("--no-sandbox");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        let mut child = command.spawn().context("sh cannot be started")?;
        let input = child.stdin.take();
        let output = child.stdout.take().context("a pipe was asked for")?;
        let inbox = Arc::new(Inbox::default());
        let listener = Arc::clone(&inbox);
        thread::spawn(move || listener.listen(output));
        let (child, input) = (Mutex::new(child), Mutex::new(input));
        let (next, idle) = (AtomicU64::new(1), Mutex::default());
        let browser = Browser { child, input, inbox, next, idle, directory };
        browser.send("", "Browser.getVersion", json!({}))?;
        Ok(browser)
    }

    /// Asks for something and waits for the reply; without a session, of the browser itself.
    fn send(&self, session: &str, method: &str, parameters: Value) -> Result<Value> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut message = json!({"id": id, "method": method, "params": parameters});
        if !session.is_empty() {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        {
            let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
            let input = input.as_mut().context("the browser is being closed")?;
            let written = input.write_all(&bytes).and_then(|()| input.flush());
            written.map_err(|error| anyhow!("{error}: {}", self.last_words()))?;
        }
        let mut reply = self
            .wait(|said| said.replies.remove(&id))
            .with_context(|| format!("no reply to {method}"))?;
        match reply["error"]["message"].as_str() {
            Some(error) => bail!("{method}: {error}"),
            None => Ok(reply["result"].take()),
        }
    }

    /// Waits until something has been said.
    fn wait<T>(&self, mut find: impl FnMut(&mut Said) -> Option<T>) -> Result<T> {
        let deadline = Instant::now() + PATIENCE;
        let mut said = self.inbox.said();
        loop {
            if let Some(found) = find(&mut said) {
                return Ok(found);
            }
            ensure!(!said.has_ended, "the browser has ended: {}", self.last_words());
            let left = deadline.saturating_duration_since(Instant::now());
            ensure!(!left.is_zero(), "the browser has said nothing for {PATIENCE:?}");
            let woken = self.inbox.more.wait_timeout(said, left);
            said = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The end of what the browser wrote to stderr.
    fn last_words(&self) -> String {
        let text = std::fs::read(self.directory.path().join("stderr")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().rev().take(5).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n")
    }

    /// A tab that nobody else uses; it may have been used before.
    pub(crate) fn tab(&self) -> Result<Tab<'_>> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let target = match idle {
            Some(target) => target,
            None => self.target()?,
        };
        self.attach(target, true)
    }

    /// A tab that has never been used, so that its cache is empty, and that will not be used again.
    pub(crate) fn new_tab(&self) -> Result<Tab<'_>> {
        self.attach(self.target()?, false)
    }

    fn target(&self) -> Result<Target> {
        let mut context = self.send("", "Target.createBrowserContext", json!({}))?;
        let context = context["browserContextId"].take();
        let blank = json!({"url": "about:blank", "browserContextId": context});
        let mut target = self.send("", "Target.createTarget", blank)?;
        Ok(Target { id: target["targetId"].take(), context })
    }

    fn attach(&self, target: Target, is_kept: bool) -> Result<Tab<'_>> {
        let attach = json!({"targetId": target.id, "flatten": true});
        let attached = self.send("", "Target.attachToTarget", attach)?;
        let session = attached["sessionId"].as_str().context("a session has an id")?.to_owned();
        let tab = Tab { browser: self, session, target, is_kept };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            tab.send(&format!("{domain}.enable"), json!({}))?;
        }
        // Each tab behaves as the one in front.
        tab.send("Emulation.setFocusEmulationEnabled", json!({"enabled": true}))?;
        tab.resize(1000, 800)?;
        Ok(tab)
    }
}

/// Whether something could not be evaluated because the page was just being left.
fn is_between_pages(error: &anyhow::Error) -> bool {
    let error = error.to_string();
    ["navigated", "context"]
        .iter()
        .any(|word| error.starts_with("Runtime.") && error.contains(word))
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A browser whose pipe is closed ends; one that does not is killed.
        self.input.lock().unwrap_or_else(PoisonError::into_inner).take();
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        let deadline = Instant::now() + Duration::from_secs(5);
        while Instant::now() < deadline {
            if matches!(child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        drop(child.kill());
        drop(child.wait());
    }
}

/// A tab of the browser. When it is dropped, everything that was set in it is undone.
pub(crate) struct Tab<'a> {
    browser: &'a Browser,
    session: String,
    target: Target,
    /// Whether others may use it afterwards.
    is_kept: bool,
}

impl Tab<'_> {
    pub(crate) fn send(&self, method: &str, parameters: Value) -> Result<Value> {
        self.browser.send(&self.session, method, parameters)
    }

    /// Everything that has happened in the tab so far.
    pub(crate) fn events(&self) -> Vec<Event> {
        self.browser.inbox.said().events.get(&self.session).cloned().unwrap_or_default()
    }

    pub(crate) fn resize(&self, width: u32, height: u32) -> Result<()> {
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.send("Emulation.setDeviceMetricsOverride", metrics)?;
        Ok(())
    }

    /// Lets a script run in each page that is opened from now on, before those of the page.
    pub(crate) fn before_each_page(&self, script: &str) -> Result<()> {
        self.send("Page.addScriptToEvaluateOnNewDocument", json!({"source": script}))?;
        Ok(())
    }

    /// Opens a page and waits until it is loaded.
    pub(crate) fn open(&self, url: &str) -> Result<()> {
        let before = self.browser.inbox.said().events.get(&self.session).map_or(0, Vec::len);
        let reply = self.send("Page.navigate", json!({"url": url}))?;
        if let Some(error) = reply["errorText"].as_str() {
            bail!("{url}: {error}");
        }
        self.browser
            .wait(|said| {
                let new = said.events.get(&self.session)?.get(before..)?;
                new.iter().any(|event| event.method == "Page.loadEventFired").then_some(())
            })
            .with_context(|| format!("{url} is not loaded"))
    }

    /// The value of an expression in the page; a promise is awaited.
    pub(crate) fn evaluate<T: DeserializeOwned>(&self, expression: &str) -> Result<T> {
        let ask = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut reply = self.send("Runtime.evaluate", ask)?;
        let exception = &reply["exceptionDetails"];
        if !exception.is_null() {
            let said = exception["exception"]["description"].as_str();
            bail!("in the page: {}", said.or(exception["text"].as_str()).unwrap_or("an exception"));
        }
        let value = reply["result"]["value"].take();
        serde_json::from_value(value).with_context(|| format!("not expected of {expression:.200}"))
    }

    /// Runs a statement in the page, whatever it gives.
    pub(crate) fn run(&self, statement: &str) -> Result<()> {
        self.evaluate::<Option<bool>>(&format!("void ({statement})")).map(drop)
    }

    /// Waits until an expression is true in the page, which may be on its way to another.
    pub(crate) fn until(&self, expression: &str, what: &str) -> Result<()> {
        let deadline = Instant::now() + PATIENCE / 2;
        loop {
            match self.evaluate(&format!("Boolean({expression})")) {
                Ok(true) => return Ok(()),
                Err(error) if !is_between_pages(&error) => return Err(error),
                _ => ensure!(Instant::now() < deadline, "{what}: not within {:?}", PATIENCE / 2),
            }
            thread::sleep(Duration::from_millis(15));
        }
    }

    /// Presses and releases a key, as a hand would.
    pub(crate) fn press(&self, key: Key) -> Result<()> {
        let (name, code, number, text) = match key {
            Key::Tab => ("Tab", "Tab", 9, ""),
            Key::Enter => ("Enter", "Enter", 13, "\r"),
            Key::Space => (" ", "Space", 32, " "),
            Key::Right => ("ArrowRight", "ArrowRight", 39, ""),
            Key::Left => ("ArrowLeft", "ArrowLeft", 37, ""),
        };
        let event = |kind: &str, text: &str| {
            json!({"type": kind, "key": name, "code": code, "text": text,
                   "windowsVirtualKeyCode": number})
        };
        // What writes nothing acts when it goes down.
        if text.is_empty() {
            self.send("Input.dispatchKeyEvent", event("rawKeyDown", ""))?;
        } else {
            self.send("Input.dispatchKeyEvent", event("keyDown", text))?;
            self.send("Input.dispatchKeyEvent", event("keyUp", ""))?;
        }
        Ok(())
    }
}

impl Drop for Tab<'_> {
    fn drop(&mut self) {
        // Nobody asks afterwards whether it went well: a tab that is stuck is not used again, and
        // what a test has found out stands.
        if self.is_kept {
            let detach = json!({"sessionId": self.session});
            let left = self
                .send("Page.navigate", json!({"url": "about:blank"}))
                .and_then(|_| self.browser.send("", "Target.detachFromTarget", detach));
            if left.is_ok() {
                let idle = &self.browser.idle;
                idle.lock().unwrap_or_else(PoisonError::into_inner).push(self.target.clone());
            }
        } else {
            let context = json!({"browserContextId": self.target.context});
            drop(self.browser.send("", "Target.disposeBrowserContext", context));
        }
        self.browser.inbox.said().events.remove(&self.session);
    }
}

/// A key of the keyboard.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Key {
    Tab,
    Enter,
    Space,
    Right,
    Left,
}
