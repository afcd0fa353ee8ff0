#!/usr/bin/env python3
"""Measures import, reads, creates and searches of the resource server, and populations.

Run it by .ci/bench-resources, which builds the programs. FOLDER/resources.json has every
figure, FOLDER/resources.md the tables. PostgreSQL runs in a cluster of its own with its
usual settings: what is acknowledged is on the medium (fsync, synchronous_commit).
"""
import argparse, contextlib, glob, gzip, json, os, pwd, re, shutil, subprocess, sys, time, urllib.parse, urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from measure import GENERATOR, SHARED, free_port, running, say, spent

SYNTHEA = os.path.join(SHARED, "data", "synthea")
RESOURCES = 16_412

READ = """
local ids = {}
for line in io.lines("%s") do ids[#ids + 1] = line end
local n = 0
request = function()
  n = n %% #ids + 1
  return wrk.format("GET", "%s" .. ids[n])
end
"""

CREATE = """
local thread = 0
function setup(t) t:set("thread", thread); thread = thread + 1 end
local n = 0
local body = '{"resourceType":"Observation","status":"final","category":[{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/observation-category","code":"vital-signs"}]}],' ..
  '"code":{"coding":[{"system":"http://loinc.org","code":"8867-4","display":"Heart rate"}],"text":"Heart rate"},"subject":{"reference":"Patient/p%d"},' ..
  '"effectiveDateTime":"2024-01-%02dT10:00:00Z","valueQuantity":{"value":%d,"unit":"/min","system":"http://unitsofmeasure.org","code":"/min"}}'
request = function()
  n = n + 1
  return wrk.format("POST", "/baseR4/Observation", {["Content-Type"] = "application/fhir+json", ["Prefer"] = "return=minimal"}, string.format(body, n % 1000, n % 28 + 1, 50 + n % 70))
end
local wrong = 0
response = function(status) if status ~= 201 then wrong = wrong + 1 end end
function done(summary) io.write("") end
"""


