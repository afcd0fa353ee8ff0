#!/usr/bin/env python3
"""Measures loading, opening, serving and memory, and prints the tables of docs/benchmarks.md.

Run it by .ci/bench, which builds the programs. FOLDER/N is the generated RF2 release of N
concepts, FOLDER/pools-N the questions of txbench.py for it; both are made when absent.
FOLDER/results.json has every figure, FOLDER/benchmarks.md the tables.

Every test is driven right after the floor, with the same questions and the same settings of
wrk, so that the machine is about the same for both.
"""
import argparse, contextlib, datetime, json, os, platform, re, shutil, socket, statistics, subprocess, sys, time, urllib.request

SHARED = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "shared"))
TXBENCH = os.path.join(SHARED, "bench", "txbench.py")
GENERATOR = os.path.join(SHARED, "data", "tools", "gen_hierarchy.py")
SYSTEM = "http://snomed.info/sct"

# What each test asks, and what the reference server of ../shared/bench/RESULTS.md does with
# 350,000 concepts: requests a second. Then what is to be reached: a share of the floor, or a
# multiple of the reference.
TESTS = {
    "LK01": ("`$lookup`, random code", 2170, 0.6, None),
    "LK05": ("`$lookup`, unknown code", 2673, 0.6, None),
    "VC01": ("`$validate-code`, all codes", 1535, 0.6, None),
    "VC02": ("`$validate-code` with display", 1475, 0.6, None),
    "VC03": ("`$validate-code` in an is-a set", 1151, 0.6, None),
    "EX01": ("`$expand` is-a, count and offset", 78.6, None, 100),
    "EX02": ("`$expand` by POST, hierarchy filter", 108, None, 100),
    "EX03": ("`$expand` everything, text filter", 1.37, None, 2000),
    "EX05": ("`$expand` by POST, is-a and property", 97.2, None, 100),
    "EX08": ("`$expand` by POST, is-a, property and text", 1.37, None, 2000),
    "SS01": ("`$subsumes`", 1179, 0.6, None),
}
UNCACHED = "EX03"  # asks 238 different questions, so it is run without a cache too
MOST_P99 = {"10": 10_000, "50": 25_000}  # microseconds, by connections
LIMITS = {  # concepts: seconds and GiB of a load, MB of the server after the run
    350_000: (60, 1.5, 400),
    1_000_000: (200, 4, 1000),
}
OPEN_LIMIT = 0.1  # seconds

# Benchmarks in process: package and names.
IN_PROCESS = [
    ("./engine", "Subsumes|ValidateCode|Lookup|MemberOf|Expand"),
    ("./codesystem", "Search"),
    ("./codesystem/ecl", "."),
]


def say(text):
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


def spent(*command):
    """Runs a program and gives its time in seconds and its peak memory in bytes."""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    took = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(command)}: exit code {child.returncode}")
    return {"seconds": took, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss * 1024}


