//! More locks that protect the same eight settings. They are measured but not
//! shown on the chapter's page.

/// Settings protected by the standard library's mutex.
pub mod std_mutex {
    use std::hint::black_box;
    use std::sync::Mutex;

    use crate::listings::readers::std_rw_lock::Settings;

    /// Returns whether all settings have the same version.
    pub fn read(settings: &Mutex<Settings>) -> bool {
        let settings = settings.lock().expect("no one panics with it");
        settings.iter().all(|&one| black_box(one) == settings[0])
    }

    /// Increments the version of every setting.
    pub fn write(settings: &Mutex<Settings>) {
        let mut settings = settings.lock().expect("no one panics with it");
        settings.iter_mut().for_each(|one| *one += 1);
    }
}

/// Settings behind parking_lot's mutex.
pub mod parking_lot_mutex {
    use std::hint::black_box;

    use parking_lot::Mutex;

    use crate::listings::readers::std_rw_lock::Settings;

    /// Returns whether all settings have the same version.
    pub fn read(settings: &Mutex<Settings>) -> bool {
        let settings = settings.lock();
        settings.iter().all(|&one| black_box(one) == settings[0])
    }

    /// Increments the version of every setting.
    pub fn write(settings: &Mutex<Settings>) {
        settings.lock().iter_mut().for_each(|one| *one += 1);
    }
}

/// Settings protected by parking_lot's readers-writer lock.
pub mod parking_lot_rw_lock {
    use std::hint::black_box;

    use parking_lot::RwLock;

    use crate::listings::readers::std_rw_lock::Settings;

    /// Returns whether all settings have the same version.
    pub fn read(settings: &RwLock<Settings>) -> bool {
        let settings = settings.read();
        settings.iter().all(|&one| black_box(one) == settings[0])
    }

    /// Increments the version of every setting.
    pub fn write(settings: &RwLock<Settings>) {
        settings.write().iter_mut().for_each(|one| *one += 1);
    }
}

/// Settings protected by Tokio's readers-writer lock.
pub mod tokio_rw_lock {
    use std::hint::black_box;

    use tokio::sync::RwLock;

    use crate::listings::readers::std_rw_lock::Settings;

    /// Returns whether all settings have the same version.
    pub async fn read(settings: &RwLock<Settings>) -> bool {
        let settings = settings.read().await;
        settings.iter().all(|&one| black_box(one) == settings[0])
    }

    /// Increments the version of every setting.
    pub async fn write(settings: &RwLock<Settings>) {
        settings.write().await.iter_mut().for_each(|one| *one += 1);
    }
}

/// Settings without a lock: each thread has its own copy.
pub mod own {
    use std::hint::black_box;

    use crate::listings::readers::std_rw_lock::Settings;

    /// Returns whether all settings have the same version.
    pub fn read(settings: &Settings) -> bool {
        let settings = black_box(settings);
        settings.iter().all(|&one| black_box(one) == settings[0])
    }
}
