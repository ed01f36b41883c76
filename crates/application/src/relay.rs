//! Delivers commits to the listeners of this node: every commit of an organisation once, in order,
//! without a gap.
//!
//! The [broadcast](crate::broadcast) port is fast but may lose, repeat or reorder commits; the
//! [outbox](crate::outbox) is complete. The relay takes commits from the broadcast and fills gaps
//! from the outbox. While it follows an organisation, it reads the outbox every [`Relay::SWEEP`],
//! which finds commits that were never broadcast, for example because their node ended.

mod outbox_health;
mod stream_position;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Interval, MissedTickBehavior, timeout};

use self::outbox_health::{OutboxHealth, STALE_AFTER};
pub use self::stream_position::StreamPosition;
use crate::broadcast::Broadcast;
use crate::error::Error;
use crate::failure_log::FailureLog;
use crate::outbox::{Backlog, Commit, Outbox};
use crate::transition::Committed;

/// A part of this node that needs every commit: event streams, sockets, metrics.
pub trait CommitListener: Send + Sync {
    /// Receives the next commit of an organisation. MUST NOT wait.
    fn on_commit(&self, commit: &Arc<Commit>);

    /// Commits of this organisation can no longer be read: its viewers have to read the
    /// snapshot again.
    fn resync(&self, organisation: &OrganisationId);

    /// The database has lost this number of commits that the listeners have received, over all
    /// organisations. [`Self::resync`] is called for each of these.
    fn on_lost_commits(&self, _count: u64) {}

    /// This node cannot read what is committed, so what viewers see may be out of date. Called
    /// again for as long as that lasts.
    fn on_outage(&self) {}

    /// Whether viewers wait for the commits of this organisation: the relay follows it for as long
    /// as there are any. A listener that only counts commits is interested in no organisation.
    fn is_interested(&self, _organisation: &OrganisationId) -> bool {
        false
    }
}

/// Passes commits from the broadcast and the outbox to the listeners.
pub struct Relay {
    outbox: Arc<dyn Outbox>,
    broadcast: Arc<dyn Broadcast>,
    positions: Mutex<HashMap<OrganisationId, StreamPosition>>,
    /// Places of look-ups of organisations that are not followed.
    lookups: Semaphore,
    /// Notified when the first organisation is followed.
    first_followed: Notify,
    outbox_health: OutboxHealth,
    has_run: AtomicBool,
}

impl Relay {
    /// Interval at which the outbox is read for commits that were not broadcast.
    pub const SWEEP: Duration = Duration::from_secs(1);

    const BATCH: u64 = 256;

    /// Number of sweeps in a row that do not find a delivered commit, after which it is lost. The
    /// database may be a former primary, which a fail-over made a standby and which receives the
    /// commit later; connections to it are replaced within ten seconds.
    const LOST_SWEEPS: u32 = 15;

    /// How many organisations are looked up at the same time.
    const MAX_LOOKUPS: usize = 2;

    /// How long a look-up waits for others.
    const MAX_LOOKUP_WAIT: Duration = Duration::from_secs(3);

    /// Number of sweeps without a request or an interested listener after which an organisation is
    /// no longer followed: ten minutes.
    const IDLE_SWEEPS: u32 = 600;

    /// A relay over these ports that follows no organisation yet.
    #[must_use]
    pub fn new(outbox: Arc<dyn Outbox>, broadcast: Arc<dyn Broadcast>) -> Self {
        Self {
            outbox,
            broadcast,
            positions: Mutex::default(),
            lookups: Semaphore::new(Self::MAX_LOOKUPS),
            first_followed: Notify::new(),
            outbox_health: OutboxHealth::default(),
            has_run: AtomicBool::new(false),
        }
    }

    /// Begins to follow an organisation, if this node does not follow it yet. `None` if it does
    /// not exist.
    pub async fn follow(
        &self,
        organisation: &OrganisationId,
    ) -> Result<Option<StreamPosition>, Error> {
        if let Some(position) = self.positions.lock().get(organisation) {
            // Under the lock that `forget_idle` takes as well.
            position.touch();
            return Ok(Some(position.clone()));
        }
        // Requests may name any number of organisations that do not exist, and a database may hang.
        let lookup = timeout(Self::MAX_LOOKUP_WAIT, self.lookups.acquire()).await;
        let _lookup = lookup
            .map_err(|late| Error::Unavailable(late.into()))?
            .map_err(Error::internal)?;
        if let Some(position) = self.followed(organisation.as_str()) {
            return Ok(Some(position));
        }
        let found = self
            .outbox
            .revisions(std::slice::from_ref(organisation))
            .await?;
        self.outbox_health.succeeded();
        let Some((_, revision)) = found.into_iter().next() else {
            return Ok(None);
        };
        let mut positions = self.positions.lock();
        if positions.is_empty() {
            self.first_followed.notify_one();
        }
        Ok(Some(
            positions
                .entry(organisation.clone())
                .or_insert_with(|| StreamPosition::from(revision))
                .clone(),
        ))
    }

