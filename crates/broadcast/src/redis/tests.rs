use allclear_application::write_kind::WriteKind;
use allclear_domain::event::EventKind;

use tokio::io::{
    AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, copy_bidirectional,
};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::message::{Message, commit_of_another};
use super::subscriber::subscribe;
use super::*;

/// A node whose tasks run as long as the test; nodes of an installation with the same name share
/// its key.
fn start(url: &str, installation: &str) -> Arc<Redis> {
    start_with(RedisOptions {
        url,
        authorities: None,
        installation,
        key: HmacKey::new(installation).unwrap(),
    })
}

pub(super) fn start_with(options: RedisOptions<'_>) -> Arc<Redis> {
    let redis = Arc::new(Redis::new(options).unwrap());
    let (publisher, subscriber) = (Arc::clone(&redis), Arc::clone(&redis));
    tokio::spawn(async move { publisher.run_publisher().await });
    tokio::spawn(async move { subscriber.run_subscriber().await });
    redis
}

pub(super) fn commit(revision: i64) -> Arc<Commit> {
    Arc::new(Commit::example("org", revision, &[]))
}

#[tokio::test]
async fn without_redis_own_commits_arrive_and_nothing_blocks() {
    let broadcast = start("redis://127.0.0.1:1", "one");
    let mut own = broadcast.subscribe().await;
    for revision in 1..=i64::try_from(2 * QUEUE_LENGTH).unwrap() {
        broadcast.publish(commit(revision)).await;
        assert_eq!(own.recv().await.unwrap().revision.0, revision);
    }
}

#[tokio::test(start_paused = true)]
async fn redis_that_accepts_connections_and_never_responds_is_unavailable() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}", silent.local_addr().unwrap());
    let subscribed = subscribe(&client(&url, None).unwrap(), "commits").await;
    let Err(error) = subscribed else {
        panic!("subscribed to a server that does not respond");
    };
    assert!(error.is_timeout(), "{error:?}");
}

/// The number in the next line of a client, behind the character of its type; `None` at the end of
/// the connection.
async fn number(client: &mut BufReader<TcpStream>) -> Option<usize> {
    let mut line = String::new();
    client.read_line(&mut line).await.ok()?;
    line.get(1..)?.trim_end().parse().ok()
}

/// The name of the next command of a client; `None` at the end of the connection.
async fn command(client: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut words = Vec::new();
    for _ in 0..number(client).await? {
        let length = number(client).await?;
        let mut word = vec![0; length + "\r\n".len()];
        client.read_exact(&mut word).await.ok()?;
        word.truncate(length);
        words.push(word);
    }
    words.into_iter().next()
}

/// Responds as a Redis that forbids to publish, and reports each PING.
async fn forbid_to_publish(listener: TcpListener, pings: mpsc::UnboundedSender<()>) {
    let (client, _) = listener.accept().await.unwrap();
    let mut client = BufReader::new(client);
    while let Some(name) = command(&mut client).await {
        let response = match name.as_slice() {
            b"PING" => {
                let _ = pings.send(());
                "+PONG\r\n"
            }
            b"PUBLISH" => "-NOPERM this user has no permissions\r\n",
            _ => "+OK\r\n",
        };
        client.write_all(response.as_bytes()).await.unwrap();
    }
}

#[tokio::test]
async fn response_to_a_ping_ends_an_outage_of_the_connection_only() {
    for (cause, left) in [
        (Cause::Refusal, Some(Cause::Refusal)),
        (Cause::Connection, None),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("redis://{}", listener.local_addr().unwrap());
        let (pings, mut pinged) = mpsc::unbounded_channel();
        tokio::spawn(forbid_to_publish(listener, pings));
        let here = Redis::new(RedisOptions {
            url: &url,
            authorities: None,
            installation: "refused",
            key: HmacKey::new("refused").unwrap(),
        })
        .unwrap();
        let (mut unsent, mut outage) = (Vec::new(), Outage(Some(cause)));
        let mut waiting = here.waiting.lock().await;
        let silence = Duration::from_millis(1);
        let publishing = here.publish_waiting(&mut waiting, &mut unsent, &mut outage, silence);
        let commits = async {
            // At the second PING, the response to the first one has been handled.
            for _ in 0..2 {
                pinged.recv().await.unwrap();
            }
            here.publish(commit(1)).await;
        };
        let (published, ()) = tokio::join!(publishing, commits);
        published.unwrap();
        assert_eq!(unsent.len(), 1, "the commit waits for the next connection");
        assert_eq!(outage.0, left, "nothing was published");
    }
}

