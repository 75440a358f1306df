"""A real repository, read with git and ssh-keygen."""
import base64
import json
import os
import re
import subprocess
import tempfile

from statement import LineError, canonical, read_statement
from verify import unmarked

TYPE = "application/vnd.in-toto+json"
NAMESPACE = "attestation@isdlc"
ENVIRONMENT = {
    "PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC0", "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_NO_LAZY_FETCH": "1",
}


def run(args, stdin=b"", cwd=None):
    done = subprocess.run(args, input=stdin, capture_output=True, cwd=cwd, env=ENVIRONMENT)
    return done.returncode, done.stdout


class GitRepository:
    def __init__(self, case):
        self.folder, self.signers, self.known = case["folder"], case["signers"], self.read_commits(case["folder"])

    def git(self, *args):
        return run(["git", *args], cwd=self.folder)

    @staticmethod
    def read_commits(folder):
        """Every commit of the repository, with two processes."""
        _, listed = run(["git", "cat-file", "--batch-all-objects", "--batch-check", "--unordered"], cwd=folder)
        ids = [line.split()[0] for line in listed.splitlines() if line.split()[1] == b"commit"]
        _, out = run(["git", "cat-file", "--batch"], b"\n".join(ids) + b"\n", folder)
        known = {}
        for _ in ids:
            head, _, out = out.partition(b"\n")
            oid, _, size = head.decode().split()
            known[oid] = parse(out[: int(size)].decode("utf-8", "replace"))
            out = out[int(size) + 1 :]
        return known

    def commit(self, c):
        return self.known.get(c)

    def blob(self, mode, oid):
        if set(mode) == {"0"}:
            return None
        status, out = self.git("cat-file", "blob", oid)
        if status != 0:
            raise KeyError(oid)
        return mode, out.decode("latin1")

    def well_formed(self, tree):
        status, out = self.git("ls-tree", "-r", "-t", "-z", "--name-only", tree)
        names = out.split(b"\0")
        return status == 0 and len(names) == len(set(names))

    def diff(self, x, y):
        if not self.well_formed(x) or not self.well_formed(y):
            return None
        status, out = self.git("diff-tree", "-r", "--raw", "--no-renames", "--no-abbrev", "-z", x, y)
        if status != 0:
            return None
        parts, changes = out.decode("latin1").split("\0")[:-1], []
        for head, path in zip(parts[::2], parts[1::2]):
            old_mode, new_mode, old, new, _ = head.lstrip(":").split(" ")
            try:
                changes.append((path, self.blob(old_mode, old), self.blob(new_mode, new)))
            except KeyError:
                return None
        return changes

    def merge(self, one, other, expected):
        if self.commit(one) is None or self.commit(other) is None:
            return "unknown", None
        args = ["merge-tree", "--write-tree", "--no-messages", "--name-only", "-z", one, other]
        status, out = self.git(*args)
        tree, *paths = out.decode("latin1").split("\0")
        if status == 0:
            return "tree", tree
        if status != 1:
            return "unknown", None
        if expected and tree and set(filter(None, paths)) == {"BACKLOG.md"}:
            changes = self.diff(tree, expected) or [("", None, None)]
            sides = [self.git("cat-file", "blob", f"{c}:BACKLOG.md")[1].decode("latin1") for c in (one, other)]
            lines = {line for side in sides for line in unmarked(side)}
            if all(p == "BACKLOG.md" and a and b and a[0] == b[0] for p, a, b in changes):
                if all(line in lines for _, _, b in changes for line in unmarked(b[1])):
                    return "tree", expected
        return "conflict", None

    def read_line(self, line, now, skew):
        payload, signatures = read_envelope(line["envelope"])
        try:
            text = payload.decode("utf-8", "strict")
        except UnicodeDecodeError:
            raise LineError("STATEMENT_INVALID")
        value = read_statement(text, now, skew)
        commits = [s["digest"]["gitCommit"] for s in value["subject"]]
        signed = f"DSSEv1 {len(TYPE)} {TYPE} {len(payload)} ".encode() + payload
        signers = []
        for keyid, sig in signatures:
            names = self.check(signed, keyid, sig, value["predicate"]["signedAt"])
            if names is None:
                raise LineError("SIGNATURE_BAD", commits)
            signers += [(name, keyid) for name in names]
        if not signers:
            raise LineError("SIGNER_UNKNOWN", commits)
        return signers, text, value, {}

    def check(self, signed, keyid, sig, at):
        """Names of the signer; None for a signature that does not verify."""
        text = base64.b64encode(sig).decode()
        lines = [text[i : i + 70] for i in range(0, len(text), 70)]
        with tempfile.NamedTemporaryFile("w", suffix=".sig") as file:
            file.write("\n".join(["-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----", ""]))
            file.flush()
            ask = lambda *args: run(["ssh-keygen", "-Y", *args, "-s", file.name], signed)
            status, out = ask("check-novalidate", "-n", NAMESPACE)
            if status != 0 or not out.decode().rstrip().endswith(f"key {keyid}"):
                return None
            when = "verify-time=" + re.sub(r"[-:T]", "", at[:19])
            _, found = ask("find-principals", "-f", self.signers, "-O", when)
            return [
                name for name in dict.fromkeys(found.decode().splitlines())
                if ask("verify", "-I", name, "-n", NAMESPACE, "-f", self.signers, "-O", when)[0] == 0
            ]


def parse(text):
    head, _, message = text.partition("\n\n")
    lines = head.split("\n")
    return {
        "tree": lines[0][5:],
        "parents": [line[7:] for line in lines if line.startswith("parent ")],
        "time": int(re.search(r"^committer .* (\d+) [+-]\d{4}$", head, re.M).group(1)),
        "message": message,
    }


def read_envelope(line):
    try:
        value = json.loads(line)
        payload = base64.b64decode(value["payload"], validate=True)
        signatures = [(s["keyid"], base64.b64decode(s["sig"], validate=True)) for s in value["signatures"]]
    except (ValueError, KeyError, TypeError):
        raise LineError("ENVELOPE_INVALID")
    again = canonical({
        "payload": base64.b64encode(payload).decode(),
        "payloadType": TYPE,
        "signatures": [{"keyid": k, "sig": base64.b64encode(s).decode()} for k, s in signatures],
    })
    if again != line or not 1 <= len(signatures) <= 20 or len(line) > 4 * 1024 * 1024:
        raise LineError("ENVELOPE_INVALID")
    return payload, signatures
