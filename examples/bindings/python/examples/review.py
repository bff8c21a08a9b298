"""A model proposes, and a person decides, in cells as notebooks have them.

    python review.py
"""

# %% A document, and a model whose edits wait for a decision
import canvas_engine as canvas

engine = canvas.Engine.memory()
engine.create("plan", "# Plan\n\n- [ ] write\n- [ ] review\n- [ ] publish\n")
session = engine.join("plan")
session.mode("propose")

# %% The model's calls. In an application, they come from a provider
for task in ("write", "publish"):
    line = {"write": 3, "publish": 5}[task]
    patch = f"@@ -{line},1 +{line},1 @@\n-- [ ] {task}\n+- [x] {task}\n"
    reply = session.call("canvas_apply_patch", {"patch": patch})
    print(reply.body["proposed"])

# %% The changes, part by part
proposal = engine.proposals("plan")[0]
for part in proposal.parts:
    print(f"{part['id']}: {part['before']!r} becomes {part['after']!r}")

# %% The same as text with marks
for span in engine.redline("plan"):
    mark = {"keep": "{}", "insert": "[+{}+]", "delete": "[-{}-]"}[span["kind"]]
    print(mark.format(span["text"]), end="")

# %% The person accepts the first part, as it was shown, and rejects the other
first, second = proposal.parts
decided = engine.decide(
    "plan",
    accept=[first["id"]],
    reject=[second["id"]],
    seen={first["id"]: first["after"]},
    note="Not before the review.",
    person="ana",
)
print(decided.markdown)

# %% Who did what
for change in engine.history("plan").changes:
    print(change.change, change.kind, change.actor, change.summary)

# %% The person takes the decision back
undone = engine.undo("plan", by={"person": "ana"}, person="ana")
print(engine.document("plan").markdown)
assert engine.document("plan").markdown.count("[x]") == 0
engine.close()
