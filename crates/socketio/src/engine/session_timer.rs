//! One task per server for the timers of all sessions: pings, timeouts, and calls to the protocol
//! on top.
//!
//! A timer and a task per session would take more memory than the session itself.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::Instant;

use actix_web::rt;
use parking_lot::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::timeout_at;

use super::handler::EngineHandler;
use super::server::Engine;
use crate::sid::Sid;

/// Jobs that are scheduled between two checks of the clock.
const BATCH: usize = 256;

#[derive(Clone, Copy, Debug)]
enum TimerJob {
    /// The session was closed, or requested a call.
    RunNow(Sid),
    FireAt(Sid, Instant),
}

/// Sends jobs to the timer. At most a few jobs per session wait.
#[derive(Clone, Debug)]
pub(crate) struct TimerHandle(UnboundedSender<TimerJob>);

impl TimerHandle {
    pub(crate) fn run_now(&self, sid: Sid) {
        self.send(TimerJob::RunNow(sid));
    }

    pub(crate) fn fire_at(&self, sid: Sid, at: Instant) {
        self.send(TimerJob::FireAt(sid, at));
    }

    fn send(&self, job: TimerJob) {
        // The receiver is gone only if the server is.
        if self.0.send(job).is_err() {
            tracing::debug!("the timer has ended");
        }
    }
}

/// Jobs and schedule. They outlive the task: if its worker thread ends, another one continues.
#[derive(Debug)]
struct TimerQueue {
    jobs: UnboundedReceiver<TimerJob>,
    schedule: BinaryHeap<Reverse<(Instant, Sid)>>,
}

#[derive(Debug)]
pub(crate) struct SessionTimer {
    queue: Arc<tokio::sync::Mutex<TimerQueue>>,
    handle: TimerHandle,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl SessionTimer {
    pub(crate) fn new() -> Self {
        let (sender, receiver) = unbounded_channel();
        let queue = TimerQueue {
            jobs: receiver,
            schedule: BinaryHeap::new(),
        };
        Self {
            queue: Arc::new(tokio::sync::Mutex::new(queue)),
            handle: TimerHandle(sender),
            task: Mutex::new(None),
        }
    }

    pub(crate) fn handle(&self) -> TimerHandle {
        self.handle.clone()
    }

    /// Starts the task unless it is running. Must be called in a worker thread.
    pub(crate) fn ensure_running<H: EngineHandler>(&self, engine: &Arc<Engine<H>>) {
        let mut task = self.task.lock();
        if task.as_ref().is_none_or(JoinHandle::is_finished) {
            let (queue, engine) = (Arc::clone(&self.queue), Arc::downgrade(engine));
            *task = Some(rt::spawn(async move {
                let mut queue = queue.lock().await;
                while let Some(engine) = {
                    queue.wait().await;
                    engine.upgrade()
                } {
                    queue.fire_due(&engine);
                }
            }));
        }
    }
}

impl TimerQueue {
    /// Waits for a job or for the next deadline, and schedules the job.
    async fn wait(&mut self) {
        let job = match self.schedule.peek() {
            Some(Reverse((at, _))) => timeout_at((*at).into(), self.jobs.recv())
                .await
                .ok()
                .flatten(),
            None => self.jobs.recv().await,
        };
        if let Some(job) = job {
            self.schedule_job(job);
        }
    }

    fn schedule_job(&mut self, job: TimerJob) {
        let (sid, at) = match job {
            TimerJob::RunNow(sid) => (sid, Instant::now()),
            TimerJob::FireAt(sid, at) => (sid, at),
        };
        self.schedule.push(Reverse((at, sid)));
    }

    fn fire_due<H: EngineHandler>(&mut self, engine: &Arc<Engine<H>>) {
        for _ in 0..BATCH {
            match self.jobs.try_recv() {
                Ok(job) => self.schedule_job(job),
                Err(_) => break,
            }
        }
        let now = Instant::now();
        while let Some(Reverse((at, sid))) = self.schedule.peek().copied()
            && at <= now
        {
            self.schedule.pop();
            if let Some(next) = engine.fire(sid, at) {
                self.schedule.push(Reverse((next, sid)));
            }
        }
    }
}
