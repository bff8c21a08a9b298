use super::*;
use proptest::prelude::*;

/// A frame as a value: kind, whether it is an error, payload.
type Seen = (String, bool, Vec<u8>);

fn frames(framing: Framing, cuts: &[&[u8]]) -> (Vec<Seen>, Result<(), FrameError>) {
    let (mut frames, mut seen) = (Frames::new(framing), Vec::new());
    let mut sink = |frame: Frame<'_>| {
        seen.push((frame.kind.to_owned(), frame.is_error, frame.data.to_vec()));
        true
    };
    let fed = cuts.iter().try_for_each(|bytes| frames.feed(bytes, &mut sink));
    let ended = fed.and_then(|()| frames.finish(&mut sink));
    (seen, ended)
}

fn texts(framing: Framing, bytes: &[u8]) -> Vec<String> {
    let (seen, ended) = frames(framing, &[bytes]);
    ended.expect("frames");
    seen.into_iter().map(|(kind, _, data)| format!("{kind}:{}", String::from_utf8_lossy(&data))).collect()
}

#[test]
fn what_is_a_frame() {
    use Framing::{JsonArray, JsonLines, Sse};
    let table: &[(Framing, &str, &[&str])] = &[
        (Sse, "data: a\n\ndata:b\n\n", &[":a", ":b"]),
        (Sse, "event: x\ndata: a\ndata: b\n\ndata: c\n\n", &["x:a\nb", ":c"]),
        (Sse, "data: a\r\n\r\ndata: b\r\rdata: c", &[":a", ":b", ":c"]),
        (Sse, "event: x\ndata: a\n\nevent: y\r\ndata: b\n\nevent: x\ndata: c\n\n", &["x:a", "y:b", "x:c"]),
        (Sse, "event: x\ndata: a\n\ndata: b\n\nevent: x\ndata: c\n\n", &["x:a", ":b", "x:c"]),
        (Sse, ": comment\nid: 7\nretry: 1\nunknown\n\n\n", &[]),
        (Sse, "\u{feff}data: a\n\n\u{feff}data: b\n\n", &[":a"]),
        (Sse, "data\n\ndata:  two spaces\n\n", &[":", ": two spaces"]),
        (JsonLines, "{\"a\":1}\n\n {\"b\":2} \r\n{\"c\":3}", &[":{\"a\":1}", ":{\"b\":2}", ":{\"c\":3}"]),
        (JsonArray, "[{\"a\":\"]}\\\"\"},\n\r {\"b\":[{}]}]\n", &[":{\"a\":\"]}\\\"\"}", ":{\"b\":[{}]}"]),
        (JsonArray, "{\"error\":{}}", &[":{\"error\":{}}"]),
        (JsonArray, "[]", &[]),
    ];
    for (framing, bytes, expected) in table {
        assert_eq!(texts(*framing, bytes.as_bytes()), *expected, "{framing:?} {bytes:?}");
    }
}

/// Builds a binary frame; headers are strings.
fn binary(headers: &[(&str, &str)], data: &[u8]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in headers {
        block.push(u8::try_from(name.len()).expect("short"));
        block.extend(name.as_bytes());
        block.push(7);
        block.extend(u16::try_from(value.len()).expect("short").to_be_bytes());
        block.extend(value.as_bytes());
    }
    let size = |bytes: usize| u32::try_from(bytes).expect("small").to_be_bytes();
    let mut frame = [size(16 + block.len() + data.len()), size(block.len())].concat();
    frame.extend(crc32fast::hash(&frame).to_be_bytes());
    frame.extend(block);
    frame.extend(data);
    frame.extend(crc32fast::hash(&frame).to_be_bytes());
    frame
}

#[test]
fn binary_frames_name_events_and_errors() {
    let bytes = [
        binary(&[(":message-type", "event"), (":event-type", "messageStop"), ("x", "y")], b"{}"),
        binary(&[(":message-type", "exception"), (":exception-type", "throttlingException")], b"{\"a\":1}"),
        binary(&[(":message-type", "error"), (":error-code", "internal")], b""),
    ]
    .concat();
    let (seen, ended) = frames(Framing::EventStream, &[&bytes]);
    assert_eq!(ended, Ok(()));
    let expected =
        [("messageStop", false, "{}"), ("throttlingException", true, "{\"a\":1}"), ("internal", true, "")];
    let expected =
        expected.map(|(kind, is_error, data)| (kind.to_owned(), is_error, data.as_bytes().to_vec()));
    assert_eq!(seen, expected);
}

#[test]
fn a_changed_byte_of_a_binary_frame_is_found() {
    let whole = binary(&[(":event-type", "x")], b"{\"text\":\"hello\"}");
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x40;
        let (seen, ended) = frames(Framing::EventStream, &[&changed]);
        assert!(seen.is_empty() && ended.is_err(), "byte {at}: {seen:?} {ended:?}");
    }
    let (_, ended) = frames(Framing::EventStream, &[&whole[..whole.len() - 1]]);
    assert_eq!(ended, Err(FrameError::Malformed));
}

#[test]
fn a_frame_that_never_ends_is_refused() {
    for (framing, opening) in
        [(Framing::Sse, "data: "), (Framing::JsonLines, "{\""), (Framing::JsonArray, "[{\"")]
    {
        let mut frames = Frames::new(framing);
        let mut sink = |_: Frame<'_>| panic!("no frame ends");
        frames.feed(opening.as_bytes(), &mut sink).expect("small");
        let block = vec![b'x'; 1 << 20];
        let fed: Result<Vec<()>, _> = (0..17).map(|_| frames.feed(&block, &mut sink)).collect();
        assert_eq!(fed, Err(FrameError::TooLarge), "{framing:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cuts_change_nothing(
        bytes in prop_oneof![
            "(data: ?[ab\\[\\]{}\"]{0,4}|event: x|:|)(\r\n|\n|\r)".prop_map(String::into_bytes),
            prop::collection::vec("(data: [ab]{0,4}|event: [xy]|: c|)(\r\n|\n|\r)", 0..12)
                .prop_map(|lines| lines.concat().into_bytes()),
            prop::collection::vec("\\{\"[a\\]\\[{}]{0,4}\":[1-9]\\}", 0..6)
                .prop_map(|items| format!("[{}]", items.join(", ")).into_bytes()),
            prop::collection::vec("[a-z{}]{0,9}", 0..5).prop_map(|payloads| {
                payloads.iter().flat_map(|data| binary(&[(":event-type", "x")], data.as_bytes())).collect()
            }),
            prop::collection::vec(any::<u8>(), 0..64),
        ],
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let pieces: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        for framing in [Framing::Sse, Framing::JsonLines, Framing::JsonArray, Framing::EventStream] {
            prop_assert_eq!(frames(framing, &pieces), frames(framing, &[&bytes]), "{:?}", framing);
        }
    }
}
