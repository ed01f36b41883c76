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

/// All rooms with members. A room is locked while a commit is sent to its sockets, so each has a
/// lock of its own: the other rooms do not wait for it.
#[derive(Default)]
pub(super) struct Rooms {
    rooms: Mutex<HashMap<OrganisationId, OpenRoom>>,
    advanced: Notify,
}

#[derive(Default)]
struct OpenRoom {
    /// Number of memberships.
    memberships: usize,
    room: Arc<Mutex<Room>>,
}

#[derive(Default)]
struct Room {
    /// Whether the last membership has ended. Its organisation may have another room since.
    is_closed: bool,
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
    room: Arc<Mutex<Room>>,
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
        let mut rooms = self.rooms.lock();
        let open = rooms.entry(organisation.clone()).or_default();
        open.memberships += 1;
        RoomMembership {
            rooms: Arc::clone(self),
            organisation: organisation.clone(),
            room: Arc::clone(&open.room),
        }
    }

    /// Whether the room has members.
    pub(super) fn is_open(&self, organisation: &OrganisationId) -> bool {
        self.rooms.lock().contains_key(organisation)
    }

    /// The room of an organisation. `None` if it has no members.
    fn find(&self, organisation: &OrganisationId) -> Option<Arc<Mutex<Room>>> {
        let rooms = self.rooms.lock();
        rooms.get(organisation).map(|open| Arc::clone(&open.room))
    }

    /// Sends a commit to all sockets in its room.
    pub(super) fn send(&self, namespace: &Namespace, commit: &Arc<Commit>) {
        let Some(room) = self.find(&commit.organisation) else {
            return;
        };
        let mut room = room.lock();
        // The first socket may have joined after this commit while it was being delivered.
        if room.is_closed
            || room
                .received
                .is_some_and(|received| commit.revision <= received)
        {
            return;
        }
        // Together, because an incident may change hundreds of components: a client that keeps up
        // has room for the next commit.
        let events: Vec<_> = events(commit).collect();
        namespace.to(&name(&commit.organisation)).emit_all(&events);
        room.keep(commit);
        drop(room);
        self.advanced.notify_waiters();
    }

    /// Closes the transports of all sockets in the room, because commits were lost; their clients
    /// reconnect and read again.
    pub(super) fn reset(&self, namespace: &Namespace, organisation: &OrganisationId) {
        let Some(room) = self.find(organisation) else {
            return;
        };
        let mut room = room.lock();
        if !room.is_closed {
            *room = Room::default();
            namespace.to(&name(organisation)).close_transports();
        }
    }

    /// Takes a socket out of the room until `resume`.
    pub(super) fn pause(&self, organisation: &OrganisationId, socket: &SocketRef) -> Paused {
        let room = self.find(organisation);
        let room = room.as_ref().map(|room| room.lock());
        socket.leave(&name(organisation));
        Paused {
            received: room.and_then(|room| room.received),
        }
    }

    /// Waits until the room has received a revision.
    pub(super) async fn reach(&self, organisation: &OrganisationId, revision: Revision) {
        loop {
            let advanced = self.advanced.notified();
            let room = self.find(organisation);
            let received = room.and_then(|room| room.lock().received);
            if received.is_none_or(|received| received >= revision) {
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
        let room = self.find(organisation).ok_or(ReplayGap)?;
        let room = room.lock();
        let missed = paused.received.and_then(|received| room.since(received));
        let missed = missed.ok_or(ReplayGap)?;
        let (before, after): (Vec<_>, Vec<_>) =
            missed.partition(|commit| commit.revision <= revision);
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
        self.received = Some(commit.revision);
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
        self.revision
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

    /// Puts the socket into the room. `delivered` is the position of the relay. `acknowledge` is
    /// called with the revision of the room, before any later event.
    pub(super) fn join(
        &self,
        socket: &SocketRef,
        delivered: Revision,
        acknowledge: impl FnOnce(Revision),
    ) {
        let mut room = self.room.lock();
        let received = *room.received.get_or_insert(delivered);
        socket.join(&name(&self.organisation));
        acknowledge(received);
    }
}

impl Drop for RoomMembership {
    fn drop(&mut self) {
        let mut rooms = self.rooms.rooms.lock();
        if let Some(open) = rooms.get_mut(&self.organisation) {
            open.memberships -= 1;
            if open.memberships == 0 {
                // A commit must not be sent by this room and also by the one that opens next.
                self.room.lock().is_closed = true;
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
            revision: Revision(revision),
            events,
            may_have_messages: false,
            notice_bytes: 0,
            counts_as: None,
            scheduled_events: 0,
            past_impacts: 0,
        })
    }

    fn since(room: &Room, revision: i64) -> Option<Vec<i64>> {
        Some(
            room.since(Revision(revision))?
                .map(|commit| commit.revision.0)
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
    fn room_to_which_a_commit_is_being_sent_keeps_nobody_waiting() {
        let rooms = Arc::new(Rooms::default());
        let id = |id| OrganisationId::parse(id).unwrap();
        let (busy, other) = (rooms.membership(&id("busy")), id("other"));
        let sending = busy.room.lock();
        let (second, membership) = (rooms.membership(&id("busy")), rooms.membership(&other));
        assert!(rooms.is_open(&other));
        drop(membership);
        assert!(!rooms.is_open(&other));
        drop(second);
        drop(sending);
        assert!(rooms.is_open(&id("busy")));
    }

    #[test]
    fn room_that_was_closed_while_a_commit_arrived_is_not_the_one_that_opens_next() {
        let rooms = Arc::new(Rooms::default());
        let organisation = OrganisationId::parse("org").unwrap();
        let last = rooms.membership(&organisation);
        let found = rooms.find(&organisation).unwrap();
        drop(last);
        let next = rooms.membership(&organisation);
        assert!(found.lock().is_closed && !next.room.lock().is_closed);
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
