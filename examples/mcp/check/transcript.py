"""The official Python client at the server: a session from list to confirmation, in each version and over each transport.

    transcript.py SERVER FOLDER     SERVER is the built program, FOLDER a place for databases and files

Prints what was asked and answered, and fails where an answer is not the right one.
"""

import asyncio
import json
import pathlib
import subprocess
import sys
import time

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.extension import advertise
from mcp.client.stdio import stdio_client
from mcp_types import ElicitResult

SERVER, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
PAGES = advertise("io.modelcontextprotocol/ui", {"mimeTypes": ["text/html;profile=mcp-app"]})
# Seconds that bound a hang. No result depends on them.
PATIENCE = 120
# A lease that outlives its session, however slow the machine is.
LONG_LEASE = ["--ttl", "86400"]
SPEC = {
    "version": 1,
    "mode": "html",
    "toolPolicy": {"allow": ["clock.now", "document.append"]},
    "state": {},
    "actions": {
        "time": {"kind": "tool.call", "tool": "clock.now"},
        "add": {"kind": "tool.call", "tool": "document.append", "args": {"text": "- {{input.text}}"}},
    },
    "bindings": {},
}


def show(what, answer):
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, default=str)
    print(f"  {what}: {text[:160]}")


def check(is_so, what):
    if not is_so:
        sys.exit(f"not so: {what}")


async def call(client, name, **arguments):
    result = await client.call_tool(name, arguments)
    body = result.structured_content
    show(name, body if not result.is_error else {k: body["error"].get(k) for k in ("code", "reason")})
    check(result.is_error == (not body["ok"]), f"{name} says both {result.is_error} and {body['ok']}")
    return result, body


async def yes(context, params):
    show("the user is asked", params.message)
    return ElicitResult(action="accept", content={})


async def no(context, params):
    return ElicitResult(action="decline")


