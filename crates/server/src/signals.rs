//! Signals of the operating system: those that end the process, and SIGXFSZ, which must not.

/// A signal that asks the process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndSignal {
    /// SIGINT: a person at the terminal.
    Interrupt,
    /// SIGTERM, a supervisor; or SIGHUP, a terminal that was closed.
    Terminate,
}

/// Receives the signals that ask the process to end.
pub(crate) struct EndSignals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    /// `None` if SIGHUP is ignored.
    #[cfg(unix)]
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl EndSignals {
    /// Starts to receive the signals.
    ///
    /// # Errors
    /// One line, if the system does not allow it.
    pub(crate) fn receive() -> Result<Self, String> {
        use tokio::signal::unix::{SignalKind, signal};
        let received = |kind| signal(kind).map_err(|error| format!("signals: {error}"));
        Ok(Self {
            interrupt: received(SignalKind::interrupt())?,
            terminate: received(SignalKind::terminate())?,
            hangup: if is_hangup_ignored() {
                None
            } else {
                Some(received(SignalKind::hangup())?)
            },
        })
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) -> EndSignal {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => None,
            }
        };
        tokio::select! {
            Some(()) = self.interrupt.recv() => EndSignal::Interrupt,
            Some(()) = self.terminate.recv() => EndSignal::Terminate,
            Some(()) = hangup => EndSignal::Terminate,
            else => std::future::pending().await,
        }
    }
}

#[cfg(not(unix))]
impl EndSignals {
    /// Starts to receive the signals.
    ///
    /// # Errors
    /// Never.
    pub(crate) fn receive() -> Result<Self, String> {
        Ok(Self {})
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) -> EndSignal {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        EndSignal::Interrupt
    }
}

/// Whether the process was started to ignore SIGHUP, as `nohup` does. `false` where Linux' `/proc`
/// is missing.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The lowest bit is signal 1.
    ignored.is_some_and(|mask| mask & 1 == 1)
}

/// Installs a handler for SIGXFSZ, so that a write beyond the file size limit (`RLIMIT_FSIZE`)
/// fails with an error instead of ending the process. The request then returns 503.
///
/// # Errors
/// One line, if the system does not allow it.
pub(crate) fn survive_file_size_limit() -> Result<(), String> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let number = rustix::process::Signal::XFSZ.as_raw();
        let handled = signal(SignalKind::from_raw(number));
        drop(handled.map_err(|error| format!("signals: {error}"))?);
    }
    Ok(())
}
