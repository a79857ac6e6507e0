//! Controls a browser through the part of the Chrome DevTools Protocol that the browser tests
//! need.
//!
//! With `--remote-debugging-pipe`, a browser reads JSON messages from file descriptor 3 and
//! writes them to 4, each ended by a zero byte. A shell connects these to our pipes, so we need
//! no web socket, and the browser ends when this process does.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail, Context, Result};
use serde::de::DeserializeOwned;
use serde_json::{json, Value};

/// The timeout for every wait. A browser that doesn't answer in this time has failed.
const PATIENCE: Duration = Duration::from_secs(120);

const FLAGS: [&str; 13] = [
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--no-default-browser-check",
    // Neither pages nor the browser itself send requests to other machines.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
];

const NAMES: [&str; 6] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// Returns the name of the browser's program: the environment variable `CHROMIUM`, or the first
/// of [`NAMES`] that can be started.
pub(crate) fn find() -> Result<String, String> {
    if cfg!(not(unix)) {
        return Err("they speak to the browser through pipes that only Unix has".to_owned());
    }
    let given = std::env::var("CHROMIUM");
    let names = given.as_ref().map_or(NAMES.to_vec(), |given| vec![given]);
    let starts = |name: &&&str| Command::new(name).arg("--version").output().is_ok();
    names.iter().find(starts).map(ToString::to_string).ok_or_else(|| match given {
        Ok(given) => format!("CHROMIUM is {given}, which cannot be started"),
        Err(_) => "there is no Chromium: install it (Debian: apt-get install chromium), or give the path of a \
                   Chromium or Chrome in the environment variable CHROMIUM"
            .to_owned(),
    })
}

/// A browser with one tab, controlled by the tests.
pub(crate) struct Tab {
    browser: Child,
    input: Option<ChildStdin>,
    said: Receiver<Value>,
    target: Value,
    session: Value,
    sent: u64,
    /// The events that the browser has sent since the tab was last reset.
    pub(crate) events: Vec<Value>,
    /// The directory with the browser's profile and its standard error.
    directory: tempfile::TempDir,
}

impl Tab {
    pub(crate) fn start(program: &str) -> Result<Tab> {
        let directory = tempfile::tempdir()?;
        let mut command = Command::new("sh");
        command.args(["-c", r#"exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null"#, "sh"]);
        command.arg(program).args(FLAGS);
        command.arg(format!("--user-data-dir={}", directory.path().join("profile").display()));
        // Containers often run programs as root, and the browser's sandbox doesn't work for root.
        let user = Command::new("id").arg("-u").output()?.stdout;
        command.args((user.trim_ascii() == b"0").then_some("--no-sandbox"));
        // Open an empty page first, because the page for a new tab loads hundreds of scripts.
        command.arg("about:blank");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(File::create(directory.path().join("stderr"))?);
        let mut browser = command.spawn().context("sh cannot be started")?;
        let input = browser.stdin.take();
        let output = BufReader::new(browser.stdout.take().context("a pipe was asked for")?);
        let (say, said) = mpsc::channel();
        thread::spawn(move || {
            for message in output.split(0).map_while(Result::ok) {
                // Sending fails only if the `Tab` was dropped.
                let _ = say.send(serde_json::from_slice(&message).unwrap_or_default());
            }
        });
        let (target, session, events) = (Value::Null, Value::Null, Vec::new());
        let mut tab = Tab { browser, input, said, target, session, sent: 0, events, directory };
        let mut targets = tab.send("Target.getTargets", json!({}))?;
        let pages = targets["targetInfos"].as_array_mut().context("a browser has targets")?;
        let page = pages.iter_mut().find(|target| target["type"] == "page");
        tab.target = page.context("a browser has a tab")?["targetId"].take();
        Ok(tab)
    }

    /// Resets all settings of the tab, and deletes what pages of `origin` have stored.
    pub(crate) fn renew(&mut self, origin: &str) -> Result<()> {
        if !self.session.is_null() {
            self.send("Page.navigate", json!({"url": "about:blank"}))?;
            let session = std::mem::take(&mut self.session);
            self.send("Target.detachFromTarget", json!({"sessionId": session}))?;
        }
        let attach = json!({"targetId": self.target, "flatten": true});
        self.session = self.send("Target.attachToTarget", attach)?["sessionId"].take();
        self.events.clear();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.send(&format!("{domain}.enable"), json!({}))?;
        }
        // Makes the tab behave as if its window were in front.
        self.send("Emulation.setFocusEmulationEnabled", json!({"enabled": true}))?;
        let forget = json!({"origin": origin, "storageTypes": "local_storage"});
        self.send("Storage.clearDataForOrigin", forget)?;
        self.before_each_page(include_str!("print.js"))?;
        self.resize(1000)
    }

    pub(crate) fn send(&mut self, method: &str, parameters: Value) -> Result<Value> {
        self.sent += 1;
        let id = self.sent;
        let mut message = json!({"id": id, "method": method, "params": parameters});
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        let input = self.input.as_mut().expect("it is open until the tab is dropped");
        let written = write!(input, "{message}\0").and_then(|()| input.flush());
        written.map_err(|error| anyhow!("{method}: {error}: {}", self.last_words()))?;
        loop {
            let mut said = self.next().with_context(|| format!("no reply to {method}"))?;
            if said["id"] == id {
                let error =
                    said["error"]["message"].as_str().map(|error| anyhow!("{method}: {error}"));
                return error.map_or_else(|| Ok(said["result"].take()), Err);
            }
            self.events.push(said);
        }
    }

    fn next(&self) -> Result<Value> {
        let said = self.said.recv_timeout(PATIENCE);
        said.map_err(|error| anyhow!("the browser says nothing, {error}: {}", self.last_words()))
    }

    /// Returns the last lines that the browser wrote to standard error.
    fn last_words(&self) -> String {
        let text = fs::read_to_string(self.directory.path().join("stderr")).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(5)..].join("\n")
    }

