"""Compares verdicts of HL7's validator: python3 .ci/validator.py BASE EXAMPLES OWN OURS ACCESS-LOG

An error is known by its resource, its place and the validator's message id; texts name the server, so
they differ. The exit code is 1 if OURS has an error that OWN does not have, or fewer valid resources,
or if the server refused a request.
"""

import collections
import json
import re
import sys

base, examples, own, ours, log = sys.argv[1:]

# Errors that only show with a server behind the validator, and are right: a value set lists another
# code than the resource has. The coding has no system, so the validator takes that of the value set
# and asks for the code in it. The server answers, as HL7's cases demand, that the code system does not
# have the code; the validator's own terminology only says that the value set does not.
RIGHT = "Unknown code 'denominator-exclusions' in the CodeSystem 'http://terminology.hl7.org/CodeSystem/measure-population'"


def verdicts(path):
    with open(path) as lines:
        return {v["line"]: v for v in map(json.loads, filter(str.strip, lines))}


def errors(verdict):
    found = {}
    for m in verdict["messages"]:
        if m["severity"] in ("error", "fatal"):
            found.setdefault((m.get("location"), m.get("id")), m["text"])
    return found


with open(examples) as lines:
    names = {n: json.loads(line) for n, line in enumerate(lines, 1) if line.strip()}
before, after = verdicts(own), verdicts(ours)
right, wrong = 0, []
for n, resource in names.items():
    a, b = errors(before[n]), errors(after[n])
    for key in b.keys() - a.keys():
        if b[key].startswith(RIGHT):
            right += 1
        else:
            wrong.append(f"{resource['resourceType']}/{resource.get('id')} (line {n}) at {key[0]}: {key[1]}: {b[key]}")
statuses = collections.Counter()
with open(log) as lines:
    for line in lines:
        if found := re.search(r"msg=request .*\bstatus=(\d+)", line):
            statuses[found[1]] += 1
refused = sum(n for status, n in statuses.items() if status >= "400")
valid = [sum(v["valid"] for v in side.values()) for side in (before, after)]
print(
    f"HL7's validator on {base}: {valid[1]} of {len(names)} valid, {valid[0]} with its own terminology; "
    f"{len(wrong)} additional errors, {right} more that are right; {sum(statuses.values())} requests, {refused} refused"
)
for text in sorted(wrong):
    print("additional error:", text)
for status, n in sorted(statuses.items()):
    if status >= "400":
        print(f"status {status}: {n} requests")
ok = len(after) == len(before) == len(names) and valid[1] >= valid[0] and not wrong and not refused and sum(statuses.values()) > 0
sys.exit(0 if ok else 1)
