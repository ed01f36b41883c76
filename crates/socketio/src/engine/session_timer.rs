//! One task per server that looks after all its sessions: pings, time-outs, and calls to the layer above.
//!
//! A timer and a task per session would cost more memory than the session itself.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    sync::{Arc, Mutex},
    time::Instant,
};

use actix_web::rt;
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinHandle,
    time::timeout_at,
};

use super::{handler::EngineHandler, server::Engine};
use crate::{sid::Sid, sync::lock};

/// Errands taken up between two looks at the clock.
const BATCH: usize = 256;

#[derive(Clone, Copy, Debug)]
enum TimerJob {
    /// The session was closed, or its layer above wants to be called.
    Visit(Sid),
    VisitAt(Sid, Instant),
}

/// Where sessions leave word for the housekeeper. What waits here is at most a few entries per session.
#[derive(Clone, Debug)]
pub(crate) struct Errands(UnboundedSender<TimerJob>);

impl Errands {
    pub(crate) fn visit(&self, sid: Sid) {
        self.leave(TimerJob::Visit(sid));
    }

    pub(crate) fn visit_at(&self, sid: Sid, at: Instant) {
        self.leave(TimerJob::VisitAt(sid, at));
    }

    fn leave(&self, errand: TimerJob) {
        // Nobody listens only when the server itself is gone.
        if self.0.send(errand).is_err() {
            tracing::debug!("no housekeeper is left");
        }
    }
}

/// The housekeeper's own things. They outlive its task: if the worker thread that runs it ends, another takes them up.
#[derive(Debug)]
struct TimerQueue {
    errands: UnboundedReceiver<TimerJob>,
    visits: BinaryHeap<Reverse<(Instant, Sid)>>,
}

#[derive(Debug)]
pub(crate) struct SessionTimer {
    desk: Arc<tokio::sync::Mutex<TimerQueue>>,
    errands: Errands,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl SessionTimer {
    pub(crate) fn new() -> Self {
        let (sender, receiver) = unbounded_channel();
        let desk = TimerQueue {
            errands: receiver,
            visits: BinaryHeap::new(),
        };
        Self {
            desk: Arc::new(tokio::sync::Mutex::new(desk)),
            errands: Errands(sender),
            task: Mutex::new(None),
        }
    }

    pub(crate) fn errands(&self) -> Errands {
        self.errands.clone()
    }

    /// Starts the task unless it is running; called from a worker thread.
    pub(crate) fn ensure<H: EngineHandler>(&self, engine: &Arc<Engine<H>>) {
        let mut task = lock(&self.task);
        if task.as_ref().is_none_or(JoinHandle::is_finished) {
            let (desk, engine) = (Arc::clone(&self.desk), Arc::downgrade(engine));
            *task = Some(rt::spawn(async move {
                let mut desk = desk.lock().await;
                while let Some(engine) = {
                    desk.wait().await;
                    engine.upgrade()
                } {
                    desk.work(&engine);
                }
            }));
        }
    }
}

impl TimerQueue {
    /// Waits until there is something to do. Errands stay where they are but for the first, which is put in order.
    async fn wait(&mut self) {
        let errand = match self.visits.peek() {
            Some(Reverse((at, _))) => timeout_at((*at).into(), self.errands.recv())
                .await
                .ok()
                .flatten(),
            None => self.errands.recv().await,
        };
        if let Some(errand) = errand {
            self.note(errand);
        }
    }

    fn note(&mut self, errand: TimerJob) {
        let (sid, at) = match errand {
            TimerJob::Visit(sid) => (sid, Instant::now()),
            TimerJob::VisitAt(sid, at) => (sid, at),
        };
        self.visits.push(Reverse((at, sid)));
    }

    fn work<H: EngineHandler>(&mut self, engine: &Arc<Engine<H>>) {
        for _ in 0..BATCH {
            match self.errands.try_recv() {
                Ok(errand) => self.note(errand),
                Err(_) => break,
            }
        }
        let now = Instant::now();
        while let Some(Reverse((at, sid))) = self.visits.peek().copied()
            && at <= now
        {
            self.visits.pop();
            if let Some(next) = engine.visit(sid, at) {
                self.visits.push(Reverse((next, sid)));
            }
        }
    }
}