#[tokio::test]
async fn malformed_url_is_refused() {
    assert!(client("http://127.0.0.1", None).is_err());
    assert!(client("redis://127.0.0.1", Some(Vec::new())).is_err());
}

/// URL of the Redis that the test run has started.
fn redis() -> Option<String> {
    let url = std::env::var("ALLCLEAR_TEST_REDIS_URL").ok();
    if url.is_none() {
        assert!(
            std::env::var_os("CI").is_none(),
            "ALLCLEAR_TEST_REDIS_URL is not set"
        );
        eprintln!("left out: ALLCLEAR_TEST_REDIS_URL is not set");
    }
    url
}

/// Publishes increasing revisions until one is received; returns the last published and the
/// first received.
pub(super) async fn until_received(
    from: &Redis,
    commits: &mut mpsc::Receiver<Arc<Commit>>,
    mut last: i64,
) -> (i64, i64) {
    loop {
        last += 1;
        from.publish(commit(last)).await;
        if let Ok(received) = timeout(Duration::from_millis(20), commits.recv()).await {
            return (last, received.unwrap().revision.0);
        }
    }
}

#[tokio::test]
async fn other_nodes_receive_commits_in_order() {
    let Some(url) = redis() else { return };
    let (here, there) = (start(&url, "order"), start(&url, "order"));
    let mut commits = there.subscribe().await;
    let (last, received) = until_received(&here, &mut commits, 0).await;
    for revision in last + 1..=last + 300 {
        here.publish(commit(revision)).await;
    }
    for revision in received + 1..=last + 300 {
        assert_eq!(commits.recv().await.unwrap().revision.0, revision);
    }
}

/// Forwards connections to a server. A notification closes those that are open.
async fn forward(listener: TcpListener, server: String, close: Arc<Notify>) {
    loop {
        let (mut client, _) = listener.accept().await.unwrap();
        let (server, close) = (server.clone(), Arc::clone(&close));
        tokio::spawn(async move {
            let mut server = TcpStream::connect(server).await.unwrap();
            tokio::select! {
                _ = copy_bidirectional(&mut client, &mut server) => {}
                () = close.notified() => {}
            }
        });
    }
}

#[tokio::test]
async fn commit_is_published_although_the_unused_connection_was_closed() {
    let Some(url) = redis() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let forwarded = format!("redis://{}", listener.local_addr().unwrap());
    let (server, close) = (url.trim_start_matches("redis://"), Arc::<Notify>::default());
    tokio::spawn(forward(listener, server.to_owned(), Arc::clone(&close)));
    let (here, there) = (start(&forwarded, "unused"), start(&url, "unused"));
    let mut commits = there.subscribe().await;
    let (mut last, _) = until_received(&here, &mut commits, 0).await;
    for _ in 0..3 {
        close.notify_waiters();
        last += 1;
        here.publish(commit(last)).await;
        let receiving = async { while commits.recv().await.unwrap().revision.0 != last {} };
        let received = timeout(Duration::from_secs(20), receiving).await;
        assert!(received.is_ok(), "revision {last} was not published");
    }
}

