//! Describes how a machine's cores idle, and what waking a core involves.

use crate::machine::{IdleState, Machine};

/// The name of the parameter that limits how long a core polls under the governor `haltpoll`, in
/// nanoseconds.
const LIMIT: &str = "guest_halt_poll_ns";

impl Machine {
    /// Briefly describes how idle cores are configured: `haltpoll, halts at once`, `menu, C1 2
    /// us, C6 133 us`, or `no driver`. Returns `None` if this is unknown.
    pub fn idle_setting(&self) -> Option<String> {
        if self.polls_always() {
            return Some("idle=poll".to_owned());
        }
        let driver = self.idle_driver.as_deref();
        if driver == Some("none") {
            return Some("no driver".to_owned());
        }
        let governor = self.idle_governor.as_deref().unwrap_or("no governor");
        if governor == "haltpoll" {
            return Some(match self.haltpoll_limit()? {
                0 => format!("{governor}, halts at once"),
                limit => format!("{governor}, polls up to {} us", limit as f64 / 1e3),
            });
        }
        driver?;
        let states = self.states_to_leave();
        let states = states.map(|state| format!(", {} {} us", state.name, state.latency_us));
        Some(format!("{governor}{}", states.collect::<String>()))
    }

    /// Describes in a sentence, without its full stop, how cores idle and what waking one
    /// involves. Returns `None` if the machine's description lacks the details.
    pub fn idling(&self) -> Option<String> {
        if self.polls_always() {
            return Some(
                "idle cores poll, always (`idle=poll`): a wake-up across cores needs no interrupt"
                    .to_owned(),
            );
        }
        let is_virtual = self.virtual_machine == Some(true);
        let through = if is_virtual { " through the hypervisor" } else { "" };
        let driver = self.idle_driver.as_deref();
        if driver == Some("none") {
            let how = if is_virtual {
                "halts, and a wake-up across cores costs an interrupt through the hypervisor"
            } else {
                "halts, or waits in MWAIT where the processor has that"
            };
            return Some(format!(
                "no idle driver: an idle core {how}; the request in /dev/cpu_dma_latency is accepted and does \
                 nothing"
            ));
        }
        if self.idle_governor.as_deref() == Some("haltpoll") {
            // When it is loaded, the driver `haltpoll` asks the host not to poll.
            let is_off =
                driver == Some("haltpoll") && self.paravirtual.contains_key("POLL_CONTROL");
            let host = if is_off { ", and the host does not poll for them either" } else { "" };
            return Some(match self.haltpoll_limit()? {
                0 => format!(
                    "idle cores halt at once{host}: a wake-up across cores costs an interrupt{through}"
                ),
                limit => format!(
                    "idle cores poll for up to {} us, then they halt{host}: only a wake-up that comes later \
                     costs an interrupt{through}",
                    limit as f64 / 1e3
                ),
            });
        }
        driver?;
        let (watch, sleep): (Vec<_>, Vec<_>) =
            self.states_to_leave().partition(|state| state.description.contains("MWAIT"));
        let names = |states: &[&IdleState]| {
            states.iter().map(|state| &*state.name).collect::<Vec<_>>().join(", ")
        };
        let mut said = Vec::new();
        if !watch.is_empty() {
            said.push(format!(
                "an idle core waits in MWAIT ({}) and is woken by a store",
                names(&watch)
            ));
        }
        if !sleep.is_empty() {
            let core = if watch.is_empty() { "an idle core" } else { "one" };
            said.push(format!("{core} in {} is woken by an interrupt{through}", names(&sleep)));
        }
        let deepest = self.states_to_leave().max_by_key(|state| state.latency_us)?;
        said.push(format!("leaving {} takes {} us", deepest.name, deepest.latency_us));
        Some(said.join("; "))
    }

    /// Returns whether the kernel was started with `idle=poll`, which keeps idle cores polling
    /// without a driver.
    fn polls_always(&self) -> bool {
        self.kernel_parameters.get("idle").is_some_and(|it| it == "poll")
    }

    /// Returns how long a core may poll before it halts, in nanoseconds. `None` unless the
    /// governor is `haltpoll`. Prefers the current setting to the one on the kernel's command
    /// line.
    fn haltpoll_limit(&self) -> Option<u64> {
        self.idle_governor.as_ref().filter(|governor| *governor == "haltpoll")?;
        let told = || self.kernel_parameters.get(&format!("haltpoll.{LIMIT}"));
        self.haltpoll.get(LIMIT).or_else(told)?.parse().ok()
    }

    /// Returns the enabled idle states, except for the polling state, in which the core keeps
    /// running.
    fn states_to_leave(&self) -> impl Iterator<Item = &IdleState> {
        self.idle_states.iter().filter(|state| !state.disabled && state.name != "POLL")
    }
}
