//! Tells this node's audiences what was committed: every commit of an organisation, once, in order, without a gap.
//!
//! The [broadcast](crate::broadcast) port is fast but may lose, repeat or reorder; the [outbox](crate::outbox) is
//! complete. The relay takes commits from the one and fills gaps from the other. A look at the outbox every
//! [`Relay::SWEEP`] finds what was committed and never broadcast, because a node died in between, say.

mod outbox_health;
mod stream_position;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use tokio::time::MissedTickBehavior;

use self::outbox_health::OutboxHealth;
pub use self::stream_position::StreamPosition;
use crate::broadcast::Broadcast;
use crate::error::Error;
use crate::outbox::{Backlog, Commit, Outbox};
use crate::transition::Written;

/// Somebody on this node who has to hear of commits: event streams, sockets.
pub trait CommitListener: Send + Sync {
    /// Takes the next commit of an organisation. MUST NOT wait.
    fn tell(&self, commit: &Arc<Commit>);

    /// Learns that commits of this organisation were lost for good: whoever follows it has to start anew.
    fn resync(&self, organisation: &OrganisationId);

    /// Learns that this node cannot know any more what is committed: nobody may take what they were told for the state of now.
    /// Told again for as long as it lasts.
    fn cut_off(&self) {}

    /// Whether somebody waits for the commits of this organisation: it is followed for as long as somebody does. An audience
    /// that only counts what is told waits for none.
    fn watches(&self, _organisation: &OrganisationId) -> bool {
        false
    }
}

/// Passes commits from the broadcast and the outbox on to the audiences.
pub struct Relay {
    outbox: Arc<dyn Outbox>,
    broadcast: Arc<dyn Broadcast>,
    followed: Mutex<HashMap<OrganisationId, StreamPosition>>,
    hearing: OutboxHealth,
}

impl Relay {
    /// How often the outbox is asked for commits that were not broadcast.
    pub const SWEEP: Duration = Duration::from_secs(1);

    const BATCH: u64 = 256;

    /// After how many sweeps an organisation nobody asks for and nobody watches is no longer followed: ten minutes.
    const IDLE_SWEEPS: u32 = 600;

    /// A relay over these ports, with nothing followed yet.
    #[must_use]
    pub fn new(outbox: Arc<dyn Outbox>, broadcast: Arc<dyn Broadcast>) -> Self {
        Self {
            outbox,
            broadcast,
            followed: Mutex::default(),
            hearing: OutboxHealth::default(),
        }
    }

    /// Begins to follow an organisation, if this node does not yet; none where there is no such organisation.
    pub async fn follow(
        &self,
        organisation: &OrganisationId,
    ) -> Result<Option<StreamPosition>, Error> {
        if let Some(followed) = self.lock().get(organisation) {
            // Under the lock, as is whoever forgets what nobody asks for.
            followed.ask();
            return Ok(Some(followed.clone()));
        }
        let found = self
            .outbox
            .revisions(std::slice::from_ref(organisation))
            .await?;
        let Some((_, revision)) = found.into_iter().next() else {
            return Ok(None);
        };
        let mut followed = self.lock();
        Ok(Some(
            followed
                .entry(organisation.clone())
                .or_insert_with(|| StreamPosition::from(revision))
                .clone(),
        ))
    }

    /// Whether this node cannot know what is committed: the outbox has been silent for too long.
    #[must_use]
    pub fn is_cut_off(&self) -> bool {
        self.hearing.is_cut_off()
    }

    /// How many commits this node has heard of and its audiences have not been told yet, over all it follows.
    #[must_use]
    pub fn lag(&self) -> u64 {
        let behind =
            |followed: &StreamPosition| followed.newest().0.saturating_sub(followed.told().0);
        self.lock()
            .values()
            .map(|followed| u64::try_from(behind(followed)).unwrap_or(0))
            .sum()
    }

    /// Sends a write's commit to every node and answers the state that was written. From here on this node's cached
    /// pages of the organisation count as old.
    pub async fn told<T>(&self, written: Written<T>) -> T {
        if let Some(commit) = written.commit {
            self.hearing.heard();
            if let Ok(organisation) = OrganisationId::parse(&commit.organisation) {
                self.hear(&organisation, commit.revision());
            }
            self.broadcast.publish(Arc::new(commit)).await;
        }
        written.state
    }

