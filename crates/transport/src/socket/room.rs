//! The organisations' rooms: who hears of what, and how far each room has been told.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use allclear_application::outbox::Commit;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use allclear_socketio::{Event, Namespace, SocketRef};
use tokio::sync::Notify;

/// How many of the newest commits are kept for sockets that are being answered, and their size in bytes.
const RECENT: usize = 256;
const RECENT_BYTES: usize = 256 * 1024;

/// Every room somebody has a seat in.
#[derive(Default)]
pub(super) struct Rooms {
    rooms: Mutex<HashMap<OrganisationId, Room>>,
    told: Notify,
}

#[derive(Default)]
struct Room {
    /// How many sockets hold it open.
    seats: usize,
    /// The room knows everything up to here; none before the first has joined, and after commits were lost.
    told: Option<Revision>,
    recent: VecDeque<Arc<Commit>>,
    recent_bytes: usize,
}

/// Holds a room open. It goes with its socket.
pub(super) struct RoomMembership {
    rooms: Arc<Rooms>,
    organisation: OrganisationId,
}

/// A socket that has left the room for a moment, to be answered between two events.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paused {
    /// The socket has been sent everything up to here.
    told: Option<Revision>,
}

/// A room went on without the socket further than is remembered.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReplayGap;

/// The room's name in the namespace.
fn name(organisation: &str) -> String {
    format!("organisation:{organisation}")
}

impl Rooms {
    /// Takes a seat: from here on the room notes how far it has been told. Do it before asking the relay where it is.
    pub(super) fn seat(self: &Arc<Self>, organisation: &OrganisationId) -> RoomMembership {
        self.lock().entry(organisation.clone()).or_default().seats += 1;
        RoomMembership {
            rooms: Arc::clone(self),
            organisation: organisation.clone(),
        }
    }

    /// Whether somebody has a seat.
    pub(super) fn is_open(&self, organisation: &OrganisationId) -> bool {
        self.lock().contains_key(organisation)
    }

    /// Sends a commit to everyone in its room.
    pub(super) fn tell(&self, namespace: &Namespace, commit: &Arc<Commit>) {
        let Ok(organisation) = OrganisationId::parse(&commit.organisation) else {
            return;
        };
        let mut rooms = self.lock();
        let Some(room) = rooms.get_mut(&organisation) else {
            return;
        };
        // Whoever was first to join while this commit was on its way has joined after it.
        if room.told.is_some_and(|told| commit.revision() <= told) {
            return;
        }
        let everyone = namespace.to(&name(&commit.organisation));
        for event in events(commit) {
            everyone.emit(&event);
        }
        room.keep(commit);
        drop(rooms);
        self.told.notify_waiters();
    }

    /// Commits were lost for good: everyone has to come back and read anew.
    pub(super) fn start_anew(&self, namespace: &Namespace, organisation: &OrganisationId) {
        let mut rooms = self.lock();
        if let Some(room) = rooms.get_mut(organisation) {
            *room = Room {
                seats: room.seats,
                ..Room::default()
            };
            namespace
                .to(&name(organisation.as_str()))
                .close_transports();
        }
    }

    /// Lets a socket with a seat in. `told` is where the relay is. `answer` gets the room's revision, before any later event.
    pub(super) fn join(
        &self,
        seat: &RoomMembership,
        socket: &SocketRef,
        told: Revision,
        answer: impl FnOnce(Revision),
    ) {
        let mut rooms = self.lock();
        if let Some(room) = rooms.get_mut(&seat.organisation) {
            let told = *room.told.get_or_insert(told);
            socket.join(&name(seat.organisation.as_str()));
            answer(told);
        }
    }

    /// Takes a socket out of the room for a moment.
    pub(super) fn pause(&self, organisation: &OrganisationId, socket: &SocketRef) -> Paused {
        let rooms = self.lock();
        socket.leave(&name(organisation.as_str()));
        Paused {
            told: rooms.get(organisation).and_then(|room| room.told),
        }
    }

    /// Waits until the room has been told of a revision.
    pub(super) async fn reach(&self, organisation: &OrganisationId, revision: Revision) {
        loop {
            let told = self.told.notified();
            if self
                .lock()
                .get(organisation)
                .is_none_or(|room| room.told.is_none_or(|told| told >= revision))
            {
                return;
            }
            told.await;
        }
    }

