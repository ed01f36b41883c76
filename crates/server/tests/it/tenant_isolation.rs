//! Whoever has no business here, at every door: each route of the OpenAPI document and each event of the socket, tried by
//! everybody who must not get through. A route or an event without its row fails.

mod forged;
mod route;
mod socket;
mod walk;
mod world;
