//! The code on the chapter's page, one file per way to run a batch. Each file
//! compiles alone.

#[cfg(target_os = "linux")]
pub mod glommio_pool;
pub mod rayon_jobs;
pub mod rayon_par_iter;
pub mod round_robin;
pub mod shared_index;
pub mod tokio_tasks;