async def session(connect, mode):
    async with connect(mode, elicitation_callback=yes) as client, connect(mode, extensions=[PAGES]) as page:
        show("version", client.protocol_version)
        names = [tool.name for tool in (await client.list_tools()).tools]
        check("canvas_apply_patch" in names, "the tools are there")
        check(not [name for name in names if name.startswith("app_")], "no model sees the tools of pages")
        pages = {tool.name: tool for tool in (await page.list_tools()).tools}
        check(pages["app_edit"].meta["ui"]["visibility"] == ["app"], "a page sees its tools")
        uris = [str(one.uri) for one in (await client.list_resources()).resources]
        show("resources", uris)
        document = uris[0]

        # Check-out, patch, conflict, check-in.
        _, taken = await call(client, "canvas_check_out")
        lease = taken["lease_id"]
        _, patched = await call(client, "canvas_apply_patch", lease_id=lease, patch="@@\n # Notes\n+\n+- one\n")
        check(patched["applied_hunks"] == 1, "the patch is applied")
        _, refused = await call(client, "canvas_apply_patch", lease_id=lease, patch="@@\n-- two\n+- 2\n")
        check(refused["error"]["code"] == "PATCH_REJECTED", "what does not fit is refused")
        other, busy = await call(page, "canvas_check_out")
        check(busy["error"]["code"] == "LOCK_NOT_AVAILABLE", "one model at a time")
        await call(client, "canvas_check_in", lease_id=lease)

        # A user changes the document while a model has it, and the model is told once.
        _, taken = await call(client, "canvas_check_out")
        lease = taken["lease_id"]
        result, state = await call(page, "app_state")
        check(state["lock"]["locked"], "a page sees the lock")
        await call(page, "app_edit", markdown=state["markdown"] + "- mine\n", base_revision_id=state["revision_id"])
        result, stale = await call(client, "canvas_apply_patch", lease_id=lease, patch="@@\n-- one\n+- 1\n")
        check(stale["error"]["code"] == "STALE_EPOCH", "the user comes first")
        check("- mine" in stale["error"]["changes"]["diff"], "the refusal shows the user's change")
        await call(page, "app_edit", markdown="# Notes\n\n- one\n- mine\n- too\n")
        result, taken = await call(client, "canvas_check_out")
        hidden = [block.text for block in result.content[1:]]
        show("hidden message", hidden)
        check(len(hidden) == 1 and "+- too" in hidden[0], "the next reply brings the user's change")
        lease = taken["lease_id"]
        result, _ = await call(client, "canvas_apply_patch", lease_id=lease, patch="@@\n-- one\n+- 1\n")
        check(len(result.content) == 1, "it is told once")
        await call(client, "canvas_check_in", lease_id=lease)

        # Reading, and hearing of changes.
        read = (await client.read_resource(document)).contents[0]
        show("read", read.text)
        check(read.text == "# Notes\n\n- 1\n- mine\n- too\n", "the resource is the document")
        if client.protocol_version >= "2026":
            async with client.listen(resource_subscriptions=[document]) as events:
                began = time.monotonic()
                await call(page, "app_edit", markdown="# Notes\n\n- heard\n")
                event = await asyncio.wait_for(anext(aiter(events)), PATIENCE)
                show("heard of", f"{event} after {1000 * (time.monotonic() - began):.0f} ms")
        else:
            await client.subscribe_resource(document)
            await call(page, "app_edit", markdown="# Notes\n\n- heard\n")
            await client.unsubscribe_resource(document)

        # A panel whose button is confirmed, and one whose user says no.
        made, _ = await call(client, "gsv__Canvas", operation="upsert", title="Panel", spec=SPEC)
        check(not made.is_error, "the panel is made")
        done, _ = await call(client, "surface_action", actionId="time")
        check(not done.is_error, "what only reads runs unasked")
        done, body = await call(client, "surface_action", actionId="add", input={"text": "confirmed"})
        check(not done.is_error and body["result"]["revision_id"], "what was confirmed runs")
        async with connect(mode, elicitation_callback=no) as shy:
            _, body = await call(shy, "surface_action", actionId="add", input={"text": "declined"})
            check(body["error"]["code"] == "CONFIRMATION_DECLINED", "what was declined does not run")
        async with connect(mode) as mute:
            _, body = await call(mute, "surface_action", actionId="add", input={"text": "unasked"})
            check(body["error"]["code"] == "CONFIRMATION_REQUIRED", "who asks nobody is told")
        text = (await client.read_resource(document)).contents[0].text
        check(text == "# Notes\n\n- heard\n- confirmed\n", f"only what was confirmed has run: {text!r}")

        # The board, its page, prompts and completions.
        await call(client, "create_component", type_id="text.note", config={"text": "x"})
        _, state = await call(page, "app_state")
        component = state["board"]["canvas"]["components"][0]["id"]
        action = {"type": "user.move", "componentId": component, "position": {"col": 3, "row": 2}}
        await call(page, "app_board_action", action=action)
        result, _ = await call(client, "show_canvas")
        show("hidden message", result.content[1].text)
        check("The user changed the board" in result.content[1].text, "the drag is told")
        prompt = await client.get_prompt("edit-document", {"task": "sort the list"})
        show("prompt", [message.content.text[:40] for message in prompt.messages])
        found = await client.complete({"type": "ref/prompt", "name": "edit-document"}, {"name": "canvas", "value": "no"})
        show("completed", found.completion.values)
        check("notes" in found.completion.values, "ids are completed")

        # What no server has.
        for what in (
            client.call_tool("nothing", {}),
            client.read_resource("canvas://nothing/document"),
            client.read_resource("file:///etc/passwd"),
            client.list_tools(cursor="nothing"),
            client.get_prompt("nothing"),
        ):
            try:
                await what
                sys.exit("it was answered")
            except MCPError as error:
                show("refused", f"{error.error.code} {error.error.message}")

        # A call that its client gives up: the server goes on.
        try:
            await asyncio.wait_for(client.call_tool("canvas_read_all", {"lease_id": "x"}), 0.0001)
        except (TimeoutError, asyncio.TimeoutError):
            show("cancelled", "canvas_read_all")
        await call(client, "canvas_outline")


def over_stdio(database):
    def connect(mode, **options):
        parameters = StdioServerParameters(command=SERVER, args=[*LONG_LEASE, "--db", str(database)])
        return Client(stdio_client(parameters), mode=mode, **options)

    return connect


def over_http(url):
    return lambda mode, **options: Client(url, mode=mode, **options)


async def main():
    for mode in ("auto", "legacy"):
        print(f"stdio, {mode}")
        await session(over_stdio(FOLDER / f"stdio-{mode}.db"), mode)
        print(f"HTTP, {mode}")
        arguments = [SERVER, *LONG_LEASE, "--http", "127.0.0.1:0", "--db", str(FOLDER / f"http-{mode}.db")]
        server = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        try:
            await session(over_http(server.stdout.readline().strip()), mode)
        finally:
            server.terminate()
            check(server.wait(PATIENCE) == 0, "the server ends when it is told to")


asyncio.run(main())
print("the transcript is as it should be")
