#![cfg(test)]
#![recursion_limit = "256"]
//! Tests of messages: their bodies, their signatures, and what receivers may do.

mod bodies;
mod content;
mod delivery;
mod limits;
mod receiver;
mod schema;
mod signature;
mod webhook;
