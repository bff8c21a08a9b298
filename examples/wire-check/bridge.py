"""The bridge, asked from Python."""

import json
import subprocess


class Bridge:
    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, op, **fields):
        """The reply as it is, with `ok`."""
        self.process.stdin.write(json.dumps({"op": op, **fields}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def give(self, op, **fields):
        """The result, where nothing may go wrong."""
        reply = self.ask(op, **fields)
        if not reply["ok"]:
            raise SystemExit(f"{op}: {reply['error']}\n{json.dumps(fields)[:2000]}")
        return reply["result"]