#[test]
fn commits_of_other_nodes_and_of_earlier_versions_are_read() {
    let (node, other) = (Uuid::new_v4(), Uuid::new_v4());
    let sent = Commit::example("org", 7, &[EventKind::NewComponent]);
    let message = |sender| {
        serde_json::to_vec(&Message {
            sender,
            commit: &sent,
        })
        .unwrap()
    };
    let mut earlier = serde_json::to_value(&sent).unwrap();
    let fields = earlier.as_object_mut().unwrap();
    for later in [
        "may_have_messages",
        "counts_as",
        "scheduled_events",
        "past_impacts",
    ] {
        assert!(fields.remove(later).is_some(), "{later}");
    }
    fields.insert("is_of_api_key".into(), true.into());
    let earlier = serde_json::to_vec(&earlier).unwrap();
    let person = Some(WriteKind::Person);
    for (text, may_have_messages, counts_as) in
        [(message(other), false, person), (earlier, true, None)]
    {
        let read = commit_of_another(&text, node).unwrap().unwrap();
        assert_eq!(
            (
                read.revision.0,
                &read.events[0].name,
                read.may_have_messages,
                read.counts_as
            ),
            (7, &sent.events[0].name, may_have_messages, counts_as)
        );
    }
    assert!(commit_of_another(&message(node), node).unwrap().is_none());
    let read: Commit = serde_json::from_slice(&message(node)).unwrap();
    assert_eq!(
        read.revision.0, 7,
        "as a node of an earlier version reads it"
    );
}

#[tokio::test]
async fn a_node_receives_its_own_commits_once() {
    let Some(url) = redis() else { return };
    let (here, there) = (start(&url, "once"), start(&url, "once"));
    let (mut own, mut others) = (here.subscribe().await, there.subscribe().await);
    let (last, _) = until_received(&here, &mut others, 0).await;
    for revision in 1..=last {
        assert_eq!(own.recv().await.unwrap().revision.0, revision);
    }
    // What Redis sends back arrives ahead of the other node's next commit.
    let (_, first) = until_received(&there, &mut own, last).await;
    assert!(first > last, "revision {first} arrived twice");
}

#[tokio::test]
async fn installations_sharing_a_redis_are_separate() {
    let Some(url) = redis() else { return };
    let [one, two] =
        ["one", "two"].map(|installation| [start(&url, installation), start(&url, installation)]);
    let (mut commits_one, mut commits_two) = (one[1].subscribe().await, two[1].subscribe().await);
    // Everything that could reach the other node was sent before the last commit of each arrives.
    let (last, _) = until_received(&one[0], &mut commits_one, 0).await;
    let (_, first) = until_received(&two[0], &mut commits_two, 1000).await;
    assert!(first > 1000, "{first} is not its own");
    one[0].publish(commit(last + 1)).await;
    while commits_one.recv().await.unwrap().revision.0 != last + 1 {}
    let (last, received) = until_received(&two[0], &mut commits_two, 2000).await;
    assert!(received > 1000 && last > 2000);
    while let Ok(commit) = commits_two.try_recv() {
        let revision = commit.revision.0;
        assert!(revision > 1000, "{revision} is not its own");
    }
}

#[test]
fn only_a_connection_without_tls_has_a_clear_text_host() {
    assert_eq!(
        clear_text_host("redis://:secret@redis.example:6379").as_deref(),
        Some("redis.example")
    );
    assert_eq!(clear_text_host("rediss://redis.example:6379"), None);
}

#[tokio::test]
async fn forged_message_changes_nothing() {
    let Some(url) = redis() else { return };
    let (here, there) = (start(&url, "forged"), start(&url, "forged"));
    let mut commits = there.subscribe().await;
    let (last, received) = until_received(&here, &mut commits, 0).await;
    let plain = serde_json::to_vec(&*commit(1_000_000)).unwrap();
    let signed_by_another = Envelopes::new(HmacKey::new("another").unwrap()).sign(&plain);
    let mut altered = Envelopes::new(HmacKey::new("forged").unwrap()).sign(&plain);
    *altered.last_mut().unwrap() ^= 1;
    let mut connection = Client::open(url.as_str())
        .unwrap()
        .get_multiplexed_async_connection()
        .await
        .unwrap();
    for forged in [plain, signed_by_another, altered, Vec::new()] {
        let receivers: usize = redis::cmd("PUBLISH")
            .arg("allclear:forged:commits")
            .arg(forged)
            .query_async(&mut connection)
            .await
            .unwrap();
        assert_eq!(receivers, 2, "both nodes receive it");
    }
    // A forged commit, if accepted, would arrive before this one.
    here.publish(commit(last + 1)).await;
    for revision in received + 1..=last + 1 {
        assert_eq!(commits.recv().await.unwrap().revision.0, revision);
    }
}