    /// Puts a socket back, sends it what it missed, and calls `answer` where the state of a revision belongs: after the
    /// events up to it, before the later ones.
    pub(super) fn resume(
        &self,
        organisation: &OrganisationId,
        socket: &SocketRef,
        away: Paused,
        revision: Revision,
        answer: impl FnOnce(),
    ) -> Result<(), ReplayGap> {
        let rooms = self.lock();
        let missed = rooms
            .get(organisation)
            .and_then(|room| room.since(away.told?))
            .ok_or(ReplayGap)?;
        let (before, after): (Vec<_>, Vec<_>) =
            missed.partition(|commit| commit.revision() <= revision);
        let send = |commits: Vec<&Arc<Commit>>| {
            commits
                .into_iter()
                .flat_map(|commit| events(commit))
                .for_each(|event| socket.emit(&event));
        };
        send(before);
        answer();
        send(after);
        socket.join(&name(organisation.as_str()));
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<OrganisationId, Room>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Room {
    fn keep(&mut self, commit: &Arc<Commit>) {
        if self
            .told
            .is_some_and(|told| told.next() != commit.revision())
        {
            self.recent.clear();
            self.recent_bytes = 0;
        }
        self.told = Some(commit.revision());
        self.recent_bytes += size(commit);
        self.recent.push_back(Arc::clone(commit));
        while self.recent.len() > RECENT || self.recent_bytes > RECENT_BYTES {
            let Some(oldest) = self.recent.pop_front() else {
                return;
            };
            self.recent_bytes -= size(&oldest);
        }
    }

    /// Every commit after a revision; none where some of them are no longer remembered.
    fn since(&self, revision: Revision) -> Option<impl Iterator<Item = &Arc<Commit>>> {
        let remembered = self
            .recent
            .front()
            .is_some_and(|oldest| oldest.revision() <= revision.next());
        (self.told? <= revision || remembered).then(|| {
            self.recent
                .iter()
                .filter(move |commit| commit.revision() > revision)
        })
    }
}

impl RoomMembership {
    pub(super) fn organisation(&self) -> &OrganisationId {
        &self.organisation
    }
}

impl Drop for RoomMembership {
    fn drop(&mut self) {
        let mut rooms = self.rooms.lock();
        if let Some(room) = rooms.get_mut(&self.organisation) {
            room.seats -= 1;
            if room.seats == 0 {
                rooms.remove(&self.organisation);
            }
        }
    }
}

/// Roughly what a commit takes in memory.
fn size(commit: &Commit) -> usize {
    commit
        .events
        .iter()
        .map(|event| event.name.len() + event.args.get().len())
        .sum()
}

/// A commit's events in the form they are sent.
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
                    "an event cannot be sent"
                );
                None
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use allclear_application::outbox::PublicEvent;
    use proptest::prelude::*;

    fn commit(revision: i64, bytes: usize) -> Arc<Commit> {
        let events = vec![PublicEvent::new("component-deleted", &["x".repeat(bytes)]).unwrap()];
        Arc::new(Commit {
            organisation: "org".into(),
            revision,
            events,
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
    fn a_room_is_gone_when_its_last_seat_is() {
        let rooms = Arc::new(Rooms::default());
        let organisation = OrganisationId::parse("org").unwrap();
        let (one, two) = (rooms.seat(&organisation), rooms.seat(&organisation));
        drop(one);
        assert_eq!(rooms.lock().len(), 1);
        drop(two);
        assert_eq!(rooms.lock().len(), 0);
    }

    #[test]
    fn a_room_that_lost_commits_remembers_none_from_before() {
        let mut room = Room {
            told: Some(Revision(3)),
            ..Room::default()
        };
        room.keep(&commit(4, 1));
        room.keep(&commit(7, 1));
        assert_eq!(since(&room, 3), None);
        assert_eq!(since(&room, 6), Some(vec![7]));
    }

    proptest! {
        // Each case builds megabytes.
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn what_is_remembered_is_bounded_and_without_a_gap(
            sizes in prop::collection::vec(0_usize..4096, 0..400),
            asked in 0_i64..450,
        ) {
            let mut room = Room { told: Some(Revision(0)), ..Room::default() };
            let newest = i64::try_from(sizes.len()).unwrap();
            for (revision, bytes) in (1..).zip(sizes) {
                room.keep(&commit(revision, bytes));
            }
            prop_assert!(room.recent.len() <= RECENT && room.recent_bytes <= RECENT_BYTES);
            if let Some(found) = since(&room, asked) {
                prop_assert_eq!(found, (asked + 1..=newest).collect::<Vec<_>>());
            }
        }
    }
}
