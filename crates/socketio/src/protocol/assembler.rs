//! Reassembly of packets and their attachments.

use bytes::Bytes;

use super::packet::{Header, Packet, PacketError};
use crate::engine::Message;

/// Takes a client's messages in order and returns complete packets.
#[derive(Debug)]
pub struct Assembler {
    max_attachments: usize,
    max_bytes: usize,
    partial: Option<Box<Partial>>,
}

/// A packet with missing attachments.
#[derive(Debug)]
struct Partial {
    header: Header,
    attachments: Vec<Bytes>,
    /// Size of text and attachments.
    bytes: usize,
}

impl Assembler {
    /// Limits packets to that many attachments and, if they have any, that many bytes
    /// including them.
    #[must_use]
    pub fn new(max_attachments: usize, max_bytes: usize) -> Self {
        Self {
            max_attachments,
            max_bytes,
            partial: None,
        }
    }

    /// Takes a message; `None` while attachments are missing.
    ///
    /// # Errors
    /// If the message breaks the protocol. The assembler cannot be used after that.
    pub fn take(&mut self, message: Message) -> Result<Option<Packet>, PacketError> {
        match (message, self.partial.take()) {
            (Message::Text(text), None) => {
                let header = Header::decode(&text, self.max_attachments)?;
                if header.attachments == 0 {
                    return header.complete(Vec::new()).map(Some);
                }
                if text.len() > self.max_bytes {
                    return Err(PacketError::TooLarge);
                }
                self.partial = Some(Box::new(Partial {
                    header,
                    attachments: Vec::new(),
                    bytes: text.len(),
                }));
                Ok(None)
            }
            (Message::Binary(bytes), Some(mut partial)) => {
                partial.bytes = partial.bytes.saturating_add(bytes.len());
                if partial.bytes > self.max_bytes {
                    return Err(PacketError::TooLarge);
                }
                partial.attachments.push(bytes);
                if partial.attachments.len() < partial.header.attachments {
                    self.partial = Some(partial);
                    return Ok(None);
                }
                let Partial {
                    header,
                    attachments,
                    ..
                } = *partial;
                header.complete(attachments).map(Some)
            }
            _ => Err(PacketError::Unexpected),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Kind;

    fn decode(text: &str) -> Result<Packet, PacketError> {
        Assembler::new(10, 1000)
            .take(Message::Text(text.into()))
            .map(Option::unwrap)
    }

    fn event(text: &str) -> (String, String, Option<u64>) {
        match decode(text).unwrap().kind {
            Kind::Event { name, args, id } => (name.to_string(), args.items().to_owned(), id),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn connect_has_a_namespace_and_an_object() {
        let table = [
            ("0", "/", ""),
            ("0/custom,", "/custom", ""),
            ("0/custom", "/custom", ""),
            (r#"0{"a":1}"#, "/", r#"{"a":1}"#),
            (r#"0/custom,{"a":1}"#, "/custom", r#"{"a":1}"#),
        ];
        for (text, namespace, auth) in table {
            let packet = decode(text).unwrap();
            assert_eq!(
                (&*packet.namespace, packet.kind),
                (namespace, Kind::Connect(auth.into())),
                "{text}"
            );
        }
    }

    #[test]
    fn arguments_are_not_reformatted() {
        assert_eq!(event(r#"2["a"]"#), ("a".into(), String::new(), None));
        assert_eq!(
            event(r#"2["a",1.0,{"z":1,"a":[true]}]"#),
            ("a".into(), r#"1.0,{"z":1,"a":[true]}"#.into(), None)
        );
        assert_eq!(
            event(r#"2/n,12[ "a\n" , null ]"#),
            ("a\n".into(), " null ".into(), Some(12))
        );
        assert_eq!(event("2[7,1]"), ("7".into(), "1".into(), None));
    }

    #[test]
    fn acknowledgement_has_the_identifier_of_its_event() {
        let packet = decode(r#"3/n,5[1,"b"]"#).unwrap();
        assert_eq!(
            packet.kind,
            Kind::Ack {
                id: 5,
                args: Args::new(r#"1,"b""#.into(), Vec::new())
            }
        );
        assert_eq!(decode("3[]"), Err(PacketError::IllegalId));
    }

    #[test]
    fn malformed_packets_are_errors() {
        let payload = [
            "2{}",
            "2[]",
            "2[{}]",
            "2[null]",
            "2[\"a\"",
            "2abc[\"a\"]",
            "2[\"connect\"]",
            "2[\"a\"]x",
            "0[]",
            "0\"a\"",
            "1{}",
            "31{}",
            "2[\"disconnect\",1]",
        ];
        for text in payload {
            assert_eq!(decode(text), Err(PacketError::InvalidPayload), "{text}");
        }
        for text in ["", "4{}", "7", "abc", "é"] {
            assert_eq!(decode(text), Err(PacketError::UnknownType), "{text}");
        }
        for text in [
            "5[\"a\"]",
            "5-[\"a\"]",
            "50-[\"a\"]",
            "5x-[]",
            "5+1-[]",
            "6",
        ] {
            assert_eq!(decode(text), Err(PacketError::IllegalAttachments), "{text}");
        }
        assert_eq!(decode("511-[\"a\"]"), Err(PacketError::TooManyAttachments));
        assert_eq!(
            decode("299999999999999999999[\"a\"]"),
            Err(PacketError::IllegalId)
        );
    }

    #[test]
    fn attachments_complete_their_packet() {
        let mut assembler = Assembler::new(10, 1000);
        let text = r#"52-["a",{"_placeholder":true,"num":1},{"x":{"_placeholder":true,"num":0}}]"#;
        assert_eq!(assembler.take(Message::Text(text.into())), Ok(None));
        assert_eq!(
            assembler.take(Message::Binary(Bytes::from_static(b"0"))),
            Ok(None)
        );
        let packet = assembler
            .take(Message::Binary(Bytes::from_static(b"1")))
            .unwrap()
            .unwrap();
        assert_eq!(packet.bytes, text.len() + 2);
        let Kind::Event { args, .. } = packet.kind else {
            panic!()
        };
        let (first, _): (crate::Attachment, serde_json::Value) = args.parse().unwrap();
        assert_eq!(first, crate::Attachment::new(1));
        assert_eq!(args.attachments()[1], Bytes::from_static(b"1"));
    }

    #[test]
    fn packet_is_bounded_together_with_its_attachments() {
        let mut assembler = Assembler::new(10, 1000);
        let text = r#"52-["a"]"#;
        assembler.take(Message::Text(text.into())).unwrap();
        let bytes = |size| Message::Binary(Bytes::from(vec![0; size]));
        assert_eq!(assembler.take(bytes(600)), Ok(None));
        assert_eq!(assembler.take(bytes(600)), Err(PacketError::TooLarge));
        let mut assembler = Assembler::new(10, 1000);
        let text = format!(r#"51-["{}"]"#, "a".repeat(1000));
        let taken = assembler.take(Message::Text(text.into()));
        assert_eq!(taken, Err(PacketError::TooLarge));
    }

    #[test]
    fn packet_counts_all_bytes_of_its_message() {
        let text = format!("2{}[\"a\"]", " ".repeat(500));
        assert_eq!(decode(&text).unwrap().bytes, text.len());
    }

    #[test]
    fn a_placeholder_without_attachment_is_an_error() {
        for num in ["1", "-1", "\"0\"", "0.5"] {
            let mut assembler = Assembler::new(10, 1000);
            let text = format!(r#"51-["a",{{"_placeholder":true,"num":{num}}}]"#);
            assembler.take(Message::Text(text.into())).unwrap();
            let result = assembler.take(Message::Binary(Bytes::new()));
            assert_eq!(result, Err(PacketError::IllegalAttachments), "{num}");
        }
    }

    #[test]
    fn unexpected_text_and_bytes_are_errors() {
        let mut assembler = Assembler::new(10, 1000);
        assert_eq!(
            assembler.take(Message::Binary(Bytes::new())),
            Err(PacketError::Unexpected)
        );
        assembler.take(Message::Text("51-[\"a\"]".into())).unwrap();
        assert_eq!(
            assembler.take(Message::Text("2[\"a\"]".into())),
            Err(PacketError::Unexpected)
        );
    }

    use super::super::Args;
}
