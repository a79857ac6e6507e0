//! What the chapter's page shows, a way to run a batch a file. Each compiles alone.

pub mod rayon_jobs;
pub mod rayon_par_iter;
pub mod round_robin;
pub mod shared_index;
pub mod tokio_tasks;
