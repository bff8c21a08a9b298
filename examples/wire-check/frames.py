"""Binary frames of AWS, read by botocore and by the bridge: whole, cut anywhere, and with a changed byte."""

import json
import random
import struct
import sys
import zlib

from botocore.eventstream import ChecksumMismatch, EventStreamBuffer, ParserError

# What a header may be beside a string: its type, and its bytes.
OTHER_HEADERS = [(0, b""), (1, b""), (2, b"\x07"), (3, b"\x00\x07"), (4, bytes(4)), (5, bytes(8)), (6, b"\x00\x01x"), (8, bytes(8)), (9, bytes(16))]


def frame(rng, kind, payload):
    role = "exception" if kind.endswith("Exception") else "event"
    headers = [(":message-type", 7, text(role)), (f":{role}-type", 7, text(kind)), (":content-type", 7, text("application/json"))]
    headers += [(f"x-{index}", *rng.choice(OTHER_HEADERS)) for index in range(rng.randint(0, 2))]
    rng.shuffle(headers)
    block = b"".join(bytes([len(name)]) + name.encode() + bytes([kind]) + value for name, kind, value in headers)
    prelude = struct.pack(">II", 16 + len(block) + len(payload), len(block))
    body = prelude + struct.pack(">I", zlib.crc32(prelude)) + block + payload
    return body + struct.pack(">I", zlib.crc32(body))


def text(value):
    return struct.pack(">H", len(value)) + value.encode()


def read(pieces):
    """The frames as JSON lines, and whether botocore refuses the bytes."""
    buffer, lines = EventStreamBuffer(), []
    try:
        for piece in pieces:
            buffer.add_data(piece)
            for event in buffer:
                kind = event.headers.get(":event-type") or event.headers.get(":exception-type")
                lines.append(json.dumps({kind: json.loads(event.payload)}) + "\n")
    except (ChecksumMismatch, ParserError):
        return lines, True
    return lines, False


def compare(bridge, data, count):
    rng = random.Random(19)
    recorded = sorted((data / "providers/bedrock-converse").glob("*.jsonl"))
    streams = [[json.loads(line) for line in path.read_text().splitlines() if line.strip()] for path in recorded]
    streams.append([{"messageStart": {"role": "assistant"}}, {"throttlingException": {"message": "Slow down."}}])
    refused = 0
    for _ in range(count):
        events = [next(iter(event.items())) for event in rng.choice(streams)]
        whole = b"".join(frame(rng, kind, json.dumps(payload).encode()) for kind, payload in events)
        if rng.random() < 0.3:
            whole = whole[: rng.randrange(len(whole))]
        if rng.random() < 0.3 and whole:
            at = rng.randrange(len(whole))
            whole = whole[:at] + bytes([whole[at] ^ (1 << rng.randrange(8))]) + whole[at + 1 :]
        places = sorted(rng.randrange(len(whole) + 1) for _ in range(rng.randint(0, 5)))
        pieces = [whole[start:end] for start, end in zip([0, *places], [*places, len(whole)], strict=True)]
        lines, broken = read(pieces)
        ours = bridge.give("provider.decode_stream", provider="bedrock-converse", hex=[piece.hex() for piece in pieces])
        theirs = bridge.give("provider.decode_stream", provider="bedrock-converse", chunks=lines)
        code, expected = ours.pop("failure", {}).get("code"), theirs.pop("failure", {}).get("code")
        # What follows the end of an answer is not looked at.
        same = code == expected and not (broken and code == "STREAM_CUT") or broken and code == "STREAM_BROKEN"
        refused += code == "STREAM_BROKEN"
        if not same or ours != theirs:
            sys.exit(f"frames: {code} {broken}\n{json.dumps(ours)}\n{json.dumps(theirs)}\n{[piece.hex() for piece in pieces]}")
    print(f"frames: {count} streams as botocore reads them, {refused} of them refused")
