//! CPU use: how the machine's CPU time was shared out, what this run used, what others
//! did, and what the hypervisor kept.

use std::time::{Duration, Instant};

use crate::kernel_files::KernelFiles;
use crate::own_control_group::{Accounting, OwnControlGroup};
use crate::processes::Processes;

/// Knows what this run's own processes use, as long as it lives. There is one at
/// a time, begun before the first child is started, so that children belong to it.
///
/// What is the run's own is known in one of three ways, the first that is possible:
///
/// - `cgroup v2`: this process is in a control group of its own, which it made and
///   goes out of at the end, or which it was started in; `cpu.stat` has the sum.
/// - `cpuacct`: the same of version 1.
/// - `process tree`: this process, its living descendants and those that were
///   waited for, from /proc. It misses who lost its parents: such a process would
///   be foreign. In steps of 10 ms a process.
///
/// Without root the first is possible below a user's own systemd, and in a
/// container of which the run is the only work.
#[derive(Debug)]
pub struct CpuUse {
    files: KernelFiles,
    /// `None` where there is no /proc.
    meter: Option<Meter>,
}

#[derive(Debug)]
enum Meter {
    Group(OwnControlGroup),
    ProcessTree,
}

/// The machine's and the run's CPU time at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    at: Instant,
    cpus: u32,
    idle: Duration,
    /// Interrupts, soft ones too.
    interrupts: Duration,
    steal: Duration,
    own: Duration,
    /// What other processes have used, by /proc.
    others: Duration,
}

/// Shares of all CPU time between two readings, 0 to 1, in steps of 0.0001.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Shares {
    /// What processes used that are not the run's.
    pub foreign: f64,
    /// What the hypervisor kept.
    pub steal: f64,
}

impl CpuUse {
    /// Begins to add up. Nothing fails: the process tree is known where nothing
    /// better is.
    pub fn begin() -> CpuUse {
        let files = KernelFiles::of_this_computer();
        let ways = [Accounting::V2, Accounting::Cpuacct];
        let group =
            ways.into_iter().find_map(|accounting| OwnControlGroup::begin(&files, accounting));
        match group {
            Some(group) => CpuUse { files, meter: Some(Meter::Group(group)) },
            None => CpuUse::by_the_process_tree(files),
        }
    }

    /// For a process that is to stay in its group: it is not moved.
    pub(crate) fn by_the_process_tree(files: KernelFiles) -> CpuUse {
        let meter = Processes::now(&files).map(|_| Meter::ProcessTree);
        CpuUse { files, meter }
    }

    /// A reading; `None` where it is not known how (everywhere but on Linux), or
    /// /proc is not there. The kernel counts in steps of 10 ms: between two
    /// readings there should be half a second or more. Takes some milliseconds.
    pub fn now(&self) -> Option<Reading> {
        let at = Instant::now();
        let times = self.files.cpu_times()?;
        let processes = Processes::now(&self.files)?;
        let own = match self.meter.as_ref()? {
            Meter::Group(group) => group.used()?,
            Meter::ProcessTree => processes.own_use(),
        };
        let total = &times.total;
        let if_known = |time: Option<Duration>| time.unwrap_or_default();
        let irq = if_known(total.irq_duration());
        Some(Reading {
            at,
            cpus: u32::try_from(times.cpu_time.len()).ok()?,
            idle: total.idle_duration() + if_known(total.iowait_duration()),
            interrupts: irq + if_known(total.softirq_duration()),
            steal: if_known(total.steal_duration()),
            own,
            others: processes.used_by_others(),
        })
    }

    /// How it is known what is the run's own: `cgroup v2`, `cpuacct` or
    /// `process tree`; `None` where it is not.
    pub fn by(&self) -> Option<&'static str> {
        Some(match self.meter.as_ref()? {
            Meter::Group(group) => match group.accounting() {
                Accounting::V2 => "cgroup v2",
                Accounting::Cpuacct => "cpuacct",
            },
            Meter::ProcessTree => "process tree",
        })
    }

    /// Where it reads.
    pub(crate) fn files(&self) -> &KernelFiles {
        &self.files
    }
}

