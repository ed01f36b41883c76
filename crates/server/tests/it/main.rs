#![cfg(test)]
//! The product as its clients see it: a real server on a free port.

mod app;
mod binary;
mod component;
mod delivery;
mod events;
mod faults;
mod identity;
mod incident;
mod maintenance;
mod nodes;
mod page;
mod problem;
mod process;
mod socket;
mod status;
mod subscriber;
