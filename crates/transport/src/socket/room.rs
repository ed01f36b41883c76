//! The rooms of organisations: which sockets receive commits, and up to which revision.

use std::collections::HashMap;
use std::sync::Arc;

use allclear_application::outbox::{Commit, PublicEvent};
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use allclear_socketio::{Event, Namespace, SocketRef};
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::commit_log::{CommitLog, LogEntry};

/// All rooms with members.
#[derive(Default)]
pub(super) struct Rooms {
    rooms: Mutex<HashMap<OrganisationId, Room>>,
    advanced: Notify,
}

#[derive(Default)]
struct Room {
    /// Number of memberships.
    memberships: usize,
    /// Revision up to which the room has received commits. `None` before the first socket has
    /// joined, and after commits were lost.
    received: Option<Revision>,
    /// The recent commits, for paused sockets.
    log: CommitLog<Arc<Commit>>,
}

/// Keeps a room open. The socket's data holds it.
pub(super) struct RoomMembership {
    rooms: Arc<Rooms>,
    organisation: OrganisationId,
}

/// A socket that has left the room to be acknowledged between two events.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paused {
    /// Revision up to which the socket has received events.
    received: Option<Revision>,
}

impl Paused {
    /// Whether the socket has received events after a revision.
    pub(super) fn is_ahead_of(self, revision: Revision) -> bool {
        self.received.is_some_and(|received| received > revision)
    }
}

/// The room no longer keeps all commits that the socket has missed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReplayGap;

/// Name of the room in the namespace.
fn name(organisation: &OrganisationId) -> String {
    format!("organisation:{organisation}")
}

impl Rooms {
    /// Adds a membership; from now on the room tracks its revision. Must precede the question to
    /// the relay for its position.
    pub(super) fn membership(self: &Arc<Self>, organisation: &OrganisationId) -> RoomMembership {
        self.rooms
            .lock()
            .entry(organisation.clone())
            .or_default()
            .memberships += 1;
        RoomMembership {
            rooms: Arc::clone(self),
            organisation: organisation.clone(),
        }
    }

    /// Whether the room has members.
    pub(super) fn is_open(&self, organisation: &OrganisationId) -> bool {
        self.rooms.lock().contains_key(organisation)
    }

    /// Sends a commit to all sockets in its room.
    pub(super) fn send(&self, namespace: &Namespace, commit: &Arc<Commit>) {
        let mut rooms = self.rooms.lock();
        let Some(room) = rooms.get_mut(&commit.organisation) else {
            return;
        };
        // The first socket may have joined after this commit while it was being delivered.
        if room
            .received
            .is_some_and(|received| commit.revision() <= received)
        {
            return;
        }
        // Together, because an incident may change hundreds of components: a client that keeps up
        // has room for the next commit.
        let events: Vec<_> = events(commit).collect();
        namespace.to(&name(&commit.organisation)).emit_all(&events);
        room.keep(commit);
        drop(rooms);
        self.advanced.notify_waiters();
    }

    /// Closes the transports of all sockets in the room, because commits were lost; their clients
    /// reconnect and read again.
    pub(super) fn reset(&self, namespace: &Namespace, organisation: &OrganisationId) {
        let mut rooms = self.rooms.lock();
        if let Some(room) = rooms.get_mut(organisation) {
            *room = Room {
                memberships: room.memberships,
                ..Room::default()
            };
            namespace.to(&name(organisation)).close_transports();
        }
    }

    /// Puts a socket with a membership into its room. `delivered` is the position of the relay.
    /// `acknowledge` is called with the revision of the room, before any later event.
    pub(super) fn join(
        &self,
        membership: &RoomMembership,
        socket: &SocketRef,
        delivered: Revision,
        acknowledge: impl FnOnce(Revision),
    ) {
        let mut rooms = self.rooms.lock();
        if let Some(room) = rooms.get_mut(&membership.organisation) {
            let received = *room.received.get_or_insert(delivered);
            socket.join(&name(&membership.organisation));
            acknowledge(received);
        }
    }

    /// Takes a socket out of the room until `resume`.
    pub(super) fn pause(&self, organisation: &OrganisationId, socket: &SocketRef) -> Paused {
        let rooms = self.rooms.lock();
        socket.leave(&name(organisation));
        Paused {
            received: rooms.get(organisation).and_then(|room| room.received),
        }
    }

    /// Waits until the room has received a revision.
    pub(super) async fn reach(&self, organisation: &OrganisationId, revision: Revision) {
        loop {
            let advanced = self.advanced.notified();
            if self
                .rooms
                .lock()
                .get(organisation)
                .is_none_or(|room| room.received.is_none_or(|received| received >= revision))
            {
                return;
            }
            advanced.await;
        }
    }

