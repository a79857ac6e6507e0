//! What the chapter's page shows, a way to run a batch a file. Each compiles alone.

#[cfg(target_os = "linux")]
pub mod glommio_pool;
pub mod rayon_jobs;
pub mod rayon_par_iter;
pub mod round_robin;
pub mod shared_index;
pub mod tokio_tasks;
