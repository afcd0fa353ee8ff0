#!/usr/bin/env python3
"""Measures commands that answer a list of codes: time, and memory by the length of the list.

Run it by .ci/bench-lists, which builds the program. A list has codes of the release in random
order: 95 in 100 known ones (2 in 100 of these inactive), 4 unknown, 1 empty, in the second of
three columns. Some answers of each list are compared with those to the same codes one by one.
"""
import argparse, csv, json, os, random, re, subprocess, sys, threading, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from measure import GENERATOR, SYSTEM, say, spent

CONCEPTS = 350_000
SAMPLE = 100  # answers of a command that are compared

# The commands that are measured: what they are called, their arguments, and, to compare, the
# arguments for one code and the name of the field that says yes.
COMMANDS = [
    ("`validate-code` in a value set (all findings)", ["validate-code", "--column", "code", "--system", SYSTEM, "--url", "VALUESET", "--output", "csv"]),
    ("`validate-code` in the code system", ["validate-code", "--column", "code", "--system", SYSTEM, "--output", "csv"]),
    ("the same, NDJSON", ["validate-code", "--column", "code", "--system", SYSTEM, "--output", "ndjson"]),
    ("`member-of`", ["member-of", "--column", "code", "--system", SYSTEM, "--value-set-url", "VALUESET", "--output", "csv"]),
    ("`lookup`", ["lookup", "--column", "code", "--system", SYSTEM, "--output", "csv"]),
    ("`subsumes`, one code against the list", ["subsumes", "ROOT", "-", "--column-b", "code", "--system", SYSTEM, "--output", "csv"]),
    ("`annotate --add display,parents,inactive`", ["annotate", "FILE", "--column", "code", "--system", SYSTEM, "--add", "display,parents,inactive"]),
]


def codes_of(release):
    folder = os.path.join(release, "Snapshot", "Terminology")
    name = next(n for n in os.listdir(folder) if n.startswith("sct2_Concept_"))
    with open(os.path.join(folder, name)) as f:
        return [line.split("\t", 1)[0] for line in f][1:]


def write_list(path, codes, n):
    rng = random.Random(n)
    with open(path, "w") as f:
        f.write("id,code,note\r\n")
        for i in range(n):
            kind = rng.random()
            code = rng.choice(codes) if kind < 0.95 else str(rng.randrange(10**8, 10**9)) if kind < 0.99 else ""
            f.write(f'{i},{code},"note, {i}"\r\n')


def measured(argv, out):
    """Runs a command whose answer may be no; gives seconds, processor seconds, and the largest
    resident and anonymous memory in bytes."""
    began = time.perf_counter()
    with open(out, "wb") as f:
        child = subprocess.Popen(argv, stdout=f)
    most = {"VmHWM": 0, "RssAnon": 0}  # the maximum of wait4 counts this script too, before the program began
    ended = threading.Event()

    def watch():
        while not ended.wait(0.02):
            try:
                if os.readlink(f"/proc/{child.pid}/exe") != argv[0]:
                    continue  # it has not begun
                status = open(f"/proc/{child.pid}/status").read()
            except OSError:
                return
            for name in most:
                found = re.search(rf"^{name}:\s+(\d+) kB", status, re.M)
                most[name] = max(most[name], int(found.group(1)) * 1024 if found else 0)

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, status, usage = os.wait4(child.pid, 0)
    took = time.perf_counter() - began
    ended.set()
    watcher.join()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        sys.exit(f"{' '.join(argv)}: exit code {child.returncode}")
    return {"seconds": took, "cpu": usage.ru_utime + usage.ru_stime, "peak": most["VmHWM"], "anonymous": most["RssAnon"]}


