//! Control groups that limit processor time. A new group is created below
//! this process's own group, or next to it if the kernel requires that.
//! Dropping a group removes it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

const ALL: &str = "/sys/fs/cgroup";
const PROCESSES: &str = "cgroup.procs";
const NAME: &str = "threads-tasks-and-cores-quota-";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    /// The limit, as a percentage of one processor's time. `None` means no
    /// limit.
    pub(crate) percent: Option<u64>,
    pub(crate) period: Duration,
    /// The unused CPU time that the group may accumulate and spend beyond its
    /// quota.
    pub(crate) burst: Duration,
}

impl Limit {
    fn quota(self) -> Option<u64> {
        let percent = self.percent?;
        Some(self.period.as_micros() as u64 * percent / 100)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

impl Version {
    /// Returns the name of a file that exists only in groups whose processor
    /// time can be limited.
    fn quota_file(self) -> &'static str {
        match self {
            Version::One => "cpu.cfs_quota_us",
            Version::Two => "cpu.max",
        }
    }
}

#[derive(Debug)]
pub(crate) struct Group {
    path: PathBuf,
    version: Version,
}

/// The kernel's figures on how often and how long a group was stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Throttling {
    /// The number of periods in which the group had something to run.
    pub(crate) periods: u64,
    /// The number of periods in which the group was stopped.
    pub(crate) throttled: u64,
    /// How long the group was stopped, summed over all processors.
    pub(crate) stopped: Duration,
}

impl Group {
    /// # Errors
    ///
    /// The reason for the failure at the last place tried.
    pub(crate) fn new(limit: Limit) -> Result<Group, String> {
        let own = fs::read_to_string("/proc/self/cgroup")
            .map_err(|error| format!("/proc/self/cgroup: {error}"))?;
        let mut reason = "no control group has the controller cpu".to_owned();
        for (version, place) in places(&own) {
            match Group::below(&place, version, limit) {
                Ok(group) => return Ok(group),
                Err(why) => reason = why,
            }
        }
        Err(reason)
    }

    fn below(
        place: &Path,
        version: Version,
        limit: Limit,
    ) -> Result<Group, String> {
        remove_what_was_left(place);
        let name = format!("{NAME}{}", std::process::id());
        let path = place.join(name);
        let failed = |error: io::Error| {
            format!("no control group at {}: {error}", path.display())
        };
        fs::create_dir(&path).map_err(failed)?;
        // Returning an error from here on drops `group`, which removes the
        // control group.
        let group = Group { path, version };
        let file = group.path.join(version.quota_file());
        if !file.exists() {
            return Err(format!(
                "{} has no controller cpu: {} may be written to by root",
                group.path.display(),
                place.join("cgroup.subtree_control").display()
            ));
        }
        group.limit(limit)?;
        Ok(group)
    }

    fn limit(&self, limit: Limit) -> Result<(), String> {
        let period = limit.period.as_micros();
        let burst = limit.burst.as_micros();
        match self.version {
            Version::One => {
                self.write("cpu.cfs_period_us", &period.to_string())?;
                let quota = limit.quota();
                let quota = quota.map_or("-1".to_owned(), |it| it.to_string());
                self.write("cpu.cfs_quota_us", &quota)?;
            }
            Version::Two => {
                let quota = limit.quota();
                let quota = quota.map_or("max".to_owned(), |it| it.to_string());
                self.write("cpu.max", &format!("{quota} {period}"))?;
            }
        }
        if burst == 0 {
            return Ok(());
        }
        let file = match self.version {
            Version::One => "cpu.cfs_burst_us",
            Version::Two => "cpu.max.burst",
        };
        self.write(file, &burst.to_string())
    }

