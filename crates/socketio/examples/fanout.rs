//! Measures fan-out: one event to N WebSocket clients, and a burst of events.
//!
//! `cargo run --release --example fanout -- [clients] [rounds] [burst]`. The server runs as a process of its own, so that its
//! processor time and memory are its own; the clients only read what arrives. `FANOUT_SERVER` names another program to measure in its
//! place: it prints its port, has clients join a room, and answers `shout` with a number and a size by as many events `told`.

use std::{
    env, fs, io,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use actix_web::{App, HttpServer};
use allclear_socketio::{Connect, ConnectError, Event, Handler, Incoming, Server, Socket};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
    sync::Notify,
};

struct Room;

impl Handler for Room {
    type Data = ();

    async fn connect(&self, _: Connect<'_>) -> Result<(), ConnectError> {
        Ok(())
    }

    async fn connected(&self, socket: &Socket<()>) {
        socket.join("room");
    }

    /// `shout` with a number of events sends as many to the room.
    async fn event(&self, socket: &Socket<()>, event: Incoming) {
        let (count, size): (usize, usize) = event.args().parse().unwrap_or_default();
        let text = "x".repeat(size);
        for number in 0..count {
            if let Ok(event) = Event::new("told", &(number, &text)) {
                socket.to("room").emit(&event);
            }
        }
    }
}

async fn serve() -> io::Result<()> {
    let server = Server::builder().namespace("/", Room).build();
    let workers = env::var("WORKERS").ok().and_then(|workers| workers.parse().ok()).unwrap_or(2);
    let http = HttpServer::new(move || App::new().service(server.resource("/socket.io")))
        .h1_allow_half_closed(false)
        .backlog(8192)
        .max_connections(50_000)
        .workers(workers)
        .bind(("127.0.0.1", 0))?;
    println!("{}", http.addrs().first().map_or(0, std::net::SocketAddr::port));
    http.run().await
}

/// Opens a WebSocket and joins; bytes after that are counted by the caller.
async fn join(port: u16) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.set_nodelay(true)?;
    let request = "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\
        Connection: Upgrade\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\r\nOrigin: http://localhost\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n\r\n";
    stream.write_all(request.as_bytes()).await?;
    read_past(&mut stream, b"0{\"sid\":\"").await?;
    send(&mut stream, b"40").await?;
    read_past(&mut stream, b"40{\"sid\":\"").await?;
    Ok(stream)
}

async fn read_past(stream: &mut TcpStream, text: &[u8]) -> io::Result<()> {
    let mut seen = Vec::new();
    while !seen.windows(text.len()).any(|window| window == text) {
        if stream.read_buf(&mut seen).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(())
}

/// Sends a short text frame with a mask of zeros.
async fn send(stream: &mut TcpStream, text: &[u8]) -> io::Result<()> {
    let mut frame = vec![0x81, 0x80 | u8::try_from(text.len()).map_err(io::Error::other)?, 0, 0, 0, 0];
    frame.extend_from_slice(text);
    stream.write_all(&frame).await
}

/// Processor time in microseconds and resident memory in bytes of a process.
fn usage(pid: u32) -> io::Result<(u64, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks: u64 = fields[11..13].iter().filter_map(|field| field.parse::<u64>().ok()).sum();
    let pages: u64 = fields.get(21).and_then(|field| field.parse().ok()).unwrap_or_default();
    Ok((ticks * 10_000, pages * 4096))
}

/// Counts what all clients got, and when the last of them was served.
#[derive(Default)]
struct Tally {
    bytes: AtomicUsize,
    wanted: AtomicUsize,
    done: Notify,
}

async fn listen(mut stream: TcpStream, tally: Arc<Tally>) {
    let mut buffer = vec![0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        if tally.bytes.fetch_add(read, Ordering::AcqRel) + read >= tally.wanted.load(Ordering::Acquire) {
            tally.done.notify_one();
        }
    }
}

async fn shout(speaker: &mut TcpStream, tally: &Tally, clients: usize, count: usize) -> io::Result<Duration> {
    const SIZE: usize = 200;
    let frames: usize = (0..count).map(|number| format!("42[\"told\",{number},\"\"]").len() + SIZE + 4).sum();
    tally.bytes.store(0, Ordering::Release);
    tally.wanted.store(frames * clients, Ordering::Release);
    let begin = Instant::now();
    send(speaker, format!("42[\"shout\",{count},{SIZE}]").as_bytes()).await?;
    tally.done.notified().await;
    Ok(begin.elapsed())
}

async fn measure(clients: usize, rounds: usize, burst: usize) -> io::Result<()> {
    let mut server = tokio::process::Command::from({
        let program = env::var_os("FANOUT_SERVER").map_or_else(env::current_exe, |program| Ok(program.into()))?;
        let mut command = Command::new(program);
        command.arg("serve").stdout(Stdio::piped());
        command
    })
    .kill_on_drop(true)
    .spawn()?;
    let output = server.stdout.take().ok_or_else(|| io::Error::other("no output"))?;
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).await?;
    let port = line.trim().parse().map_err(io::Error::other)?;
    let pid = server.id().ok_or_else(|| io::Error::other("no process"))?;

    let mut speaker = join(port).await?;
    let (_, before) = usage(pid)?;
    let tally = Arc::new(Tally::default());
    tally.wanted.store(usize::MAX, Ordering::Release);
    for _ in 0..clients {
        tokio::spawn(listen(join(port).await?, Arc::clone(&tally)));
    }
    let (_, after) = usage(pid)?;
    println!("idle: {} bytes resident per client", after.saturating_sub(before) / clients as u64);

    let mut times = Vec::new();
    let (cpu, _) = usage(pid)?;
    for _ in 0..rounds {
        times.push(shout(&mut speaker, &tally, clients, 1).await?);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (spent, told) = usage(pid)?;
    times.sort();
    let deliveries = (clients * rounds) as u64;
    println!(
        "one event: {} ns of processor a delivery, last client median {:?} p99 {:?}, {} bytes resident per client",
        (spent - cpu) * 1000 / deliveries,
        times[times.len() / 2],
        times[times.len() * 99 / 100],
        told.saturating_sub(before) / clients as u64,
    );
    let time = shout(&mut speaker, &tally, clients, burst).await?;
    let (burst_cpu, _) = usage(pid)?;
    let messages = (clients * burst) as u64;
    println!(
        "burst of {burst}: {} messages/s, {} ns of processor a delivery",
        u128::from(messages) * 1000 / time.as_millis().max(1),
        (burst_cpu - spent) * 1000 / messages,
    );
    server.kill().await
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "serve") {
        return actix_web::rt::System::new().block_on(serve());
    }
    let number = |place: usize, default| arguments.get(place).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (clients, rounds, burst) = (number(0, 1000), number(1, 100), number(2, 500));
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?
        .block_on(measure(clients, rounds, burst))
}
