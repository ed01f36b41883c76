//! Signals of the operating system: those that end the process, and SIGXFSZ, which must not.

/// A signal that asks the process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndSignal {
    /// SIGINT: a person at the terminal.
    Interrupt,
    /// SIGTERM: a supervisor.
    Terminate,
}

/// Receives the signals that ask the process to end.
pub struct EndSignals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
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
        })
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) -> EndSignal {
        tokio::select! {
            Some(()) = self.interrupt.recv() => EndSignal::Interrupt,
            Some(()) = self.terminate.recv() => EndSignal::Terminate,
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

/// Installs a handler for SIGXFSZ, so that a write beyond the file size limit (`RLIMIT_FSIZE`) fails with an error instead of
/// ending the process. The request then returns 503.
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
