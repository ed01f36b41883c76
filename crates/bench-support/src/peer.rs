//! A measured server: a process, its processor time and its memory.

use std::{
    fs,
    io::{self, BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal};

const PAGE: u64 = 4096;
/// A tick of `/proc/pid/stat`, in microseconds.
const TICK: u64 = 10_000;
/// Number of files that a process may need besides its viewers' connections.
const SPARE_FILES: u64 = 200;

/// Timeout of a server's end.
const STOP_TIMEOUT: Duration = Duration::from_mins(1);

/// Raises the limit of open files, for this process and the servers that it starts.
///
/// # Errors
/// If the system allows fewer.
pub fn allow(viewers: usize) -> io::Result<()> {
    let needed = viewers as u64 + SPARE_FILES;
    let limit = rlimit::increase_nofile_limit(needed)?;
    if limit < needed {
        return Err(io::Error::other(format!(
            "{viewers} viewers need {needed} open files, not {limit}"
        )));
    }
    Ok(())
}

/// A running server. It is killed when dropped.
#[derive(Debug)]
pub struct Peer {
    child: Child,
    /// Port at which it listens.
    pub port: u16,
}

impl Peer {
    /// Starts a server, and waits for the line with its port.
    ///
    /// # Errors
    /// If the server cannot be run, or ends before that line.
    pub fn start(command: &mut Command, port: impl Fn(&str) -> Option<u16>) -> io::Result<Self> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child
            .stdout
            .take()
            .ok_or_else(|| io::Error::other("no output"))?;
        let mut lines = BufReader::new(output).lines();
        while let Some(line) = lines.next().transpose()? {
            if let Some(port) = port(line.trim()) {
                // Further output is read, so that the server never blocks on it.
                thread::spawn(move || lines.for_each(drop));
                return Ok(Self { child, port });
            }
        }
        Err(io::Error::other("the server did not start"))
    }

    /// Stops the server by SIGTERM, and waits until it has ended.
    ///
    /// # Errors
    /// If it does not end within a minute, or ends with a failure.
    pub fn stop(mut self) -> io::Result<()> {
        rustix::process::kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        let until = Instant::now() + STOP_TIMEOUT;
        while Instant::now() < until {
            match self.child.try_wait()? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => {
                    return Err(io::Error::other(format!("the server ended with {status}")));
                }
                None => thread::sleep(Duration::from_millis(1)),
            }
        }
        Err(io::Error::other("the server did not stop"))
    }

    /// Processor time that the server has used, in microseconds.
    ///
    /// # Errors
    /// If the system does not report it.
    pub fn processor(&self) -> io::Result<u64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        Ok(fields
            .skip(11)
            .take(2)
            .filter_map(|field| field.parse::<u64>().ok())
            .sum::<u64>()
            * TICK)
    }

    /// Resident memory in bytes.
    ///
    /// # Errors
    /// If the system does not report it.
    pub fn memory(&self) -> io::Result<u64> {
        resident(self.child.id())
    }

    /// Starts to record the peak memory.
    #[must_use]
    pub fn watch(&self) -> Watch {
        let (pid, over, most) = (
            self.child.id(),
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU64::new(0)),
        );
        let watch = Watch {
            over: Arc::clone(&over),
            most: Arc::clone(&most),
        };
        thread::spawn(move || {
            while !over.load(Ordering::Acquire) {
                most.fetch_max(resident(pid).unwrap_or_default(), Ordering::AcqRel);
                thread::sleep(Duration::from_millis(5));
            }
        });
        watch
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Records the peak memory of a server from its creation on.
#[derive(Debug)]
pub struct Watch {
    over: Arc<AtomicBool>,
    most: Arc<AtomicU64>,
}

impl Watch {
    /// The peak memory, in bytes.
    #[must_use]
    pub fn most(self) -> u64 {
        self.over.store(true, Ordering::Release);
        self.most.load(Ordering::Acquire)
    }
}

/// Resident memory of a process, in bytes.
///
/// # Errors
/// If the system does not report it.
pub fn resident(pid: u32) -> io::Result<u64> {
    let statm = fs::read_to_string(format!("/proc/{pid}/statm"))?;
    let pages = statm
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok());
    pages
        .map(|pages| pages * PAGE)
        .ok_or_else(|| io::Error::other("no such field"))
}
