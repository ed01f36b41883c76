//! The broadcast port: within this process, and between nodes by Redis.

mod in_process;
mod redis;

pub use in_process::InProcess;
pub use redis::{Redis, RedisOptions, clear_text_host};