    pub(crate) fn add(&self, process: u32) -> Result<(), String> {
        self.write(PROCESSES, &process.to_string())
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let file = self.path.join(name);
        fs::write(&file, text)
            .map_err(|error| format!("{text} to {}: {error}", file.display()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn throttling(&self) -> Result<Throttling, String> {
        let file = self.path.join("cpu.stat");
        let text = fs::read_to_string(&file)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(throttling(&text))
    }
}

fn throttling(text: &str) -> Throttling {
    let field = |name: &str| {
        let mut fields = text.lines().filter_map(|line| line.split_once(' '));
        let found = fields.find(|(field, _)| *field == name);
        found.and_then(|(_, value)| value.trim().parse().ok())
    };
    let nanos = field("throttled_time")
        .or_else(|| field("throttled_usec").map(|micros: u64| micros * 1_000));
    Throttling {
        periods: field("nr_periods").unwrap_or(0),
        throttled: field("nr_throttled").unwrap_or(0),
        stopped: Duration::from_nanos(nanos.unwrap_or(0)),
    }
}

/// Returns the directories in which a group may be created: below this
/// process's group, and next to it. `own` is the content of
/// `/proc/self/cgroup`.
fn places(own: &str) -> Vec<(Version, PathBuf)> {
    let mut places = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next())
        else {
            continue;
        };
        let is_one = controllers.split(',').any(|name| name == "cpu");
        let (version, tops) = match (is_one, controllers) {
            (true, _) => (Version::One, vec![Path::new(ALL).join(controllers)]),
            (false, "") => {
                let all = PathBuf::from(ALL);
                (Version::Two, vec![all.join("unified"), all])
            }
            _ => continue,
        };
        let Some(top) = tops.iter().find(|it| it.join(PROCESSES).exists())
        else {
            continue;
        };
        let below = top.join(path.trim_start_matches('/'));
        places.push((version, below.clone()));
        if let Some(next_to) = below.parent().filter(|it| it.starts_with(top)) {
            places.push((version, next_to.to_owned()));
        }
    }
    // Version 1 comes first, because a controller that version 1 manages
    // isn't available in version 2.
    places.sort_by_key(|(version, _)| *version == Version::Two);
    places
}

fn remove_what_was_left(place: &Path) {
    let groups = fs::read_dir(place).into_iter().flatten().flatten();
    for group in groups {
        let name = group.file_name();
        let id = name.to_str().and_then(|name| name.strip_prefix(NAME));
        if id.is_some_and(|id| !Path::new("/proc").join(id).exists()) {
            remove(&group.path());
        }
    }
}

/// Removes a group. Any process left in it moves to the parent group.
pub(super) fn remove(path: &Path) {
    // Removal may fail at first, because the group's last processes may still
    // be exiting. If the quota has stopped them, they can't exit before the
    // next period.
    for _ in 0..200 {
        let left = fs::read_to_string(path.join(PROCESSES));
        for id in left.unwrap_or_default().lines() {
            drop(fs::write(path.with_file_name(PROCESSES), id));
        }
        if fs::remove_dir(path).is_ok() || !path.exists() {
            return;
        }
        sleep(Duration::from_millis(10));
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};
    use std::time::Instant;

    use super::*;

    const HUNDRED: Limit = Limit {
        percent: Some(100),
        period: Duration::from_millis(100),
        burst: Duration::ZERO,
    };

    #[test]
    fn a_group_that_cannot_be_made_says_why_and_leaves_nothing() {
        let files = tempfile::tempdir().unwrap();
        let place = files.path();
        let why = Group::below(&place.join("none"), Version::Two, HUNDRED);
        let why = why.unwrap_err();
        assert!(why.contains("no control group at"), "{why}");
        // A directory that is not a control group has no file for the quota.
        for version in [Version::One, Version::Two] {
            let why = Group::below(place, version, HUNDRED).unwrap_err();
            assert!(why.contains("no controller cpu"), "{why}");
        }
        assert_eq!(fs::read_dir(place).unwrap().count(), 0);
    }

    #[test]
    fn both_versions_say_what_they_counted() {
        let one = "nr_periods 12\nnr_throttled 5\nthrottled_time 43804716\n";
        let two = "usage_usec 7\nnr_periods 12\nnr_throttled 5\n\
                   throttled_usec 43804\nnr_bursts 0\n";
        assert_eq!(throttling(one).stopped, Duration::from_nanos(43_804_716));
        assert_eq!(throttling(two).stopped, Duration::from_micros(43_804));
        for text in [one, two] {
            assert_eq!(throttling(text).periods, 12);
            assert_eq!(throttling(text).throttled, 5);
        }
        assert_eq!(throttling("nr_periods x"), Throttling::default());
    }

    fn spinning() -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", "while :; do :; done"]).stdin(Stdio::null());
        command.spawn().unwrap()
    }

    #[test]
    fn a_process_that_dies_while_it_is_stopped_leaves_no_group() {
        let one = Limit { percent: Some(1), ..HUNDRED };
        let group = match Group::new(one) {
            Ok(group) => group,
            Err(why) => return println!("cannot be tried here: {why}"),
        };
        let mut child = spinning();
        group.add(child.id()).unwrap();
        let start = Instant::now();
        while group.throttling().unwrap().throttled < 3 {
            assert!(start.elapsed() < Duration::from_secs(20));
            sleep(Duration::from_millis(10));
        }
        let path = group.path().to_owned();
        child.kill().unwrap();
        let start = Instant::now();
        drop(group);
        assert!(!path.exists());
        child.wait().unwrap();
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn what_a_dead_process_has_left_is_removed() {
        let group = match Group::new(HUNDRED) {
            Ok(group) => group,
            Err(why) => return println!("cannot be tried here: {why}"),
        };
        // No process has an ID this large.
        let left = group.path().with_file_name(format!("{NAME}99999999"));
        fs::create_dir(&left).unwrap();
        remove_what_was_left(left.parent().unwrap());
        assert!(!left.exists());
        assert!(group.path().exists());
    }
}