@contextlib.contextmanager
def running(*command, ready):
    """Runs a server, waits until its URL answers and gives the process."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        for _ in range(600):
            if child.poll() is not None:
                sys.exit(f"{' '.join(command)}: ended with {child.returncode}")
            with contextlib.suppress(OSError):
                urllib.request.urlopen(ready).close()
                break
            time.sleep(0.05)
        else:
            sys.exit(f"{ready} does not answer")
        yield child
    finally:
        child.terminate()
        child.wait()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def resident(child):
    """The resident memory of a process in bytes, and the part that is mapped files."""
    status = open(f"/proc/{child.pid}/status").read()
    return {name: int(re.search(rf"^{field}:\s+(\d+) kB", status, re.M).group(1)) * 1024
            for name, field in (("all", "VmRSS"), ("files", "RssFile"))}


class Bench:
    def __init__(self, options):
        self.folder, self.options = options.folder, options
        self.roget = os.path.join(self.folder, "roget")

    def path(self, name):
        return os.path.join(self.folder, name)

    def prepare(self, n):
        """Makes the release and the questions, once."""
        release, pools = self.path(str(n)), self.path(f"pools-{n}")
        source = os.path.join(release, "CodeSystem-synthetic-clinical.json.gz")
        if not (os.path.exists(source) and os.path.exists(os.path.join(release, "Snapshot"))):
            say(f"generate {n:,} concepts")
            subprocess.run([sys.executable, GENERATOR, "--out", release, "--concepts", str(n), "--seed", "42"],
                           check=True, stdout=subprocess.DEVNULL)
        if not os.path.exists(os.path.join(pools, "SS01.json.gz")):
            say("draw the questions")
            subprocess.run([sys.executable, TXBENCH, "pools", "--data", source, "--out", pools],
                           check=True, stdout=subprocess.DEVNULL)
        return release, pools

    def load(self, n, release):
        """Loads the release some times and gives the data folder of the last time."""
        data, runs = self.path(f"data-{n}"), []
        for _ in range(self.options.loads):
            shutil.rmtree(data, ignore_errors=True)
            runs.append(spent(self.roget, "load", os.path.join(release, "Snapshot"), "--data", data, "--quiet"))
            say(f"load {n:,}: {runs[-1]['seconds']:.1f} s, {runs[-1]['peak'] / 2**30:.2f} GiB")
        packs = os.path.join(data, "packs")
        size = sum(os.path.getsize(os.path.join(packs, f)) for f in os.listdir(packs) if f.endswith(".pack"))
        return data, {"runs": runs, "bytes": size}

    def open(self, data):
        """Asks for one code in a fresh process: as it is, and after the pack was touched."""
        ask = [self.roget, "lookup", "138875005", "--system", SYSTEM, "--data", data, "--output", "json"]
        spent(*ask)
        trusted = [spent(*ask) for _ in range(9)]
        for name in os.listdir(os.path.join(data, "packs")):
            if name.endswith(".seal"):
                os.remove(os.path.join(data, "packs", name))
        return {"trusted": trusted, "verified": spent(*ask)}

    def drive(self, test, pools, base, check):
        """One test of txbench.py."""
        out = self.path("test.json")
        subprocess.run([sys.executable, TXBENCH, "run", "--pools", pools, "--base", base, "--tests", test, "-d", str(self.options.d),
                        "-c", "1,10,50", "--check", str(check), "--out", out], check=False, stdout=subprocess.DEVNULL)
        with open(out) as f:
            return json.load(f)["tests"][test]

    def serve(self, data, *flags):
        port = free_port()
        base = f"http://127.0.0.1:{port}/baseR4"
        return base, running(self.roget, "serve", "--addr", f"127.0.0.1:{port}", "--data", data, "--store", "memory:",
                             "--no-samples", "--quiet", *flags, ready=base + "/metadata")

    def floor(self):
        port = free_port()
        base = f"http://127.0.0.1:{port}/baseR4"
        return base, running(self.path("floor"), f"127.0.0.1:{port}", ready=base + "/CodeSystem/$lookup")

    def tests(self, data, pools):
        """All tests beside the floor, and the memory of the server after them."""
        results = {}
        below, floor = self.floor()
        base, server = self.serve(data)
        with floor, server as process:
            for test in self.options.tests:
                results[test] = self.pair(test, pools, base, below)
            memory = resident(process)
        base, server = self.serve(data, "--cache-size", "0")
        below, floor = self.floor()
        with floor, server:
            if UNCACHED in results:
                results[UNCACHED + ", no cache"] = self.pair(UNCACHED, pools, base, below)
        return {"tests": results, "resident": memory}

    def pair(self, test, pools, base, below):
        floor = self.drive(test, pools, below, 0)
        ours = self.drive(test, pools, base, 60)
        say(f"{test}: {ours['rps']:,.0f} requests/s, floor {floor['rps']:,.0f}, wrong {ours['wrong']} of {ours['checked']}")
        return {"ours": ours, "floor": floor}

    def in_process(self):
        """The benchmarks that need no server."""
        found = []
        source = os.path.join(self.path("350000"), "CodeSystem-synthetic-clinical.json.gz")
        env = dict(os.environ, ROGET_BENCH_CODESYSTEM=source)
        for package, names in IN_PROCESS:
            if not os.path.isdir(package):
                continue
            say(f"benchmarks of {package}")
            out = subprocess.run(["go", "test", "-run", "^$", "-bench", names, "-benchmem", "-benchtime", "0.5s", package],
                                 env=env, capture_output=True, text=True, check=False).stdout
            for line in out.splitlines():
                if line.startswith("Benchmark"):
                    found.append((package, *read_benchmark(line)))
        return found

    def run(self):
        result = {"date": datetime.date.today().isoformat(), "machine": machine(), "seconds": self.options.d, "sizes": {}}
        for n in self.options.sizes:
            release, pools = self.prepare(n)
            data, loaded = self.load(n, release)
            result["sizes"][n] = {"load": loaded, "open": self.open(data), **self.tests(data, pools)}
            self.keep(result)
        if not self.options.quick:
            result["in process"] = self.in_process()
        self.keep(result)
        return result

    def keep(self, result):
        with open(self.path("results.json"), "w") as f:
            json.dump(result, f, indent=1)


def read_benchmark(line):
    """Name and figures of a line of go test -bench: ns/op, B/op, allocs/op and those of the benchmark."""
    name, _, *rest = line.split()
    return re.sub(r"^Benchmark|-\d+$", "", name), {unit: float(value) for value, unit in zip(rest[::2], rest[1::2])}


def machine():
    model = re.search(r"^model name\s*: (.*)$", open("/proc/cpuinfo").read(), re.M)
    memory = re.search(r"^MemTotal:\s+(\d+)", open("/proc/meminfo").read(), re.M)
    go = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout.strip()
    return f"{os.cpu_count()} processors ({model.group(1) if model else platform.machine()}), " \
           f"{round(int(memory.group(1)) / 2**20)} GiB, {platform.system()}, {go}"


# ------------------------------------------------------------------ the tables
def figure(x):
    return f"{x:,.0f}" if x >= 10 else f"{x:.3g}"


def span(values, unit, form):
    low, high = form.format(min(values)), form.format(max(values))
    return f"{low} {unit}" if low == high else f"{low} – {high} {unit}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def loading(result):
    rows = []
    for n, size in result["sizes"].items():
        runs, opened = size["load"]["runs"], size["open"]
        seconds, gib, megabytes = LIMITS.get(int(n), ("–", "–", "–"))
        rows += [
            [f"**{int(n):,}**", "", ""],
            ["load, whole process", f"< {seconds} s", span([r["seconds"] for r in runs], "s", "{:.1f}")],
            ["load, peak memory", f"< {gib} GiB", span([r["peak"] / 2**30 for r in runs], "GiB", "{:.2f}")],
            ["snapshot on disk", "", f"{size['load']['bytes'] / 2**20:,.0f} MiB"],
            ["lookup, whole process", "< 100 ms", span([r["seconds"] * 1000 for r in opened["trusted"]], "ms", "{:.0f}")],
            ["the same, median", "", f"{statistics.median(r['seconds'] for r in opened['trusted']) * 1000:.0f} ms"],
            ["the same, when the file is another one since (verified once)", "", f"{opened['verified']['seconds'] * 1000:.0f} ms"],
            ["server after all tests, resident memory", f"< {megabytes} MB", f"{size['resident']['all'] / 1e6:.0f} MB"],
            ["of which pages of the mapped snapshot and program", "", f"{size['resident']['files'] / 1e6:.0f} MB"],
        ]
    return table(["", "target", "measured"], rows)


def serving(size, reference):
    header = ["test", "", "requests/s", "of the floor", "p50", "p99", "p99 at 10", "p99 at 50"]
    if reference:
        header[3:3] = ["reference", "ratio"]
    rows = []
    for name, pair in size["tests"].items():
        what, known, _, _ = TESTS[name[:4]]
        ours, floor = pair["ours"], pair["floor"]
        levels = ours["levels"]
        if not ours["rps"]:
            rows.append([name, what, f"does not count: {ours['wrong']} of {ours['checked']} answers wrong"] + [""] * (len(header) - 3))
            continue
        best = max(levels.values(), key=lambda level: level["rps"])
        row = [name, what, figure(ours["rps"])]
        if reference:
            row += [figure(known), f"{ours['rps'] / known:,.{1 if ours['rps'] < 100 * known else 0}f} ×"]
        row += [f"{ours['rps'] / floor['rps']:.0%}", *(f"{best[p] / 1000:.2f}" for p in ("p50_us", "p99_us")),
                *(f"{levels[c]['p99_us'] / 1000:.1f}" for c in ("10", "50"))]
        rows.append(row)
    return table(header, rows)


def processes(found):
    rows = []
    for package, name, units in found:
        others = ", ".join(f"{value:,.0f} {unit}" for unit, value in units.items() if unit not in ("ns/op", "B/op", "allocs/op"))
        rows.append([f"`{package}` {name}", duration(units["ns/op"]), f"{units.get('allocs/op', 0):,.0f}", others])
    return table(["benchmark", "time", "allocations", ""], rows)


def duration(ns):
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns:.3g} ns"


def page(result):
    parts = [f"Measured on {result['date']}: {result['machine']}.", "## Loading, opening, memory", loading(result)]
    for n, size in result["sizes"].items():
        parts += [f"## HTTP, {int(n):,} concepts", serving(size, int(n) == 350_000)]
    if result.get("in process"):
        parts += ["## In process, 350,000 concepts", processes(result["in process"])]
    return "\n\n".join(parts) + "\n"


def missed(result):
    """What is not as it is to be."""
    for n, size in result["sizes"].items():
        n = int(n)
        seconds, gib, megabytes = LIMITS.get(n, (None,) * 3)
        if seconds:
            for run in size["load"]["runs"]:
                if run["seconds"] >= seconds or run["peak"] >= gib * 2**30:
                    yield f"{n:,}: load took {run['seconds']:.0f} s, {run['peak'] / 2**30:.2f} GiB"
            if size["resident"]["all"] >= megabytes * 1e6:
                yield f"{n:,}: {size['resident']['all'] / 1e6:.0f} MB resident"
        if (slow := statistics.median(r["seconds"] for r in size["open"]["trusted"])) >= OPEN_LIMIT:
            yield f"{n:,}: a lookup takes {slow * 1000:.0f} ms"
        for name, pair in size["tests"].items():
            _, known, share, multiple = TESTS[name[:4]]
            ours = pair["ours"]
            if ours["wrong"] or not ours["rps"]:
                yield f"{n:,} {name}: {ours['wrong']} of {ours['checked']} wrong, {ours['rps']:.0f} requests/s"
                continue
            if share and ours["rps"] < share * pair["floor"]["rps"]:
                yield f"{n:,} {name}: {ours['rps'] / pair['floor']['rps']:.0%} of the floor"
            if multiple and n == 350_000 and ours["rps"] < multiple * known:
                yield f"{n:,} {name}: {ours['rps'] / known:,.0f} times the reference"
            for connections, most in MOST_P99.items():
                if (level := ours["levels"].get(connections)) and level["p99_us"] >= most:
                    yield f"{n:,} {name}: p99 {level['p99_us'] / 1000:.1f} ms at {connections} connections"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    p.add_argument("--quick", action="store_true", help="350,000 concepts, one load, short runs, nothing in process")
    p.add_argument("--sizes", type=lambda text: [int(n) for n in text.split(",")], help="numbers of concepts (350000,1000000)")
    p.add_argument("--tests", type=lambda text: text.split(","), default=list(TESTS))
    p.add_argument("--loads", type=int, help="how often to load (3)")
    p.add_argument("-d", type=int, help="seconds of each run of wrk (4)")
    p.add_argument("--print", action="store_true", help="only print the tables of the last results")
    options = p.parse_args()
    options.sizes = options.sizes or ([350_000] if options.quick else [350_000, 1_000_000])
    options.loads = options.loads or (1 if options.quick else 3)
    options.d = options.d or (2 if options.quick else 4)
    bench = Bench(options)
    if not options.print:
        bench.run()
    with open(bench.path("results.json")) as f:
        result = json.load(f)
    text = page(result)
    with open(bench.path("benchmarks.md"), "w") as f:
        f.write(text)
    print(text)
    for line in missed(result):
        print("not reached:", line, file=sys.stderr)


if __name__ == "__main__":
    main()
