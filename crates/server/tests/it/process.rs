//! The binary itself, as a process.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::app::eventually;

/// A running `allclear`. It is killed when the test drops it.
pub(crate) struct Process {
    pub(crate) url: String,
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

/// The command with a folder of its own and nothing of the test run's environment.
pub(crate) fn command(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_allclear"));
    command.env_clear().args(arguments).args([
        "--listen",
        "127.0.0.1:0",
        "--limit-sign-up",
        "1000/1000",
    ]);
    // Tests write faster than people. Tests of the limit set it.
    if !arguments.contains(&"--limit-writes") {
        command.args(["--limit-writes", "0"]);
    }
    command
        .arg("--data-dir")
        .arg(data)
        .current_dir(data.parent().unwrap())
        .kill_on_drop(true);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A free port that stays free while its server is stopped: outside the range from which the system
/// assigns ports.
pub(crate) fn lasting_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Other test runs begin elsewhere in the range.
    let first = u16::try_from(std::process::id() % 100 * 100).unwrap();
    loop {
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        // Systems give ports from 32768 on, or further up.
        let port = 20_000 + (first + next) % 10_000;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
}

/// Runs a command to its end.
pub(crate) async fn run(mut command: Command) -> (Option<i32>, String, String) {
    let output = tokio::time::timeout(Duration::from_secs(30), command.output()).await;
    let Output {
        status,
        stdout,
        stderr,
    } = output.expect("it ends within half a minute").unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

/// The event of the log that says that the server has started.
fn started(log: &Path) -> Option<Value> {
    let text = std::fs::read_to_string(log).unwrap();
    let mut events = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    events.find(|event: &Value| event["message"] == "started")
}

impl Process {
    /// Starts a serving command, and waits until it prints its address.
    pub(crate) async fn serve(mut command: Command) -> Self {
        command.stderr(Stdio::inherit());
        Self::serve_quietly(command).await
    }

    /// [`Self::serve`], with the log where the command puts it.
    pub(crate) async fn serve_quietly(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        loop {
            let line = lines
                .next_line()
                .await
                .unwrap()
                .expect("the address is printed");
            if let Some(address) = line.trim().strip_prefix("Listens") {
                return Self {
                    url: format!("http://{}", address.trim()),
                    child,
                    lines,
                };
            }
        }
    }

    /// The lines it has printed up to one that holds this text.
    pub(crate) async fn wait_for_output(&mut self, text: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.lines.next_line().await.unwrap().expect("it says so");
            let found = line.contains(text);
            lines.push(line.trim().to_owned());
            if found {
                return lines;
            }
        }
    }

    /// Starts a server with the JSON log in a new file, and waits for the event that names
    /// its address.
    pub(crate) async fn serve_with_json_log(mut command: Command, log: &Path) -> Self {
        command.stderr(File::create(log).unwrap());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let event = eventually("the server starts", async || {
            assert_eq!(child.try_wait().unwrap(), None, "the server runs");
            started(log)
        });
        let event = event.await;
        let address = event["address"].as_str().unwrap();
        Self {
            url: format!("http://{address}"),
            child,
            lines,
        }
    }

    /// What the system calls it by.
    pub(crate) fn id(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// The peak of its resident memory, in KiB.
    #[cfg(target_os = "linux")]
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// SIGTERM, without waiting for the end.
    pub(crate) async fn signal_end(&self) {
        let pid = self.id().to_string();
        Command::new("kill")
            .args(["-TERM", &pid])
            .status()
            .await
            .unwrap();
    }

    /// Sends SIGTERM; returns the exit code.
    pub(crate) async fn terminate(self) -> Option<i32> {
        self.signal_end().await;
        self.end().await
    }

    /// Waits for the end; returns the exit code.
    pub(crate) async fn end(mut self) -> Option<i32> {
        let ended = tokio::time::timeout(Duration::from_secs(30), self.child.wait()).await;
        ended.expect("it ends within half a minute").unwrap().code()
    }

    /// SIGKILL.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }
}