    /// Puts a socket back into the room and sends it what it has missed. `acknowledge` is called
    /// between the events up to `revision` and the later ones.
    pub(super) fn resume(
        &self,
        organisation: &OrganisationId,
        socket: &SocketRef,
        paused: Paused,
        revision: Revision,
        acknowledge: impl FnOnce(),
    ) -> Result<(), ReplayGap> {
        let rooms = self.rooms.lock();
        let missed = rooms
            .get(organisation)
            .and_then(|room| room.since(paused.received?))
            .ok_or(ReplayGap)?;
        let (before, after): (Vec<_>, Vec<_>) =
            missed.partition(|commit| commit.revision() <= revision);
        let send = |commits: Vec<&Arc<Commit>>| {
            let events: Vec<_> = commits
                .into_iter()
                .flat_map(|commit| events(commit))
                .collect();
            socket.emit_all(&events);
        };
        send(before);
        acknowledge();
        send(after);
        socket.join(&name(organisation));
        Ok(())
    }
}

impl Room {
    fn keep(&mut self, commit: &Arc<Commit>) {
        self.received = Some(commit.revision());
        self.log.push(Arc::clone(commit));
    }

    /// Every commit after a revision; `None` if some of them are no longer kept.
    fn since(&self, revision: Revision) -> Option<impl Iterator<Item = &Arc<Commit>>> {
        let position = if self.received? <= revision {
            self.log.end()
        } else {
            self.log.after(revision)?
        };
        Some(self.log.since(position))
    }
}

impl LogEntry for Arc<Commit> {
    fn revision(&self) -> Revision {
        Commit::revision(self)
    }

    fn size(&self) -> usize {
        let size = |event: &PublicEvent| event.name.len() + event.args.get().len();
        self.events.iter().map(size).sum()
    }
}

impl RoomMembership {
    pub(super) fn organisation(&self) -> &OrganisationId {
        &self.organisation
    }
}

impl Drop for RoomMembership {
    fn drop(&mut self) {
        let mut rooms = self.rooms.rooms.lock();
        if let Some(room) = rooms.get_mut(&self.organisation) {
            room.memberships -= 1;
            if room.memberships == 0 {
                rooms.remove(&self.organisation);
            }
        }
    }
}

/// The events of a commit, ready to send.
fn events(commit: &Commit) -> impl Iterator<Item = Event> {
    commit
        .events
        .iter()
        .filter_map(|event| match Event::new(&event.name, &event.args) {
            Ok(event) => Some(event),
            Err(error) => {
                tracing::error!(
                    name = event.name,
                    error = &error as &dyn std::error::Error,
                    "an event cannot be encoded"
                );
                None
            }
        })
}

#[cfg(test)]
mod tests {
    use allclear_domain::event::EventKind;

    use super::*;

    fn commit(revision: i64, bytes: usize) -> Arc<Commit> {
        let events =
            vec![PublicEvent::new(EventKind::ComponentDeleted, &["x".repeat(bytes)]).unwrap()];
        Arc::new(Commit {
            organisation: OrganisationId::parse("org").unwrap(),
            revision,
            events,
            may_have_messages: false,
        })
    }

    fn since(room: &Room, revision: i64) -> Option<Vec<i64>> {
        Some(
            room.since(Revision(revision))?
                .map(|commit| commit.revision)
                .collect(),
        )
    }

    #[test]
    fn room_is_removed_with_its_last_membership() {
        let rooms = Arc::new(Rooms::default());
        let organisation = OrganisationId::parse("org").unwrap();
        let (one, two) = (
            rooms.membership(&organisation),
            rooms.membership(&organisation),
        );
        drop(one);
        assert_eq!(rooms.rooms.lock().len(), 1);
        drop(two);
        assert_eq!(rooms.rooms.lock().len(), 0);
    }

    #[test]
    fn socket_is_ahead_of_revisions_before_its_events() {
        let received = Some(Revision(3));
        assert!(Paused { received }.is_ahead_of(Revision(2)));
        assert!(!Paused { received }.is_ahead_of(Revision(3)));
        assert!(!Paused { received: None }.is_ahead_of(Revision(2)));
    }

    #[test]
    fn commits_before_a_gap_are_not_replayed() {
        let mut room = Room {
            received: Some(Revision(3)),
            ..Room::default()
        };
        room.keep(&commit(4, 1));
        room.keep(&commit(7, 1));
        assert_eq!(since(&room, 3), None);
        assert_eq!(since(&room, 6), Some(vec![7]));
    }
}
