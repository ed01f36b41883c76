//! Servers of others that tests start beside Allclear.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;

use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::app::eventually;

/// The path of a program; `None`, and a message, where it is not installed. On CI that
/// is a failure.
pub(crate) fn installed(name: &str) -> Option<String> {
    let found = [name.to_owned(), format!("/usr/sbin/{name}")]
        .into_iter()
        .find(|path| {
            let version = std::process::Command::new(path).arg("-v").output();
            version.is_ok()
        });
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "{name} is missing");
        eprintln!("left out: needs {name}");
    }
    found
}

/// Starts a program that keeps its files in a folder, and waits until it listens. It is killed when
/// the test drops it.
pub(crate) async fn start<A: AsRef<OsStr>>(
    program: &str,
    arguments: impl IntoIterator<Item = A>,
    folder: &Path,
    port: u16,
) -> Child {
    let server = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    eventually(&format!("{program} listens"), async || {
        TcpStream::connect(("127.0.0.1", port)).await.ok()
    })
    .await;
    server
}

/// Starts nginx with a configuration that listens at this port.
pub(crate) async fn nginx(program: &str, configuration: &str, folder: &Path, port: u16) -> Child {
    std::fs::write(folder.join("nginx.conf"), configuration).unwrap();
    let folder_name = folder.display();
    let arguments = [
        "-c".to_owned(),
        format!("{folder_name}/nginx.conf"),
        "-g".to_owned(),
        format!("daemon off; master_process off; pid {folder_name}/nginx.pid;"),
    ];
    start(program, arguments, folder, port).await
}