    /// Passes commits on until the broadcast ends.
    pub async fn run(&self, audiences: &[Arc<dyn CommitListener>]) {
        let mut arriving = self.broadcast.subscribe().await;
        let mut sweep = tokio::time::interval(Self::SWEEP);
        sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut sweeps = 0;
        loop {
            let outcome = tokio::select! {
                commit = arriving.recv() => match commit {
                    Some(commit) => self.receive(&commit, audiences).await,
                    None => return,
                },
                _ = sweep.tick() => {
                    sweeps += 1;
                    if sweeps % Self::IDLE_SWEEPS == 0 {
                        self.forget_idle(audiences);
                    }
                    self.sweep(audiences).await
                }
            };
            match outcome {
                Ok(()) => self.hearing.heard(),
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "the outbox could not be read; trying again"
                    );
                    if self.hearing.failed() {
                        for audience in audiences {
                            audience.cut_off();
                        }
                    }
                }
            }
        }
    }

    async fn receive(
        &self,
        commit: &Arc<Commit>,
        audiences: &[Arc<dyn CommitListener>],
    ) -> Result<(), Error> {
        let Ok(organisation) = OrganisationId::parse(&commit.organisation) else {
            return Ok(());
        };
        let Some(followed) = self.note(&organisation, commit.revision()) else {
            return Ok(());
        };
        let told = followed.told();
        if commit.revision() == told.next() {
            self.tell(&organisation, commit, audiences);
            Ok(())
        } else if commit.revision() > told {
            self.catch_up(&organisation, told, audiences).await
        } else {
            Ok(())
        }
    }

    async fn sweep(&self, audiences: &[Arc<dyn CommitListener>]) -> Result<(), Error> {
        let organisations: Vec<_> = self.lock().keys().cloned().collect();
        if organisations.is_empty() {
            return Ok(());
        }
        let revisions: HashMap<_, _> = self
            .outbox
            .revisions(&organisations)
            .await?
            .into_iter()
            .collect();
        for organisation in organisations {
            let Some(revision) = revisions.get(&organisation) else {
                forget(&mut self.lock(), &organisation);
                start_anew(&organisation, audiences);
                continue;
            };
            match self.note(&organisation, *revision) {
                Some(followed) if followed.told() < *revision => {
                    self.catch_up(&organisation, followed.told(), audiences)
                        .await?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Stops following what nobody has asked for since the last time and nobody watches, so that an organisation looked at
    /// once is not followed for ever.
    fn forget_idle(&self, audiences: &[Arc<dyn CommitListener>]) {
        let mut idle: Vec<OrganisationId> = self
            .lock()
            .iter()
            .filter(|(_, followed)| !followed.take_asked())
            .map(|(id, _)| id.clone())
            .collect();
        // Audiences are asked without the lock: they may hold their own while they wait for this one.
        idle.retain(|organisation| {
            !audiences
                .iter()
                .any(|audience| audience.watches(organisation))
        });
        let mut followed = self.lock();
        for organisation in idle {
            if followed
                .get(&organisation)
                .is_some_and(|followed| !followed.is_asked())
            {
                forget(&mut followed, &organisation);
            }
        }
    }

    async fn catch_up(
        &self,
        organisation: &OrganisationId,
        told: Revision,
        audiences: &[Arc<dyn CommitListener>],
    ) -> Result<(), Error> {
        let mut told = told;
        loop {
            match self.outbox.after(organisation, told, Self::BATCH).await? {
                Backlog::Commits(commits) => {
                    let Some(last) = commits.last() else {
                        return Ok(());
                    };
                    told = last.revision();
                    for commit in commits {
                        self.tell(organisation, &Arc::new(commit), audiences);
                    }
                }
                Backlog::TooOld => {
                    if let Some(followed) = self.followed(organisation) {
                        followed.tell(followed.newest());
                    }
                    start_anew(organisation, audiences);
                    return Ok(());
                }
            }
        }
    }

    fn tell(
        &self,
        organisation: &OrganisationId,
        commit: &Arc<Commit>,
        audiences: &[Arc<dyn CommitListener>],
    ) {
        self.hear(organisation, commit.revision());
        if let Some(followed) = self.followed(organisation) {
            followed.tell(commit.revision());
        }
        for audience in audiences {
            audience.tell(commit);
        }
    }

    /// Notes that there is such a revision; this node's audiences are told of it in time.
    pub fn hear(&self, organisation: &OrganisationId, revision: Revision) {
        self.note(organisation, revision);
    }

    /// Notes that there is such a revision, where the organisation is followed.
    fn note(&self, organisation: &OrganisationId, revision: Revision) -> Option<StreamPosition> {
        let followed = self.followed(organisation)?;
        followed.hear(revision);
        Some(followed)
    }

    fn followed(&self, organisation: &OrganisationId) -> Option<StreamPosition> {
        self.lock().get(organisation).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<OrganisationId, StreamPosition>> {
        // A panic while it was held leaves the map whole: every change to it is one call.
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn forget(followed: &mut HashMap<OrganisationId, StreamPosition>, organisation: &OrganisationId) {
    if let Some(followed) = followed.remove(organisation) {
        followed.end();
    }
}

fn start_anew(organisation: &OrganisationId, audiences: &[Arc<dyn CommitListener>]) {
    for audience in audiences {
        audience.resync(organisation);
    }
}

#[cfg(test)]
mod tests;
