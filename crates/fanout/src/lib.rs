//! The broadcast port: within this process.

mod in_process;

pub use in_process::InProcess;
