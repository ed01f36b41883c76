//! The decoders return a result for any input and never panic. `SOCKETIO_FUZZ_CASES` sets the
//! number of cases for a longer run.

use allclear_socketio::Event;
use allclear_socketio::engine::{Message, Packet};
use allclear_socketio::protocol::{Assembler, Kind};
use bytestring::ByteString;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::Config;

fn config() -> Config {
    let cases = std::env::var("SOCKETIO_FUZZ_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(512);
    Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    }
}

/// Text made of the parts of packets, so that it passes the first checks.
fn nearly_a_packet() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[0-9]{1,3}",
        "[\\[\\]{},:\"/\\-\u{1e}]",
        "[a-zé€]{0,3}",
        Just("\"a\"".to_owned()),
        Just("true".to_owned()),
        Just(r#"{"_placeholder":true,"num":0}"#.to_owned()),
        Just("2-".to_owned()),
        Just("\"disconnect\"".to_owned()),
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn message() -> impl Strategy<Value = Message> {
    prop_oneof![
        4 => nearly_a_packet().prop_map(|text| Message::Text(text.into())),
        1 => any::<String>().prop_map(|text| Message::Text(text.into())),
        2 => vec(any::<u8>(), 0..8).prop_map(|bytes| Message::Binary(bytes.into())),
    ]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_text_decodes_into_one_engine_packet_per_separator(text in prop_oneof![nearly_a_packet(), any::<String>()]) {
        let payload = ByteString::from(text.clone());
        let packets = Packet::decode_payload(&payload).count();
        prop_assert_eq!(packets, text.matches('\u{1e}').count() + 1);
    }

    #[test]
    fn any_messages_decode_into_packets_with_readable_arguments(messages in vec(message(), 0..6)) {
        let mut assembler = Assembler::new(10, 1_000_000);
        for message in messages {
            if let Ok(Some(packet)) = assembler.take(message) {
                prop_assert!(packet.namespace.starts_with('/'));
                if let Kind::Event { args, .. } | Kind::Ack { args, .. } = packet.kind {
                    let parsed: Result<Vec<serde_json::Value>, _> = args.parse();
                    prop_assert!(parsed.is_ok(), "{:?}", args);
                }
            }
        }
    }

    #[test]
    fn packet_is_read_as_it_was_sent(name in "[a-z]{1,8}", args in vec(any::<(i64, String, Option<bool>)>(), 0..4)) {
        let event = Event::new(&name, &args).unwrap();
        let text = format!("2{}", serde_json::to_string(&event_json(&name, &args)).unwrap());
        let packet = Assembler::new(10, 1_000_000).take(Message::Text(text.into())).unwrap().unwrap();
        let Kind::Event { name: read, args: items, .. } = packet.kind else { panic!() };
        prop_assert_eq!(&*read, name.as_str());
        prop_assert_eq!(items.parse::<Vec<(i64, String, Option<bool>)>>().unwrap(), args);
        prop_assert_eq!(Event::from_args(&read, &items).unwrap(), event);
    }
}

fn event_json(name: &str, args: &[(i64, String, Option<bool>)]) -> Vec<serde_json::Value> {
    let mut all = vec![name.into()];
    all.extend(args.iter().map(|arg| serde_json::to_value(arg).unwrap()));
    all
}
