//! Rooms and broadcasts.

use allclear_socketio::Event;

use crate::support::{TestServer, Wire, quick};

fn event(number: usize) -> Event {
    Event::new("e", &(number,)).unwrap()
}

async fn receives(wire: &mut Wire, number: usize) {
    assert_eq!(wire.data().await, format!("42[\"e\",{number}]"));
}

#[actix_web::test]
async fn a_broadcast_reaches_its_rooms_once_each() {
    let mut server = TestServer::start(quick());
    let (mut both, both_socket) = server.joined().await;
    let (mut one, one_socket) = server.joined().await;
    let (mut none, none_socket) = server.joined().await;
    both_socket.join("a");
    both_socket.join("b");
    one_socket.join("b");
    let space = server.server.of("/").unwrap();
    space.to("a").to("b").emit(&event(1));
    space.to("b").except("a").emit(&event(2));
    space.to(none_socket.sid().as_str()).emit(&event(3));
    one_socket.to("b").emit(&event(4));
    none_socket.broadcast().emit(&event(5));
    space.emit(&event(6));
    for number in [1, 4, 5, 6] {
        receives(&mut both, number).await;
    }
    for number in [1, 2, 5, 6] {
        receives(&mut one, number).await;
    }
    for number in [3, 6] {
        receives(&mut none, number).await;
    }
}

#[actix_web::test]
async fn a_socket_that_joins_its_own_room_gets_each_event_once() {
    let mut server = TestServer::start(quick());
    let (mut wire, socket) = server.joined().await;
    socket.join(socket.sid().as_str());
    let space = server.server.of("/").unwrap();
    space.to(socket.sid().as_str()).emit(&event(1));
    space.emit(&event(2));
    receives(&mut wire, 1).await;
    receives(&mut wire, 2).await;
}

#[actix_web::test]
async fn leaving_socket_is_removed_from_its_rooms() {
    let mut server = TestServer::start(quick());
    let (mut wire, socket) = server.joined().await;
    let (gone, gone_socket) = server.joined().await;
    socket.join("a");
    gone_socket.join("a");
    gone_socket.join("b");
    let space = server.server.of("/").unwrap().clone();
    assert_eq!(space.to("a").sockets().len(), 2);
    drop(gone);
    assert_eq!(server.disconnected().await, "transport close");
    assert_eq!(space.to("a").sockets().len(), 1);
    assert!(space.to("b").sockets().is_empty());
    gone_socket.join("a");
    assert_eq!(
        space.to("a").sockets().len(),
        1,
        "who has left does not join"
    );
    socket.leave("a");
    assert!(socket.rooms().is_empty());
    space.to("a").emit(&event(1));
    space.emit(&event(2));
    receives(&mut wire, 2).await;
}

#[actix_web::test]
async fn sockets_of_a_room_can_be_disconnected() {
    let mut server = TestServer::start(quick());
    let (mut out, out_socket) = server.joined().await;
    let (mut closed, closed_socket) = server.joined().await;
    out_socket.join("out");
    closed_socket.join("closed");
    let space = server.server.of("/").unwrap().clone();
    space.to("out").disconnect();
    assert_eq!(out.data().await, "41");
    space.to("closed").close_transports();
    assert_eq!(closed.close_code().await, None);
    server.until_sessions(1).await;
}

#[actix_web::test]
async fn all_receivers_get_broadcasts_in_the_same_order() {
    let mut server = TestServer::start(quick());
    let mut wires = Vec::new();
    for _ in 0..3 {
        wires.push(server.joined().await.0);
    }
    let space = server.server.of("/").unwrap();
    std::thread::scope(|scope| {
        for thread in 0..2 {
            scope.spawn(move || {
                (0..300).for_each(|number| space.emit(&event(thread * 1000 + number)));
            });
        }
    });
    let mut received = Vec::new();
    for wire in &mut wires {
        let mut events = Vec::new();
        while events.len() < 600 {
            events.push(wire.data().await);
        }
        received.push(events);
    }
    assert_eq!(received[0], received[1]);
    assert_eq!(received[1], received[2]);
}
