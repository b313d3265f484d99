"""Judges case files by the JSON Schema of `impakt schema`, with PyPI's jsonschema: each must fit, and none may fit with a key
misspelt, a required key taken away, or a number turned into text.

    validate_cases.py schema.json case.yaml ...
"""
import copy
import json
import sys

from jsonschema import Draft202012Validator
from ruamel.yaml import YAML



def breakages(case):
    """The case with one thing broken, and what that is."""
    when = "time" if "time" in case else "task"
    for key in ("geometry", when):
        broken = copy.deepcopy(case)
        del broken[key]
        yield f"without {key}", broken
    for section in case:
        broken = copy.deepcopy(case)
        broken[section + "x"] = broken.pop(section)
        yield f"{section} misspelt", broken
    for path in (("time", "end"), ("time", "step")) if when == "time" else ():
        broken = copy.deepcopy(case)
        broken[path[0]][path[1]] = "soon"
        yield ".".join(path) + " is text", broken
    for section in ("materials", "bodies", "obstacles"):
        for name, entry in (case.get(section) or {}).items():
            for key in entry:
                broken = copy.deepcopy(case)
                broken[section][name][key + "x"] = broken[section][name].pop(key)
                yield f"{section}.{name}.{key} misspelt", broken
    broken = copy.deepcopy(case)
    if when == "time":
        broken["time"]["end"] = -1.0
        yield "time.end negative", broken
    else:
        broken["task"]["transmission_error"]["torque"] = -1.0
        yield "torque negative", broken
    for k, contact in enumerate(case.get("contacts") or []):
        broken = copy.deepcopy(case)
        broken["contacts"][k]["friction"] = -0.1
        yield f"contacts.{k}.friction negative", broken


def main():
    schema = json.load(open(sys.argv[1], encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    judge = Draft202012Validator(schema)
    fits, refused, wrong = 0, 0, []
    for name in sys.argv[2:]:
        case = YAML(typ="safe", pure=True).load(open(name, encoding="utf-8"))
        errors = [f"{name}: {e.json_path}: {e.message[:300]}" for e in judge.iter_errors(case)]
        wrong += errors
        fits += not errors
        for what, broken in breakages(case):
            if judge.is_valid(broken):
                wrong.append(f"{name}: fits although {what}")
            else:
                refused += 1
    print(f"{fits} cases fit, {refused} broken ones are refused")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
