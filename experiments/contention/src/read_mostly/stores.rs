use std::hint::black_box;
use std::sync::{Arc, Mutex, RwLock};

use arc_swap::{ArcSwap, Cache};
use left_right::{ReadHandle, ReadHandleFactory, WriteHandle};
use tokio::sync::watch;

use crate::listings::read_mostly::copies::{Copy, Current};
use crate::listings::read_mostly::left_right::{Replace, Side};
use crate::listings::read_mostly::{self, arc_swap as swap};

/// A configuration that changes as a whole: all eight numbers are equal to
/// its version.
pub(super) type Config = [u64; 8];

/// A way to store a configuration that one thread writes and all threads
/// read.
pub(super) trait Store: Send + Sync + 'static {
    /// A thread's handle for reading the configuration.
    type Reader<'a>;

    fn new(config: Config) -> Self;

    fn reader(&self) -> Self::Reader<'_>;

    fn read<Found>(
        reader: &mut Self::Reader<'_>,
        look: impl FnOnce(&Config) -> Found,
    ) -> Found;

    /// Replaces the configuration. Only one thread calls this.
    fn write(&self, new: Config);
}

/// A configuration without synchronisation. It is safe because it never
/// changes.
pub(super) struct Reference(Config);

impl Store for Reference {
    type Reader<'a> = &'a Config;

    fn new(config: Config) -> Self {
        Reference(config)
    }

    fn reader(&self) -> &Config {
        &self.0
    }

    fn read<Found>(
        config: &mut &Config,
        look: impl FnOnce(&Config) -> Found,
    ) -> Found {
        look(black_box(config))
    }

    fn write(&self, _: Config) {
        unreachable!("it never changes");
    }
}

/// Implements a store that keeps an `Arc` behind a lock. The lock is held
/// while the `Arc` is cloned, but not while the configuration is used.
macro_rules! arc_behind {
    ($name:ident, $lock:ty, |$taken:ident| $read:expr, $write:expr) => {
        pub(super) struct $name($lock);

        impl Store for $name {
            type Reader<'a> = &'a $lock;

            fn new(config: Config) -> Self {
                $name(<$lock>::new(Arc::new(config)))
            }

            fn reader(&self) -> &$lock {
                &self.0
            }

            fn read<Found>(
                $taken: &mut &$lock,
                look: impl FnOnce(&Config) -> Found,
            ) -> Found {
                let config = Arc::clone(&*$read);
                look(&config)
            }

            fn write(&self, new: Config) {
                let $taken = &self.0;
                *$write = Arc::new(new);
            }
        }
    };
}

arc_behind!(
    StdRwLock,
    RwLock<Arc<Config>>,
    |lock| lock.read().expect("no one panics with it"),
    lock.write().expect("no one panics with it")
);
arc_behind!(
    ParkingLotRwLock,
    parking_lot::RwLock<Arc<Config>>,
    |lock| lock.read(),
    lock.write()
);
arc_behind!(
    StdMutex,
    Mutex<Arc<Config>>,
    |lock| lock.lock().expect("no one panics with it"),
    lock.lock().expect("no one panics with it")
);

/// Implements a store based on `ArcSwap`, for one of the three ways to read
/// an `ArcSwap`.
macro_rules! swapped {
    ($name:ident, $reader:ty, |$of:ident| $by:expr, $read:path) => {
        pub(super) struct $name(ArcSwap<Config>);

        impl Store for $name {
            type Reader<'a> = $reader;

            fn new(config: Config) -> Self {
                $name(ArcSwap::from_pointee(config))
            }

            fn reader(&self) -> Self::Reader<'_> {
                let $of = &self.0;
                $by
            }

            fn read<Found>(
                config: &mut Self::Reader<'_>,
                look: impl FnOnce(&Config) -> Found,
            ) -> Found {
                $read(config, look)
            }

            fn write(&self, new: Config) {
                swap::write(&self.0, new);
            }
        }
    };
}

swapped!(Swapped, &'a ArcSwap<Config>, |of| of, swap::read);
swapped!(SwappedFull, &'a ArcSwap<Config>, |of| of, swap::read_full);
swapped!(
    SwappedCached,
    Cache<&'a ArcSwap<Config>, Arc<Config>>,
    |of| Cache::new(of),
    swap::read_cached
);

pub(super) struct LeftRight {
    readers: ReadHandleFactory<Side<Config>>,
    writer: Mutex<WriteHandle<Side<Config>, Replace<Config>>>,
}

impl Store for LeftRight {
    type Reader<'a> = ReadHandle<Side<Config>>;

    fn new(config: Config) -> Self {
        let (writer, reader) = left_right::new_from_empty(Side(config));
        LeftRight { readers: reader.factory(), writer: Mutex::new(writer) }
    }

    fn reader(&self) -> ReadHandle<Side<Config>> {
        self.readers.handle()
    }

    fn read<Found>(
        config: &mut ReadHandle<Side<Config>>,
        look: impl FnOnce(&Config) -> Found,
    ) -> Found {
        read_mostly::left_right::read(config, look)
    }

    fn write(&self, new: Config) {
        let mut writer = self.writer.lock().expect("no one panics with it");
        read_mostly::left_right::write(&mut writer, new);
    }
}

pub(super) struct Watch(watch::Sender<Config>);

impl Store for Watch {
    type Reader<'a> = watch::Receiver<Config>;

    fn new(config: Config) -> Self {
        Watch(watch::Sender::new(config))
    }

    fn reader(&self) -> watch::Receiver<Config> {
        self.0.subscribe()
    }

    fn read<Found>(
        config: &mut watch::Receiver<Config>,
        look: impl FnOnce(&Config) -> Found,
    ) -> Found {
        read_mostly::watch::read(config, look)
    }

    fn write(&self, new: Config) {
        read_mostly::watch::write(&self.0, new);
    }
}

pub(super) struct Copies(Current<Config>);

impl Store for Copies {
    type Reader<'a> = Copy<'a, Config>;

    fn new(config: Config) -> Self {
        Copies(Current::new(config))
    }

    fn reader(&self) -> Copy<'_, Config> {
        self.0.copy()
    }

    fn read<Found>(
        config: &mut Copy<'_, Config>,
        look: impl FnOnce(&Config) -> Found,
    ) -> Found {
        config.read(look)
    }

    fn write(&self, new: Config) {
        self.0.write(new);
    }
}
