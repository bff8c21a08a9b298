"""Requests to the Interactions API, by the types of Google's SDK: the validator beside the data does not know it."""

from google.genai._gaos.types.interactions.createmodelinteraction import CreateModelInteraction


def unknown_keys(given, kept, path=""):
    """Keys that reading and writing has dropped, so that the types do not know them."""
    if isinstance(given, dict) and isinstance(kept, dict):
        for key, value in given.items():
            if key not in kept:
                if value is not None:
                    yield f"{path}/{key}"
            elif key not in {"arguments", "parameters", "result"}:
                yield from unknown_keys(value, kept[key], f"{path}/{key}")
    elif isinstance(given, list) and isinstance(kept, list):
        for index, (item, same) in enumerate(zip(given, kept, strict=True)):
            yield from unknown_keys(item, same, f"{path}/{index}")


def errors(body):
    """What the types refuse, and calls whose results are not right."""
    try:
        read = CreateModelInteraction.model_validate(body)
    except ValueError as error:
        return [str(error)]
    found = [f"unknown: {key}" for key in unknown_keys(body, read.model_dump(mode="json", exclude_none=True))]
    found += [f"unknown step: {step}" for step in read.input if getattr(step, "is_unknown", False)]
    waiting = []
    for step in body["input"]:
        if step["type"] == "function_call":
            waiting.append(step["id"])
        elif step["type"] == "function_result":
            if not waiting or waiting.pop(0) != step["call_id"]:
                found.append(f"a result out of turn: {step}")
        elif step["type"] == "user_input" and waiting:
            found.append(f"not answered: {waiting}")
    return found + [f"not answered: {id}" for id in waiting]
