#!/usr/bin/env python3
"""Starts the service of the Debian package in a root folder as its unit says, where systemd does not
run: the user, the environment, the folders, the credentials, the umask and the notification are taken
from the unit. Then it asks the service and stops it.

    unit.py ROOT VERSION
"""
import json, os, pathlib, pwd, re, shlex, shutil, signal, socket, stat, subprocess, sys, time, urllib.request

root, version = pathlib.Path(sys.argv[1]), sys.argv[2]
unit = {}
for line in (root / "usr/lib/systemd/system/roget.service").read_text().splitlines():
    if re.match(r"\w+=", line):
        key, value = line.split("=", 1)
        unit.setdefault(key, []).append(value)


def setting(key):
    return unit[key][-1]


name = setting("User")
entry = next(l.split(":") for l in (root / "etc/passwd").read_text().splitlines() if l.startswith(name + ":"))
uid, gid = int(entry[2]), int(entry[3])
assert uid != 0
for folder, mode, base in [("StateDirectory", "StateDirectoryMode", "var/lib"), ("LogsDirectory", "LogsDirectoryMode", "var/log")]:
    path = root / base / setting(folder)
    path.mkdir(parents=True, exist_ok=True)
    os.chown(path, uid, gid)
    path.chmod(int(setting(mode), 8))
credentials = root / "run/credentials/roget.service"
shutil.rmtree(credentials, ignore_errors=True)
credentials.mkdir(parents=True)
defaults = dict(value.split(":", 1) for value in unit["SetCredential"])
for value in unit["LoadCredential"]:
    key, path = value.split(":", 1)
    source = root / path.lstrip("/")
    (credentials / key).write_bytes(source.read_bytes() if source.exists() else defaults[key].encode())
    (credentials / key).chmod(0o400)
    os.chown(credentials / key, uid, gid)
environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "USER": name, "LOGNAME": name, "HOME": entry[5], "ROGET_ADDR": "127.0.0.1:0"}
environment |= dict(value.replace("%d", "/run/credentials/roget.service").split("=", 1) for value in unit["Environment"])
notify = root / "run/notify"
notify.unlink(missing_ok=True)
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(str(notify))
os.chmod(notify, 0o777)
listener.settimeout(60)
environment["NOTIFY_SOCKET"] = "/run/notify"


def become():
    os.chroot(root)
    os.chdir("/")
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)
    os.umask(int(setting("UMask"), 8))


def await_state(state):
    """Waits until the service manager is told a state."""
    while state not in listener.recv(4096).split(b"\n"):
        pass


def started(process):
    """Returns the address when the service is ready."""
    await_state(b"READY=1")
    line = process.stdout.readline().strip()
    assert line.startswith("roget: listening on "), line
    return line.rsplit(" ", 1)[1]


def ask(url, **settings):
    with urllib.request.urlopen(urllib.request.Request(url, **settings), timeout=20) as answer:
        return json.load(answer)


got = subprocess.run(["/usr/bin/roget", "--version"], preexec_fn=become, env=environment, capture_output=True, text=True, check=True).stdout
assert got.startswith(f"roget {version} ("), got
assert re.search(r"^commit [0-9a-f]{12} of \d{4}-\d\d-\d\dT", got, re.M), got
command = shlex.split(setting("ExecStart"))
for turn in range(2):  # the second start finds the data of the first
    service = subprocess.Popen(command, preexec_fn=become, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        url = started(service)
        assert ask(url + "/readyz")["status"] == "ready"
        found = ask(url + "/CodeSystem/$lookup?system=http://hl7.org/fhir/administrative-gender&code=male")
        assert any(p.get("valueString") == "Male" for p in found["parameter"]), found
        if turn == 0:
            body = json.dumps({"resourceType": "Patient", "id": "anna", "birthDate": "1980-02-29"}).encode()
            ask(url + "/Patient/anna", method="PUT", data=body, headers={"Content-Type": "application/fhir+json"})
        assert ask(url + "/Patient/anna")["birthDate"] == "1980-02-29"
        health = subprocess.run(["/usr/bin/roget", "health", url], preexec_fn=become, env=environment, capture_output=True, text=True)
        assert (health.returncode, health.stdout) == (0, "ready\n"), health
        if "ExecReload" in unit:
            service.send_signal(signal.SIGHUP)
            await_state(b"RELOADING=1")
            await_state(b"READY=1")
            assert ask(url + "/readyz")["status"] == "ready"
        began = time.monotonic()
        service.send_signal(signal.SIGTERM)
        await_state(b"STOPPING=1")
        assert service.wait(60) == 0, service.returncode
        print(f"unit: started, answered, reloaded and stopped in {time.monotonic() - began:.2f} s")
    finally:
        service.kill()
for path in [root / "var/lib/roget", *(root / "var/lib/roget").rglob("*")]:
    s = path.stat()
    assert s.st_uid == uid, f"{path} belongs to {s.st_uid}"
    assert not s.st_mode & 0o077, f"{path} has mode {stat.filemode(s.st_mode)}"