def documented():
    """Gives the documented search parameters of each type: name, kind, elements."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "documented_params_test.go")) as f:
        for typ, rows in re.findall(r'^\t"(\w+)": \{$(.*?)^\t\},$', f.read(), re.M | re.S):
            for name, kind, paths in re.findall(r'\{"([\w-]+)", "([\w-]+)", "([\w. ]+)"\}', rows):
                yield typ, name, kind, paths.split()


def at(node, path):
    """Gives what an element holds, its lists opened."""
    nodes = [node]
    for name in path.split("."):
        nodes = [n.get(name) for n in nodes if isinstance(n, dict) and name in n]
        nodes = [m for n in nodes for m in (n if isinstance(n, list) else [n])]
    return nodes


def values(resource, kind, paths):
    """Gives what a resource is found by, as far as it is plain: codes, references, days, texts."""
    for path in paths:
        for n in at(resource, path):
            if kind == "token":
                if isinstance(n, dict):
                    yield from (c["code"] for c in n.get("coding", [n]) if "code" in c)
                    if "coding" not in n and "value" in n:
                        yield n["value"]
                else:
                    yield json.dumps(n).strip('"')
            elif kind == "reference":
                yield n["reference"] if isinstance(n, dict) else n
            elif kind == "date" and isinstance(n, str):
                yield n[:10]
            elif kind == "string" and isinstance(n, str):
                yield n


@contextlib.contextmanager
def postgres(folder):
    """A cluster of its own; gives its address."""
    program = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))[-1]
    bin = os.path.dirname(program)
    data = os.path.join("/tmp", f"roget-bench-postgres-{os.getpid()}")
    shutil.rmtree(data, ignore_errors=True)
    os.mkdir(data)
    user = {}
    if os.getuid() == 0:
        account = pwd.getpwnam("postgres")
        os.chown(data, account.pw_uid, account.pw_gid)
        user = {"user": account.pw_uid, "group": account.pw_gid}
    subprocess.run([program, "--pgdata", data + "/db", "--username", "roget", "--auth", "trust", "--encoding", "UTF8"],
                   check=True, stdout=subprocess.DEVNULL, cwd=data, **user)
    child = subprocess.Popen([bin + "/postgres", "-D", data + "/db", "-k", data, "-h", "", "-c", "max_connections=100",
                              "-c", "shared_buffers=1GB", "-c", "max_wal_size=4GB"], stderr=subprocess.DEVNULL, cwd=data, **user)
    try:
        for _ in range(200):
            if subprocess.run([bin + "/pg_isready", "-h", data], stdout=subprocess.DEVNULL).returncode == 0:
                break
            time.sleep(0.1)
        yield lambda name: database(bin, data, name)
    finally:
        child.terminate()
        child.wait()
        shutil.rmtree(data, ignore_errors=True)


def database(bin, data, name):
    """Makes an empty database and gives its address."""
    subprocess.run([bin + "/psql", "-h", data, "-U", "roget", "-d", "postgres", "-qc", f"DROP DATABASE IF EXISTS {name}", "-c", f"CREATE DATABASE {name}"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return f"postgres:///{name}?user=roget&host={urllib.parse.quote(data, safe='')}"


def wrk(script, base, connections, seconds):
    out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script, base], check=True, capture_output=True, text=True).stdout
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))
    wrong = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    p99 = re.search(r"99%\s+([\d.]+)(us|ms|s)", out)
    return {"rps": rate, "wrong": int(wrong.group(1)) if wrong else 0,
            "p99_ms": float(p99.group(1)) * {"us": 0.001, "ms": 1, "s": 1000}[p99.group(2)]}


class Bench:
    def __init__(self, options):
        self.folder, self.options = options.folder, options
        self.roget = os.path.join(self.folder, "roget")
        self.results = {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def store(self, kind, name, new_database):
        if kind == "postgres":
            return new_database(name)
        if kind == "memory":
            return "memory:"
        for f in glob.glob(self.path(f"{name}.db*")):
            os.remove(f)
        return "sqlite:" + self.path(f"{name}.db")

    def imports(self, new_database):
        """Imports the bundles of Synthea into empty stores, as a whole process."""
        first = sorted(glob.glob(SYNTHEA + "/0-*.json.gz"))
        rest = sorted(set(glob.glob(SYNTHEA + "/*.json.gz")) - set(first))
        for kind in ("sqlite", "postgres"):
            runs = []
            for n in range(self.options.loads):
                store = self.store(kind, f"import_{kind}", new_database)
                a = spent(self.roget, "import", "--data", self.path("data"), "--store", store, "--quiet", *first)
                b = spent(self.roget, "import", "--data", self.path("data"), "--store", store, "--quiet", *rest)
                runs.append({"seconds": a["seconds"] + b["seconds"], "peak": max(a["peak"], b["peak"])})
                say(f"import {kind}: {RESOURCES / runs[-1]['seconds']:,.0f} resources/s")
            self.results[f"import {kind}"] = runs

    def serve(self, store):
        port = free_port()
        base = f"http://127.0.0.1:{port}"
        return base, running(self.roget, "serve", "--addr", f"127.0.0.1:{port}", "--data", self.path("data"), "--store", store,
                             "--no-samples", "--no-base", "--quiet", ready=base + "/readyz")

    def reads(self):
        """Reads by id of what Synthea has, beside the floor."""
        ids = self.path("ids.txt")
        observations = []
        for name in sorted(glob.glob(SYNTHEA + "/*.json.gz")):
            with gzip.open(name) as f:
                for e in json.load(f)["entry"]:
                    r = e["resource"]
                    if r["resourceType"] == "Observation":
                        observations.append(r)
        observations = observations[:5000]
        for r in observations:  # what they refer to is not needed here
            for key in ("subject", "encounter"):
                r[key] = {"reference": "Patient/p1"}
        with open(ids, "w") as f:
            f.writelines(r["id"] + "\n" for r in observations)
        with gzip.open(self.path("observations.ndjson.gz"), "wt") as f:
            f.writelines(json.dumps(r) + "\n" for r in observations)
        script, below = self.path("read.lua"), self.path("floor.lua")
        for path, prefix in ((script, "/baseR4/Observation/"), (below, "/baseR4/Observation/")):
            with open(path, "w") as f:
                f.write(READ % (ids, prefix))
        port = free_port()
        floor_base = f"http://127.0.0.1:{port}"
        for kind in ("memory", "sqlite"):
            store = self.store(kind, "reads", None)
            if kind == "sqlite":
                spent(self.roget, "import", "--data", self.path("data"), "--store", store, "--quiet", self.path("observations.ndjson.gz"))
            base, server = self.serve(store)
            with server, running(self.path("floor"), f"127.0.0.1:{port}", ready=floor_base + "/baseR4/a/b"):
                if kind == "memory":
                    self.upload(base, observations)
                wrk(script, base, 10, 1)
                pairs = [{"floor": wrk(below, floor_base, 10, self.options.d), "ours": wrk(script, base, 10, self.options.d)} for _ in range(3)]
            self.results[f"read {kind}"] = pairs
            for p in pairs:
                say(f"read {kind}: {p['ours']['rps']:,.0f}/s, floor {p['floor']['rps']:,.0f}/s, {p['ours']['rps'] / p['floor']['rps']:.0%}, wrong {p['ours']['wrong']}")

    @staticmethod
    def upload(base, resources):
        for at in range(0, len(resources), 1000):
            bundle = {"resourceType": "Bundle", "type": "transaction", "entry": [
                {"resource": r, "request": {"method": "PUT", "url": f"Observation/{r['id']}"}} for r in resources[at:at + 1000]]}
            request = urllib.request.Request(base + "/baseR4", json.dumps(bundle).encode(), {"Content-Type": "application/fhir+json"})
            urllib.request.urlopen(request).read()

    def creates(self, new_database):
        script = self.path("create.lua")
        with open(script, "w") as f:
            f.write(CREATE)
        for kind in ("sqlite", "postgres", "memory"):
            base, server = self.serve(self.store(kind, f"creates_{kind}", new_database))
            with server:
                wrk(script, base, 16, 1)
                self.results[f"create {kind}"] = runs = [wrk(script, base, 16, self.options.d) for _ in range(3)]
            for r in runs:
                say(f"create {kind}: {r['rps']:,.0f}/s, p99 {r['p99_ms']:.1f} ms, wrong {r['wrong']}")

    def searches(self, new_database):
        """Searches over 1,000,000 resources by the codes of a large code system; the pages
        are compared with a scan of everything (search_scale_test.go)."""
        release = self.path("350000")
        system = os.path.join(release, "CodeSystem-synthetic-clinical.json.gz")
        if not os.path.exists(system):
            say("generate 350,000 concepts")
            subprocess.run([sys.executable, GENERATOR, "--out", release, "--concepts", "350000", "--seed", "42", "--no-rf2"],
                           check=True, stdout=subprocess.DEVNULL)
        for kind in ("sqlite", "postgres"):
            env = dict(os.environ, ROGET_SCALE_CODESYSTEM=system, ROGET_SCALE_FOLDER=self.folder)
            if kind == "postgres":
                env["ROGET_SCALE_POSTGRES"] = new_database("scale")
            say(f"searches, {kind}")
            out = subprocess.run([self.path("scale.test"), "-test.run", "^TestSearchScale$", "-test.v", "-test.timeout", "3h"],
                                 check=True, capture_output=True, text=True, env=env, cwd=self.folder).stdout
            self.results[f"search {kind}"] = [
                {"best": float(m[1]), "first": float(m[2]), "page": int(m[3]), "matches": int(m[4]), "search": m[5]}
                for m in re.finditer(r"([\d.]+) ms, first +([\d.]+) ms, page of +(\d+), total +\S+ of +(\d+): (.*)", out)]

    def population(self):
        """Makes a population, stores it, and asks for all that is documented; what can be
        counted in the resources themselves is."""
        patients, lines = self.options.patients, self.path("population.ndjson")
        command = [self.roget, "generate", "population", "--patients", str(patients), "--seed", "1", "--quiet"]
        runs = [spent(*command) for _ in range(3)]
        with open(lines, "wb") as f:
            subprocess.run(command, check=True, stdout=f)
        asked, made = {}, 0  # by type: what is asked for, and how many have it
        for typ, name, kind, paths in documented():
            asked.setdefault(typ, []).append({"name": name, "kind": kind, "paths": paths, "value": None, "count": 0})
        for enough in (True, False):  # find values first, then count
            with open(lines) as f:
                for n, line in enumerate(f):
                    if enough and n == 60_000:
                        break
                    resource = json.loads(line)
                    for a in asked.get(resource["resourceType"], ()):
                        if enough:
                            a["value"] = next(values(resource, a["kind"], a["paths"]), a["value"])
                        elif a["value"] in values(resource, a["kind"], a["paths"]):
                            a["count"] += 1
                    made += not enough
        self.results["population"] = {"patients": patients, "resources": made, "bytes": os.path.getsize(lines), "runs": runs}
        for r in runs:
            say(f"population: {made / r['seconds']:,.0f} resources/s, {r['peak'] / 2**20:,.0f} MiB")
        store = self.store("sqlite", "population", None)
        loaded = spent(*command, "--output", "store", "--data", self.path("data"), "--store", store)
        say(f"population stored: {made / loaded['seconds']:,.0f} resources/s, {loaded['peak'] / 2**20:,.0f} MiB")
        self.results["population"]["stored"] = loaded
        rows = self.results["population searches"] = []
        base, server = self.serve(store)
        with server:
            for typ, list in asked.items():
                for a in list:
                    if a["value"] is not None:
                        rows.append(self.ask(base, typ, a))
                        say("{ms:8.1f} ms, page of {page:2}, {total:,} of {count:,}: {search}".format(**rows[-1]))

    @staticmethod
    def ask(base, typ, a):
        """Asks for a page, five times, then for the number of all, which must be the number
        that was counted; a text is found in longer ones too."""
        query = urllib.parse.urlencode({a["name"]: ("ge{0}&{1}=le{0}".format(a["value"], a["name"]) if a["kind"] == "date" else a["value"])}, safe="&=")
        took = []
        for _ in range(5):
            began = time.perf_counter()
            with urllib.request.urlopen(f"{base}/baseR4/{typ}?{query}") as answer:
                page = json.load(answer)
            took.append(time.perf_counter() - began)
        with urllib.request.urlopen(f"{base}/baseR4/{typ}?{query}&_total=accurate&_count=0") as answer:
            total = json.load(answer)["total"]
        search = f"{typ}?{query}"
        if not page.get("entry") or (total < a["count"] if a["kind"] == "string" else total != a["count"]):
            sys.exit(f"{search}: {total} found, {a['count']} counted")
        return {"search": search, "ms": min(took) * 1000, "page": len(page["entry"]), "total": total, "count": a["count"]}

    def tables(self):
        yield "| | target | measured |"
        yield "|---|---|---|"
        for kind, target in (("sqlite", "4,000/s"), ("postgres", "2,500/s")):
            if runs := self.results.get(f"import {kind}"):
                rates = sorted(RESOURCES / r["seconds"] for r in runs)
                yield f"| import of Synthea, {kind} | {target} | {rates[0]:,.0f} – {rates[-1]:,.0f}/s, {max(r['peak'] for r in runs) / 2**20:,.0f} MiB |"
        for kind in ("memory", "sqlite"):
            if pairs := self.results.get(f"read {kind}"):
                shares = sorted(p["ours"]["rps"] / p["floor"]["rps"] for p in pairs)
                yield f"| read by id, {kind} | 50 % of the floor | {max(p['ours']['rps'] for p in pairs):,.0f}/s, {shares[0]:.0%} – {shares[-1]:.0%} |"
        for kind, target in (("sqlite", "2,000/s"), ("postgres", ""), ("memory", "")):
            if runs := self.results.get(f"create {kind}"):
                rates = sorted(r["rps"] for r in runs)
                yield f"| create, 16 clients, {kind} | {target} | {rates[0]:,.0f} – {rates[-1]:,.0f}/s, p99 {max(r['p99_ms'] for r in runs):.0f} ms |"
        if made := self.results.get("population"):
            rates = sorted(made["resources"] / r["seconds"] for r in made["runs"])
            yield (f"| population of {made['patients']:,} patients, {made['resources']:,} resources | 20,000/s, 200 MB | {rates[0]:,.0f} – {rates[-1]:,.0f}/s, "
                   f"{max(r['peak'] for r in made['runs']) / 1e6:,.0f} MB |")
            yield f"| stored in SQLite | | {made['resources'] / made['stored']['seconds']:,.0f}/s, {made['stored']['peak'] / 1e6:,.0f} MB |"
            took = sorted(r["ms"] for r in self.results["population searches"])
            yield f"| {len(took)} documented searches of it, a page each | | {took[len(took) // 2]:.1f} ms in the middle, {took[-1]:.1f} ms at most |"
        ours, theirs = self.results.get("search sqlite", []), self.results.get("search postgres", [])
        if ours and theirs:
            yield ""
            yield "| search | matches | page | SQLite, ms | first | PostgreSQL, ms | first |"
            yield "|---|---|---|---|---|---|---|"
        for a, b in zip(ours, theirs):
            name = a["search"].replace("http://example.org/CodeSystem/synthetic-clinical|", "")
            name = f"`{name}`" if "=" in name else name or "all Observations"
            yield f"| {name} | {a['matches']:,} | {a['page']} | {a['best']:.1f} | {a['first']:.1f} | {b['best']:.1f} | {b['first']:.1f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("-d", type=int, default=4, help="seconds of a run of wrk")
    parser.add_argument("--loads", type=int, default=3, help="imports into each store")
    parser.add_argument("--only", default="imports,reads,creates,searches,population")
    parser.add_argument("--patients", type=int, default=100_000, help="of the population")
    parser.add_argument("--quick", action="store_true", help="no searches over 1,000,000 resources, no population")
    options = parser.parse_args()
    bench, only = Bench(options), options.only.split(",")
    with postgres(options.folder) as new_database:
        if "imports" in only:
            bench.imports(new_database)
        if "reads" in only:
            bench.reads()
        if "creates" in only:
            bench.creates(new_database)
        if "searches" in only and not options.quick:
            bench.searches(new_database)
    if "population" in only and not options.quick:
        bench.population()
    with open(bench.path("resources.json"), "w") as f:
        json.dump(bench.results, f, indent=1)
    table = "\n".join(bench.tables())
    with open(bench.path("resources.md"), "w") as f:
        f.write(table + "\n")
    print(table)


if __name__ == "__main__":
    main()