def one_by_one(roget, data, arguments, path, answers):
    """Compares some answers in CSV with those to single codes."""
    with open(answers, newline="") as f:
        last = sum(1 for _ in csv.reader(f)) - 2
    chosen = set(random.Random(1).sample(range(last + 1), SAMPLE))
    name = arguments[0]
    lines, rows = open(path, newline=""), open(answers, newline="")
    for i, (asked, row) in enumerate(zip(csv.DictReader(lines), csv.DictReader(rows), strict=True)):
        if i not in chosen:
            continue
        code = asked["code"]
        if int(row["line"]) != i + 2 or row.get("code", row.get("code_b")) != code:
            sys.exit(f"row {i}: {row}")
        if not code:
            continue
        rest = [a for n, a in enumerate(arguments[1:], 1) if a not in ("--column", "--column-b", "--output") and arguments[n - 1] not in ("--column", "--column-b", "--output")]
        argv = [roget, name] + ([code if a == "-" else a for a in rest] if "-" in rest else [code] + rest)
        single = subprocess.run(argv + ["--data", data, "--output", "json"], capture_output=True, text=True)
        answer = json.loads(single.stdout)
        values = {p["name"]: next((v for k, v in p.items() if k.startswith("value")), None) for p in answer.get("parameter", [])}
        wrong = (row["result"] == "true") != (single.returncode == 0)
        for field in ("display", "message", "outcome"):
            if field in row and answer["resourceType"] == "Parameters" and field in values:
                wrong = wrong or row[field] != values[field]
        if wrong:
            sys.exit(f"{code}: {row}, one by one {answer}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--runs", type=int, default=3, help="runs of each command on the long list")
    options = parser.parse_args()
    folder = options.folder
    roget, release, data = (os.path.join(folder, name) for name in ("roget", str(CONCEPTS), f"data-{CONCEPTS}"))
    if not os.path.exists(os.path.join(release, "Snapshot")):
        say(f"generate {CONCEPTS:,} concepts")
        subprocess.run([sys.executable, GENERATOR, "--out", release, "--concepts", str(CONCEPTS), "--seed", "42", "--no-json"], check=True, stdout=subprocess.DEVNULL)
    if not os.path.exists(data):
        spent(roget, "load", os.path.join(release, "Snapshot"), "--data", data, "--quiet")
    codes = codes_of(release)
    root = finding(roget, data)
    names = {"VALUESET": f"{SYSTEM}?fhir_vs=isa/{root}", "ROOT": root}
    lists = {}
    for n in (100_000, 1_000_000):
        lists[n] = os.path.join(folder, f"codes-{n}.csv")
        if not os.path.exists(lists[n]):
            write_list(lists[n], codes, n)
    rows, out = [], os.path.join(folder, "answers")
    for title, arguments in COMMANDS:
        arguments = [names.get(a, a) for a in arguments]

        def argv(n):
            filled = [lists[n] if a == "FILE" else a for a in arguments]
            return [roget] + filled + ([] if "FILE" in arguments else ["--from", lists[n]]) + ["--data", data, "--quiet"]

        small = measured(argv(100_000), out)
        runs = [measured(argv(1_000_000), out) for _ in range(options.runs)]
        if arguments[0] != "annotate" and arguments[-1] == "csv":
            one_by_one(roget, data, arguments, lists[1_000_000], out)
        rows.append((title, small, runs))
        say(f"{title}: {min(r['seconds'] for r in runs):.1f} s")
    print_table(rows)


def finding(roget, data):
    """Gives the child of the root that is named Finding."""
    out = subprocess.run([roget, "search", "Finding", "--system", SYSTEM, "--ecl", "<! 138875005", "--data", data, "--output", "json"], capture_output=True, text=True, check=True).stdout
    return json.loads(out)["expansion"]["contains"][0]["code"]


def print_table(rows):
    mib = lambda n: f"{n / 2**20:.0f}"
    print("| | seconds for 1,000,000 lines | processor seconds | memory, 100,000 lines | memory, 1,000,000 lines | of which not of files |")
    print("|---|---|---|---|---|---|")
    for title, small, runs in rows:
        seconds = sorted(r["seconds"] for r in runs)
        span = f"{seconds[0]:.1f} – {seconds[-1]:.1f}"
        print(f"| {title} | {span} | {min(r['cpu'] for r in runs):.1f} | {mib(small['peak'])} MiB | {mib(max(r['peak'] for r in runs))} MiB | {mib(small['anonymous'])} and {mib(max(r['anonymous'] for r in runs))} MiB |")


if __name__ == "__main__":
    main()