    pub(crate) fn resize(&mut self, width: u32) -> Result<()> {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.send("Emulation.setDeviceMetricsOverride", size).map(drop)
    }

    /// Makes each page that is opened from now on run `script` before its own scripts.
    pub(crate) fn before_each_page(&mut self, script: &str) -> Result<()> {
        self.send("Page.addScriptToEvaluateOnNewDocument", json!({"source": script})).map(drop)
    }

    pub(crate) fn open(&mut self, url: &str) -> Result<()> {
        let before = self.events.len();
        let reply = self.send("Page.navigate", json!({"url": url}))?;
        if let Some(error) = reply["errorText"].as_str() {
            bail!("{url}: {error}");
        }
        while !self.events[before..].iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.next().with_context(|| format!("{url} is not loaded"))?;
            self.events.push(event);
        }
        Ok(())
    }

    /// Returns the value of a JavaScript expression in the page. If the value is a promise, waits
    /// for it.
    pub(crate) fn evaluate<T: DeserializeOwned>(&mut self, expression: &str) -> Result<T> {
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

    /// Runs a JavaScript statement in the page, and ignores its value.
    pub(crate) fn run(&mut self, statement: &str) -> Result<()> {
        self.evaluate::<Option<bool>>(&format!("void ({statement})")).map(drop)
    }

    /// Waits until a JavaScript expression is true in the page. The page may be replaced by
    /// another one meanwhile.
    pub(crate) fn until(&mut self, expression: &str, what: &str) -> Result<()> {
        let deadline = Instant::now() + PATIENCE / 2;
        while Instant::now() < deadline {
            match self.evaluate(&format!("Boolean({expression})")) {
                Ok(true) => return Ok(()),
                Err(error) if !error.to_string().starts_with("Runtime.") => return Err(error),
                _ => thread::sleep(Duration::from_millis(15)),
            }
        }
        bail!("{what}: not within {:?}", PATIENCE / 2)
    }

    pub(crate) fn press(&mut self, key: Key) -> Result<()> {
        let (name, number, text) = match key {
            Key::Tab => ("Tab", 9, ""),
            Key::Enter => ("Enter", 13, "\r"),
            Key::Space => ("Space", 32, " "),
            Key::Right => ("ArrowRight", 39, ""),
        };
        let value = if text == " " { text } else { name };
        for (kind, text) in [("keyDown", text), ("keyUp", "")] {
            let event = json!({"type": kind, "key": value, "code": name, "text": text,
                               "windowsVirtualKeyCode": number});
            self.send("Input.dispatchKeyEvent", event)?;
        }
        Ok(())
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        // Closing the pipe ends the browser. If it doesn't, kill the browser.
        self.input.take();
        for _ in 0..500 {
            if matches!(self.browser.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.browser.kill().and_then(|()| self.browser.wait());
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Key {
    Tab,
    Enter,
    Space,
    Right,
}