impl Reading {
    /// Who used what since `earlier`.
    ///
    /// Time in interrupts, soft ones too, is nobody's: on a machine that measures
    /// it is mostly the run's own traffic over loopback, but the kernel does not
    /// say whose. And all time is what the clock says, times the CPUs; the kernel's
    /// own sum is of ticks, which hit the one or the other by chance, while it
    /// knows idle time exactly.
    pub fn since(&self, earlier: &Reading) -> Shares {
        let all = self.all_since(earlier).as_secs_f64();
        if all == 0.0 {
            return Shares::default();
        }
        let steal = self.steal.saturating_sub(earlier.steal);
        let foreign = self.foreign_since(earlier);
        let share = |time: Duration| {
            let share = (time.as_secs_f64() / all).min(1.0);
            (share * 1e4).round() / 1e4
        };
        Shares { foreign: share(foreign), steal: share(steal) }
    }

    /// How long ago `earlier` was.
    pub fn elapsed_since(&self, earlier: &Reading) -> Duration {
        self.at.saturating_duration_since(earlier.at)
    }

    fn all_since(&self, earlier: &Reading) -> Duration {
        self.elapsed_since(earlier) * self.cpus
    }

    /// What is left of all time, but no more than other processes have used. Time may
    /// be counted twice, as stolen while a CPU was idle, or as an interrupt's and a
    /// process's; then nothing is left. And where threads of the run wake each other
    /// on other CPUs all the time, some of what that takes is nobody's: it was 6 % in
    /// a brigade of 50 threads, while no other process did anything.
    fn foreign_since(&self, earlier: &Reading) -> Duration {
        let known = [
            self.idle.saturating_sub(earlier.idle),
            self.interrupts.saturating_sub(earlier.interrupts),
            self.steal.saturating_sub(earlier.steal),
            self.own.saturating_sub(earlier.own),
        ];
        let left = self.all_since(earlier).saturating_sub(known.iter().sum());
        left.min(self.others.saturating_sub(earlier.others))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_files::tests::made;

    /// A reading a second after the last, of two CPUs: in milliseconds.
    fn reading(at: Instant, [idle, interrupts, steal, own]: [u64; 4]) -> Reading {
        let of = Duration::from_millis;
        Reading {
            at,
            cpus: 2,
            idle: of(idle),
            interrupts: of(interrupts),
            steal: of(steal),
            own: of(own),
            others: Duration::ZERO,
        }
    }

    /// Others have used so many milliseconds in between, by /proc.
    fn shares_beside(others: u64, earlier: [u64; 4], later: [u64; 4]) -> Shares {
        let at = Instant::now();
        let earlier = reading(at, earlier);
        let later = reading(at + Duration::from_secs(1), later);
        let others = Duration::from_millis(others);
        Reading { others, ..later }.since(&earlier)
    }

    fn shares(earlier: [u64; 4], later: [u64; 4]) -> Shares {
        shares_beside(5_000, earlier, later)
    }

    #[test]
    fn what_no_other_process_has_used_is_not_foreign() {
        let left = [700, 100, 40, 1_000];
        assert_eq!(shares_beside(20, [0; 4], left).foreign, 0.01);
        assert_eq!(shares_beside(0, [0; 4], left).foreign, 0.0);
    }

    #[test]
    fn what_is_left_of_all_time_is_foreign() {
        let shares = shares([9_000, 400, 30, 5_000], [9_700, 500, 70, 6_000]);
        // Of 2,000: 700 idle, 100 in interrupts, 40 stolen, 1,000 our own.
        assert_eq!(shares, Shares { foreign: 0.08, steal: 0.02 });
    }

    #[test]
    fn interrupts_are_nobodys() {
        let none = shares([0; 4], [1_000, 0, 0, 1_000]);
        assert_eq!(none.foreign, 0.0);
        let many = shares([0; 4], [1_000, 500, 0, 500]);
        assert_eq!(many.foreign, 0.0);
    }

    #[test]
    fn what_is_counted_twice_makes_no_share_below_0_or_above_1() {
        let twice = shares([0; 4], [2_000, 0, 2_100, 1_500]);
        assert_eq!(twice, Shares { foreign: 0.0, steal: 1.0 });
        let backwards = shares([500, 0, 0, 700], [400, 0, 0, 600]);
        assert_eq!(backwards, Shares { foreign: 1.0, steal: 0.0 });
    }

    #[test]
    fn no_time_is_shared_out_to_nobody() {
        let reading = reading(Instant::now(), [5, 5, 5, 5]);
        assert_eq!(reading.since(&reading), Shares::default());
    }

    /// `/proc/stat` of a computer with one core that has been idle for so many ticks.
    fn one_core(idle: u64) -> String {
        let times = format!("100 0 50 {idle} 7 2 3 4 0 0");
        format!("cpu  {times}\ncpu0 {times}\nctxt 1\nbtime 2\nprocesses 3\n")
    }

    #[test]
    fn the_kernels_files_are_read_where_there_is_one_core() {
        let me = std::process::id();
        let stat = |id, parent, user| {
            format!("{id} (a) S {parent} 1 1 0 0 0 0 0 0 0 {user} 5{}\n", " 0".repeat(37))
        };
        let (_root, files) = made(&[
            ("/proc/stat", &one_core(900)),
            (&format!("/proc/{me}/stat"), &stat(me, 1, 20)),
            ("/proc/1/stat", &stat(1, 0, 300)),
        ]);
        let own = CpuUse::by_the_process_tree(files);
        assert_eq!(own.by(), Some("process tree"));
        let reading = own.now().unwrap();
        let ticks = |ticks: u64| Duration::from_millis(10 * ticks);
        assert_eq!(reading.cpus, 1);
        assert_eq!(reading.idle, ticks(900 + 7));
        assert_eq!(reading.interrupts, ticks(2 + 3));
        assert_eq!(reading.steal, ticks(4));
        assert_eq!(reading.own, ticks(20 + 5));
        assert_eq!(reading.others, ticks(300 + 5));
    }

    #[test]
    fn where_the_kernel_tells_nothing_nothing_is_known() {
        let (_root, files) = made(&[]);
        let own = CpuUse::by_the_process_tree(files);
        assert_eq!(own.by(), None);
        assert!(own.now().is_none());
    }

    /// Real processes that compute: ours and another's.
    #[cfg(target_os = "linux")]
    mod on_this_machine {
        use std::fs;
        use std::path::Path;
        use std::process::{Child, Command, Output, Stdio};
        use std::thread::sleep;

        use super::*;
        use crate::own_control_group::tests::{abandon_group, current_group};

        /// How the subject is to know its own use; as it does by itself if this is
        /// not set.
        const BY: &str = "HOST_TEST_OWN_USE";
        const IMPOSSIBLE: &str = "not possible here";

        /// A process has to compute so long before it is judged.
        const COMPUTED: Duration = Duration::from_millis(600);
        /// How far two ways to add up may be apart, in CPUs.
        const TOLERANCE: f64 = 0.2;
        /// Others may begin and end unseen meanwhile: then it is judged anew.
        const TRIES: usize = 5;

        /// Ends by itself, if the test does not end it: after 60 s of CPU time.
        const SPIN: &str = "ulimit -t 60; while [ -e \"$0\" ]; do :; done";

        #[test]
        fn what_others_compute_is_foreign_and_what_we_compute_is_not() {
            let ways = ["cgroup v2", "cpuacct", "process tree"];
            let possible = ways.map(|way| !subject_by(way).contains(IMPOSSIBLE));
            let first = possible.iter().position(|&possible| possible);
            let first = ways[first.expect("there is always the process tree")];
            let chosen = subject(&mut subject_program());
            assert!(chosen.contains(&format!("known by {first}\n")), "{chosen}");
        }

        fn subject_by(way: &str) -> String {
            subject(subject_program().env(BY, way))
        }

        /// This program, with only the test [`told_apart`]: who moves from group to
        /// group should be a process of its own.
        fn subject_program() -> Command {
            let module = module_path!().split_once("::").expect("a path").1;
            let program = std::env::current_exe().expect("there is a program");
            let mut command = Command::new(program);
            command
                .args(["--ignored", "--exact", "--nocapture"])
                .arg(format!("{module}::told_apart"));
            command
        }

        /// What it says.
        fn subject(command: &mut Command) -> String {
            let Output { status, stdout, stderr } = command.output().unwrap();
            let said = String::from_utf8_lossy(&stdout).into_owned();
            let errors = String::from_utf8_lossy(&stderr);
            assert!(status.success(), "{said}{errors}");
            assert!(said.contains("1 passed"), "{said}{errors}");
            said
        }

        #[test]
        #[ignore = "is started by another test, in a process of its own"]
        fn told_apart() {
            let directory = tempfile::tempdir().unwrap();
            let [of_another, of_ours] = ["another", "ours"].map(|name| {
                let while_it_is_there = directory.path().join(name);
                fs::write(&while_it_is_there, "").unwrap();
                while_it_is_there
            });
            // Before the group is begun, so that it is not in there.
            let foreigner = orphan_that_spins(&of_another);
            let way = std::env::var(BY).ok();
            let accounting = match way.as_deref() {
                Some("cgroup v2") => Some(Accounting::V2),
                Some("cpuacct") => Some(Accounting::Cpuacct),
                _ => None,
            };
            let before = accounting.and_then(current_group);
            let abandoned = accounting.and_then(abandon_group);
            let files = KernelFiles::of_this_computer();
            let own = match (way, accounting) {
                (None, _) => CpuUse::begin(),
                (Some(_), None) => CpuUse::by_the_process_tree(files),
                (Some(_), Some(accounting)) => match OwnControlGroup::begin(&files, accounting) {
                    Some(group) => CpuUse { files, meter: Some(Meter::Group(group)) },
                    None => return println!("{IMPOSSIBLE}"),
                },
            };
            println!("known by {}", own.by().unwrap());
            assert!(!abandoned.is_some_and(|group| group.exists()));

            judge(&own, foreigner, |used, spun| {
                used.own < 0.2 * spun && used.foreign > spun - used.tolerance
            });
            fs::remove_file(&of_another).unwrap();

            let mut child = child_that_spins(&of_ours);
            judge(&own, child.id(), |used, spun| used.own > spun - used.tolerance);
            child.kill().unwrap();
            child.wait().unwrap();

            let group = accounting.and_then(current_group);
            drop(own);
            assert_eq!(accounting.and_then(current_group), before);
            if group != before {
                assert!(!group.unwrap().exists());
            }
        }

        /// A process whose parent has ended, so that it descends from us no more.
        fn orphan_that_spins(while_there: &Path) -> u32 {
            let shell = format!("({SPIN}) >/dev/null 2>&1 & echo $!");
            let mut command = Command::new("sh");
            command.arg("-c").arg(shell).arg(while_there);
            let said = command.output().unwrap().stdout;
            String::from_utf8(said).unwrap().trim().parse().unwrap()
        }

        fn child_that_spins(while_there: &Path) -> Child {
            let mut command = Command::new("sh");
            command.arg("-c").arg(SPIN).arg(while_there);
            command.stdout(Stdio::null()).spawn().unwrap()
        }

        /// In seconds.
        #[derive(Debug)]
        struct Used {
            own: f64,
            foreign: f64,
            /// What all others used, as their own entries in /proc say.
            others: f64,
            tolerance: f64,
        }

        /// Reads twice, and in between waits until the process `spinner` has
        /// computed for a time: by its own CPU time, since a busy machine may give
        /// it little. Foreign is never to be more than what others say that they
        /// used.
        fn judge(own: &CpuUse, spinner: u32, is_right: impl Fn(&Used, f64) -> bool) {
            let spun = |processes: &Processes| processes.used_by(spinner).expect("it spins");
            let mut seen = Vec::new();
            for _ in 0..TRIES {
                let processes = || Processes::now(own.files()).unwrap();
                let (first, before) = (own.now().unwrap(), processes());
                let (last, after) = loop {
                    sleep(Duration::from_millis(50));
                    let now = processes();
                    if spun(&now) - spun(&before) >= COMPUTED {
                        break (own.now().unwrap(), now);
                    }
                };
                let shares = last.since(&first);
                let spun = (spun(&after) - spun(&before)).as_secs_f64();
                let others = after.used_by_others();
                let others = others.saturating_sub(before.used_by_others());
                let all = last.all_since(&first).as_secs_f64();
                let used = Used {
                    own: last.own.saturating_sub(first.own).as_secs_f64(),
                    foreign: shares.foreign * all,
                    others: others.as_secs_f64(),
                    tolerance: TOLERANCE * last.elapsed_since(&first).as_secs_f64(),
                };
                let is_bounded = used.foreign < used.others + used.tolerance;
                let is_right = is_bounded && is_right(&used, spun);
                println!("{spun:.2} s spun, {shares:?}, {used:.2?}");
                if is_right {
                    return;
                }
                seen.push((spun, used));
            }
            panic!("seconds spun, and what was made of them: {seen:?}");
        }
    }
}
