"""Lets a model edit a Markdown file, with the official SDK of Anthropic or OpenAI.

    pip install anthropic openai
    python agent.py notes.md "Check the second task"
    python agent.py --provider openai-responses --model MODEL notes.md "Check the second task"
    python agent.py --recorded notes.md "Check the second task"       # a recorded model on this machine, without a key

The file is written once, at the end, and only if nobody has changed it meanwhile.
"""

from __future__ import annotations

import argparse
import pathlib
from collections.abc import Callable
from typing import Any, get_args

import canvas_engine as canvas

#: Sends the body of a request, and returns the answer.
Send = Callable[[canvas.JsonObject], object]

MAX_STEPS = 20


def sender(provider: canvas.Provider, base_url: str | None) -> Send:
    """Returns the call of the provider's SDK. The key comes from the environment."""
    key = "recorded" if base_url else None
    if provider == "anthropic":
        import anthropic

        claude = anthropic.Anthropic(base_url=base_url, api_key=key)
        return lambda body: _create(claude.messages.create, body)
    import openai

    gpt = openai.OpenAI(base_url=base_url and f"{base_url}/v1", api_key=key)
    create = gpt.responses.create if provider == "openai-responses" else gpt.chat.completions.create
    return lambda body: _create(create, body)


def _create(create: Callable[..., Any], body: canvas.JsonObject) -> object:
    return create(**body)


def run(chat: canvas.Chat, send: Send) -> str:
    """Lets the model work until it makes no further call, and returns its last words."""
    for _ in range(MAX_STEPS):
        answer = chat.answer(send(chat.request()))
        for call in answer.calls:
            print(f"{call.name}: {call.reply.code or 'done' if call.reply else 'came incomplete'}")
        if answer.is_last:
            return answer.text
    return f"stopped after {MAX_STEPS} steps"


def main() -> None:
    parser = argparse.ArgumentParser(description="Lets a model edit a Markdown file.")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("prompt")
    parser.add_argument("--provider", choices=get_args(canvas.Provider), default="anthropic")
    parser.add_argument("--model", default="claude-sonnet-4-5")
    parser.add_argument("--recorded", action="store_true", help="use a recorded model on this machine")
    options = parser.parse_args()

    server = None
    if options.recorded:
        import recorded

        server = recorded.Server()
    text = options.file.read_bytes().decode()
    try:
        with canvas.Engine.memory() as engine:
            engine.create("file", text)
            with engine.join("file") as session:
                chat = session.chat(options.provider, options.model)
                chat.user(options.prompt)
                print(run(chat, sender(options.provider, server.url if server else None)))
            markdown = engine.document("file").markdown
    finally:
        if server:
            server.close()
    if options.file.read_bytes().decode() != text:
        raise SystemExit(f"{options.file} was changed meanwhile: run this again")
    if markdown != text:
        print(canvas.build(text, markdown), end="")
        options.file.write_bytes(markdown.encode())


if __name__ == "__main__":
    main()
