//! Faults around the product, and what people notice of them.

mod concurrent_writes;
mod database_outage;
mod kill;
mod proxy;
mod public_documents;
mod redis;
mod released;
mod repeated;
mod shared_cache;