    /// The position of an organisation that this node follows already; keeps it followed.
    #[must_use]
    pub fn followed(&self, organisation: &str) -> Option<StreamPosition> {
        let positions = self.positions.lock();
        let position = positions.get(organisation)?;
        position.touch();
        Some(position.clone())
    }

    /// Whether the outbox could not be read for too long, so that this node may be out of date.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.outbox_health.is_stale()
    }

    /// Returns the number of known commits that are not delivered to the listeners yet, over all
    /// followed organisations.
    #[must_use]
    pub fn lag(&self) -> u64 {
        let behind = |position: &StreamPosition| {
            let behind = position.latest().0.saturating_sub(position.delivered().0);
            u64::try_from(behind).unwrap_or(0)
        };
        self.positions.lock().values().map(behind).sum()
    }

    /// Publishes a commit to every node and returns its state. Afterwards this node's cached pages
    /// of the organisation are out of date.
    pub async fn publish<T>(&self, committed: Committed<T>) -> T {
        if let Some(commit) = committed.commit {
            self.outbox_health.succeeded();
            self.note_revision(&commit.organisation, commit.revision);
            self.broadcast.publish(Arc::new(commit)).await;
        }
        committed.state
    }

    /// Delivers commits until the broadcast ends.
    pub async fn run(&self, listeners: &[Arc<dyn CommitListener>]) {
        let mut arriving = self.broadcast.subscribe().await;
        if self.has_run.swap(true, Ordering::Relaxed) {
            // The run before has panicked: some listeners may have missed a commit that counts
            // as delivered.
            for organisation in self.organisations() {
                self.resync_at_latest(&organisation, listeners);
            }
        }
        let mut sweep = tokio::time::interval(Self::SWEEP);
        sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut sweeps, mut failures) = (0, FailureLog::default());
        loop {
            let outcome = tokio::select! {
                commit = arriving.recv() => match commit {
                    Some(commit) => self.receive(&commit, listeners).await,
                    None => return,
                },
                () = self.next_sweep(&mut sweep) => {
                    sweeps += 1;
                    // The end of an outage is noticed only while an organisation is followed.
                    if sweeps % Self::IDLE_SWEEPS == 0 && !self.is_stale() {
                        self.forget_idle(listeners);
                    }
                    self.sweep(listeners).await.map(|()| true)
                }
            };
            match outcome {
                Ok(true) => {
                    self.outbox_health.succeeded();
                    if failures.succeeded() {
                        tracing::info!("the outbox can be read again");
                    }
                }
                Ok(false) => {}
                Err(error) => {
                    if failures.failed() {
                        tracing::warn!(
                            error = &error as &dyn std::error::Error,
                            "the outbox could not be read; trying again"
                        );
                    }
                    if self.outbox_health.failed() {
                        for listener in listeners {
                            listener.on_outage();
                        }
                    }
                }
            }
        }
    }

    /// Waits for the next sweep, and before it until an organisation is followed.
    async fn next_sweep(&self, sweep: &mut Interval) {
        while self.positions.lock().is_empty() {
            self.first_followed.notified().await;
            sweep.reset();
        }
        sweep.tick().await;
    }

    /// Delivers a commit that another node may have sent. Returns whether the outbox was read
    /// for it.
    async fn receive(
        &self,
        commit: &Arc<Commit>,
        listeners: &[Arc<dyn CommitListener>],
    ) -> Result<bool, Error> {
        let organisation = &commit.organisation;
        let Some(position) = self.position_after(organisation, commit.revision) else {
            return Ok(false);
        };
        let delivered = position.delivered();
        let is_ahead = commit.revision > delivered.next();
        if is_ahead {
            self.catch_up(organisation, delivered, listeners).await?;
        } else if commit.revision > delivered {
            self.deliver(organisation, commit, listeners);
        }
        Ok(is_ahead)
    }

    async fn sweep(&self, listeners: &[Arc<dyn CommitListener>]) -> Result<(), Error> {
        let organisations = self.organisations();
        if organisations.is_empty() {
            return Ok(());
        }
        let revisions = in_time(self.outbox.revisions(&organisations)).await?;
        let revisions: HashMap<_, _> = revisions.into_iter().collect();
        let (mut failure, mut lost) = (None, 0);
        for organisation in organisations {
            let Some(revision) = revisions.get(&organisation) else {
                forget(&mut self.positions.lock(), &organisation);
                resync(&organisation, listeners);
                continue;
            };
            let Some(position) = self.position_after(&organisation, *revision) else {
                continue;
            };
            let delivered = position.delivered();
            if position.note_sweep(delivered <= *revision) >= Self::LOST_SWEEPS {
                lost += delivered.0.abs_diff(revision.0);
                self.follow_from(&organisation, *revision);
                resync(&organisation, listeners);
            } else if delivered < *revision {
                let caught_up = self.catch_up(&organisation, delivered, listeners);
                if let Err(error) = caught_up.await {
                    // One slow read must not hold back other organisations; after a second one, the
                    // database is slow.
                    if failure.replace(error).is_some() {
                        break;
                    }
                }
            }
        }
        if lost > 0 {
            tracing::error!(
                commits = lost,
                "the database has lost commits: stop all nodes and run `allclear after-restore`"
            );
            for listener in listeners {
                listener.on_lost_commits(lost);
            }
        }
        failure.map_or(Ok(()), Err)
    }

    /// Follows a followed organisation from this revision on, which may be an earlier one. What was
    /// read under the position of before is out of date.
    fn follow_from(&self, organisation: &OrganisationId, revision: Revision) {
        let position = StreamPosition::from(revision);
        let before = self.positions.lock().insert(organisation.clone(), position);
        if let Some(before) = before {
            before.close();
        }
    }

    /// Stops following organisations without a request since the last call and without an
    /// interested listener. Otherwise every organisation that was read once would be followed
    /// for ever.
    fn forget_idle(&self, listeners: &[Arc<dyn CommitListener>]) {
        let mut idle: Vec<OrganisationId> = self
            .positions
            .lock()
            .iter()
            .filter(|(_, position)| !position.take_touched())
            .map(|(id, _)| id.clone())
            .collect();
        // Without the lock: a listener may hold its own lock while it waits for this one.
        idle.retain(|organisation| {
            !listeners
                .iter()
                .any(|listener| listener.is_interested(organisation))
        });
        let mut positions = self.positions.lock();
        for organisation in idle {
            if positions
                .get(&organisation)
                .is_some_and(|position| !position.is_touched())
            {
                forget(&mut positions, &organisation);
            }
        }
    }

    async fn catch_up(
        &self,
        organisation: &OrganisationId,
        mut delivered: Revision,
        listeners: &[Arc<dyn CommitListener>],
    ) -> Result<(), Error> {
        loop {
            let backlog = self.outbox.after(organisation, delivered, Self::BATCH);
            match in_time(backlog).await {
                Ok(Backlog::Commits(commits)) => {
                    let Some(last) = commits.last() else {
                        return Ok(());
                    };
                    delivered = last.revision;
                    for commit in commits {
                        self.deliver(organisation, &Arc::new(commit), listeners);
                    }
                }
                Ok(Backlog::TooOld) => {
                    self.resync_at_latest(organisation, listeners);
                    return Ok(());
                }
                Err(error @ Error::Unavailable(_)) => return Err(error),
                // A commit that cannot be read must not hold back those of other organisations.
                Err(error) => {
                    tracing::error!(
                        organisation = organisation.as_str(),
                        error = &error as &dyn std::error::Error,
                        "commits could not be read; viewers read the page again"
                    );
                    self.resync_at_latest(organisation, listeners);
                    return Ok(());
                }
            }
        }
    }

    /// Counts the known commits as delivered without delivering them: the listeners read the
    /// state again.
    fn resync_at_latest(
        &self,
        organisation: &OrganisationId,
        listeners: &[Arc<dyn CommitListener>],
    ) {
        if let Some(position) = self.position(organisation) {
            position.set_delivered(position.latest());
        }
        resync(organisation, listeners);
    }

    fn deliver(
        &self,
        organisation: &OrganisationId,
        commit: &Arc<Commit>,
        listeners: &[Arc<dyn CommitListener>],
    ) {
        if let Some(position) = self.position_after(organisation, commit.revision) {
            position.set_delivered(commit.revision);
        }
        for listener in listeners {
            listener.on_commit(commit);
        }
    }

    /// Records that this revision exists. Its commit reaches the listeners later.
    pub fn note_revision(&self, organisation: &OrganisationId, revision: Revision) {
        self.position_after(organisation, revision);
    }

    /// Returns the position of a followed organisation, after recording the revision.
    fn position_after(
        &self,
        organisation: &OrganisationId,
        revision: Revision,
    ) -> Option<StreamPosition> {
        let position = self.position(organisation)?;
        position.note(revision);
        Some(position)
    }

    /// The followed organisations.
    fn organisations(&self) -> Vec<OrganisationId> {
        self.positions.lock().keys().cloned().collect()
    }

    fn position(&self, organisation: &OrganisationId) -> Option<StreamPosition> {
        self.positions.lock().get(organisation).cloned()
    }
}

/// The result of a read of the outbox. A database that hangs fails much later than viewers should
/// learn about the outage.
async fn in_time<T>(read: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let read = timeout(STALE_AFTER, read).await;
    read.map_err(|late| Error::Unavailable(late.into()))?
}

fn forget(positions: &mut HashMap<OrganisationId, StreamPosition>, organisation: &OrganisationId) {
    if let Some(position) = positions.remove(organisation) {
        position.close();
    }
}

fn resync(organisation: &OrganisationId, listeners: &[Arc<dyn CommitListener>]) {
    for listener in listeners {
        listener.resync(organisation);
    }
}

#[cfg(test)]
mod sweep_tests;
#[cfg(test)]
mod tests;
