"""Tries the examples: the agent with each SDK against the recorded model, the service, and the review.

    pip install -r requirements.txt
    python check.py
"""

from __future__ import annotations

import os
import pathlib
import runpy
import subprocess
import sys
import tempfile

from fastapi.testclient import TestClient

HERE = pathlib.Path(__file__).parent
TEXT = "# Plan\n\n- [x] one\n- [ ] two\n- [ ] three\n"


def check_agent(folder: pathlib.Path) -> None:
    for provider in ("anthropic", "openai-responses", "openai-chat"):
        file = folder / f"{provider}.md"
        file.write_bytes(TEXT.encode())
        agent = [sys.executable, str(HERE / "agent.py"), "--recorded", "--provider", provider, str(file), "Check the next task"]
        done = subprocess.run(agent, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert "canvas_apply_patch: done" in done.stdout and "The task is checked." in done.stdout, done.stdout
        assert file.read_bytes().decode() == TEXT.replace("[ ] two", "[x] two"), done.stdout


def check_service(folder: pathlib.Path) -> None:
    os.environ["CANVAS_DB"] = str(folder / "notes.db")
    import service

    with TestClient(service.app) as client:
        assert client.post("/plan", json={"markdown": TEXT}).status_code == 201
        assert client.get("/other").json()["code"] == "CANVAS_NOT_FOUND"
        read = client.get("/plan")
        etag = {"if-match": read.headers["etag"]}
        assert read.json() == {"markdown": TEXT}
        first = client.put("/plan", json={"markdown": TEXT.replace("one", "ONE")}, headers=etag)
        assert (first.status_code, first.json()["moved"]) == (200, False), first.text
        other = client.put("/plan", json={"markdown": TEXT.replace("three", "THREE")}, headers=etag)
        assert (other.status_code, other.json()["moved"]) == (200, True), other.text
        same = client.put("/plan", json={"markdown": TEXT.replace("one", "1")}, headers=etag)
        assert (same.status_code, same.json()["markdown"]) == (409, TEXT.replace("one", "1")), same.text
        now = TEXT.replace("one", "ONE").replace("three", "THREE")
        assert client.get("/plan").json() == {"markdown": now}


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        check_agent(pathlib.Path(name))
        check_service(pathlib.Path(name))
    runpy.run_path(str(HERE / "review.py"))
    print("the examples did what they say")


if __name__ == "__main__":
    main()
