#!/usr/bin/env python3
"""Reference verifier, written from docs/attestation.md alone. Standard library, git and ssh-keygen.

  verify.py --data                  one case a line on standard input, one outcome a line on standard output
  verify.py --repository            one case a line, with the folder of a repository, its lines and the list of signers
"""
import functools
import hashlib
import json
import re
import sys

from merging import DataRepository
from statement import LANDING, LineError, canonical, instant

CODES = [
    "ENVELOPE_INVALID", "STATEMENT_INVALID", "TYPE_UNKNOWN", "NEWER_VERSION", "SIGNED_IN_FUTURE",
    "STATEMENT_CONTRADICTORY", "SIGNATURE_BAD", "SIGNER_UNKNOWN", "GATE_SIGNATURE_BAD", "KEY_REVOKED",
    "SIGNER_NOT_PERMITTED", "STATEMENT_UNTRUE", "RUN_CANCELLED", "RUN_OPEN", "STATEMENTS_DISAGREE",
]
SKEW = 5 * 60 * 1000
RECORD_FIELDS = {
    "phases_completed", "analysis_status", "codebase_hash", "sizing_decision", "build_started_at",
    "build_completed_at", "workflow_type", "phase_timestamps",
}


class Statement:
    """A run statement that got no code in step 1 or 2."""

    def __init__(self, payload, value, signers):
        self.payload, self.value, self.signers = payload, value, list(signers)
        self.p = value["predicate"]
        self.run = self.p["run"]
        self.subjects = [(s["name"], s["digest"]["gitCommit"], s["digest"]["gitTree"]) for s in value["subject"]]
        self.states = [
            (name, commit, tree, state["parents"], state["is"])
            for (name, commit, tree), state in zip(self.subjects, self.p["states"])
            if state["is"] != "merge"
        ]
        self.last, self.tree = self.states[-1][1], self.states[-1][2]
        self.sound = None
        self.digest = hashlib.sha256(payload.encode()).hexdigest()
        self.agreeing = [self.digest]

    def accepted(self):
        return [
            p for p in self.p["phases"]
            if p["status"] == "completed" and p["accepted"] is not None and p["tree"] is not None
        ]


class Verifier:
    def __init__(self, repository, case):
        self.repo, self.case = repository, case
        self.policy = {
            "commits": "all", "movedBase": "merge", "openRuns": False, "servers": [], "revokedSigners": [],
            "phases": [], "gates": [], "passkeys": False, "fourEyes": False, "forbidOverruled": [], "sandbox": False, "adopted": True,
            **case["policy"],
        }
        self.line_codes = []  # (code, commits)
        self.fallback = {}  # commits that only statements know

    # -- terms ---------------------------------------------------------------------------------------------------

    def commit(self, c):
        return self.repo.commit(c) or self.fallback.get(c)

    def ancestors(self, c):
        if not hasattr(self, "_anc"):
            self._anc = {}
        if c not in self._anc:
            found, left = set(), [c]
            while left:
                x = left.pop()
                if x in found:
                    continue
                found.add(x)
                left.extend((self.commit(x) or {"parents": []})["parents"])
            self._anc[c] = found
        return self._anc[c]

    def le(self, x, y):
        return x == y or (self.commit(x) is not None and x in self.ancestors(y))

    def tree(self, c):
        found = self.commit(c)
        return found and found["tree"]

    def record_only(self, x, y, item):
        if x == y:
            return True
        changes = self.repo.diff(x, y)
        if changes is None:
            return None
        return all(self.is_record(item, *change) for change in changes)

    def is_record(self, item, path, before, after):
        for side in (before, after):
            if side is not None and side[0] not in ("100644", "100755"):
                return False
        if before and after and before[0] != after[0]:
            return False
        old, new = before and before[1], after and after[1]
        if item.startswith("docs/features/"):
            if path == item + "/.meta.json":
                return is_object(new) and (old is None or is_object(old))
            if path == item + "/.review-history.md":
                return new is None or new.startswith(old or "")
            return False
        if item.startswith(".isdlc/"):
            return False
        if path == "BACKLOG.md":
            return old is not None and new is not None and unmarked(old) == unmarked(new)
        if path == item + "/meta.json":
            if not is_object(new):
                return False
            if old is None:
                return True
            strip = lambda text: [(k, v) for k, v in json.loads(text).items() if k not in RECORD_FIELDS]
            return is_object(old) and canonical(strip(old)) == canonical(strip(new))
        return False

    # -- step 1 and 3 --------------------------------------------------------------------------------------------

    def refuse(self, code, commits):
        self.line_codes.append((code, commits))

    def read_lines(self):
        by_payload, self.landings = {}, []
        for line in self.case["lines"]:
            try:
                signers, payload, value, gates = self.repo.read_line(line, self.case["now"], SKEW)
            except LineError as error:
                self.refuse(error.code, error.commits)
                continue
            if value["predicateType"] == LANDING:
                self.landings.append((value["predicate"], signers))
                continue
            known = by_payload.setdefault(payload, Statement(payload, value, []))
            if known.signers == []:
                known.gates = gates
            known.signers += [s for s in signers if s not in known.signers]
        self.known_signers = [s for st in by_payload.values() for s in st.signers]
        return list(by_payload.values())

    def select(self, statements):
        left, cancelled, discarded = {}, set(), set()
        for st in statements:
            code = self.statement_code(st)
            if code == "RUN_CANCELLED":
                cancelled.add(st.run)
                if st.p["sealedAt"] is None:
                    discarded.add(st.run)
            if code:
                self.refuse(code, [c for _, c, _ in st.subjects])
            else:
                left.setdefault(st.run, []).append(st)
        usable = []
        for run, some in left.items():
            key = lambda s: (s.p["journal"]["seq"], instant(s.p["signedAt"]), s.payload)
            closed = sorted((s for s in some if s.p["endedAt"] or s.p["sealedAt"]), key=key, reverse=True)
            if run in discarded:
                for s in some:
                    self.refuse("RUN_CANCELLED", [c for _, c, _ in s.subjects])
            elif closed:
                if all(agree(older, closed[0]) for older in closed[1:]):
                    usable.append(closed[0])
                    closed[0].agreeing = [s.digest for s in closed]
                else:
                    for s in some:
                        self.refuse("STATEMENTS_DISAGREE", [c for _, c, _ in s.subjects])
            elif run in cancelled:
                for s in some:
                    self.refuse("RUN_CANCELLED", [c for _, c, _ in s.subjects])
            else:
                usable.append(max(some, key=key))
        return sorted(usable, key=lambda s: (instant(s.p["startedAt"]), s.run))

    def statement_code(self, st):
        def revoked(keyid):
            return any(
                r["key"] == keyid and not (self.repo.commit(r["lastCommit"]) and self.le(st.last, r["lastCommit"]))
                for r in self.policy["revokedSigners"]
            )
        st.signers = [s for s in st.signers if not revoked(s[1])]
        st.gates = {k: [s for s in some if not revoked(s[1])] for k, some in st.gates.items()}
        if not st.signers:
            return "KEY_REVOKED"
        people = self.policy.get("people")
        if people is not None and not any(n in people or n in self.policy["servers"] for n, _ in st.signers):
            return "SIGNER_NOT_PERMITTED"
        for (_, commit, tree), state in zip(st.subjects, st.p["states"]):
            found = self.repo.commit(commit)
            if found is None:
                continue
            if found["tree"] != tree or list(found["parents"]) != list(state["parents"]):
                return "STATEMENT_UNTRUE"
            if state["is"] != "merge" and found["time"] * 1000 > instant(st.p["signedAt"]) + SKEW:
                return "STATEMENT_UNTRUE"
        if st.p["endedAt"] is not None and st.p["finish"] in (None, "discard"):
            return "RUN_CANCELLED"
        if st.p["endedAt"] is None and st.p["sealedAt"] is None and not self.policy["openRuns"]:
            return "RUN_OPEN"
        return None

    # -- step 4 --------------------------------------------------------------------------------------------------

    def state(self, c, tip):
        return [s for s in self.usable if s.sound is True and self.le(s.last, tip) and any(c == x[1] for x in s.states)]

    @functools.lru_cache(maxsize=None)
    def walk(self, l, p):
        visited, forks, complete, left = [], [], True, [l]
        while left:
            x = left.pop()
            if x in visited or x in forks:
                continue
            if self.le(x, p):
                forks.append(x)
                continue
            visited.append(x)
            found = self.commit(x)
            if found is None:
                complete = False
            else:
                left.extend(found["parents"])
        return visited, forks, complete

    def closed(self, l, p):
        visited, _, complete = self.walk(l, p)
        known, every = complete, True
        for x in visited:
            if self.state(x, l) or self.commit(x) is None:
                continue
            parents = self.commit(x)["parents"]
            if len(parents) != 2:
                every = False
                continue
            kind, tree = self.repo.merge(*parents, self.tree(x))
            if kind == "unknown":
                known = False
            elif kind == "conflict" or tree != self.tree(x):
                every = False
        return every if known else None

    @functools.lru_cache(maxsize=None)
    def result(self, x, l, t):
        visited, forks, complete = self.walk(l, x)
        here = self.tree(x)
        if here == t:
            return t
        if here is not None and complete and len(forks) == 1 and self.tree(forks[0]) == here:
            return t
        kind, tree = self.repo.merge(x, l, None)
        return tree if kind == "tree" else None

    def judge(self):
        base, head = self.case["base"], self.case["head"]
        inside = self.ancestors(head) - self.ancestors(base)
        self.landing, outcome = {}, {}
        for c in self.topological(inside):
            parents = self.commit(c)["parents"]
            outcome[c] = self.judge_merge(c, parents) if len(parents) > 1 else self.judge_single(c, parents, inside, head)
        for c, landing in self.landing.items():
            outcome[c] = ("landing", landing)
        return outcome

    def topological(self, commits):
        done, left = [], set(commits)
        while left:
            ready = min(c for c in left if not any(p in left for p in self.commit(c)["parents"]))
            done.append(ready)
            left.remove(ready)
        return done

    def judge_merge(self, c, parents):
        if len(parents) > 2:
            return ("OCTOPUS",)
        kind, tree = self.repo.merge(*parents, self.tree(c))
        if kind == "unknown":
            return ("OBJECTS_MISSING",)
        if kind == "conflict":
            return ("MERGE_CONFLICT",)
        if tree != self.tree(c):
            return ("MERGE_DIFFERS",)
        for base, tip in (parents, parents[::-1]):
            if any(self.brings_back(s, base, tip) for s in self.brings(base, tip)):
                return ("LANDED_BEFORE",)
        return ("merge", all(self.tree(p) != tree for p in parents))

    def judge_single(self, c, parents, inside, head):
        runs = self.state(c, head)
        if runs:
            back = any(self.brings_back(s, self.case["base"], head) for s in runs)
            return ("LANDED_BEFORE",) if back else ("state", runs)
        for s in self.usable:
            if any(c == x[1] for x in s.states):
                return ({True: "RUN_CUT_OFF", False: "STATE_NOT_APPROVED", None: "OBJECTS_MISSING"}[s.sound],)
        first_code = None
        chain, at = [], c
        while (at in inside and len(self.commit(at)["parents"]) == 1 and not self.state(at, head)
               and at not in self.landing):
            chain.append(at)
            at = self.commit(at)["parents"][0]
        for s in self.usable:
            if s.sound is not True:
                continue
            for k in range(len(chain), 0, -1):
                p = self.commit(chain[k - 1])["parents"][0]
                code = self.match(s, c, p, list(reversed(chain[1:k])), k)
                if isinstance(code, tuple):
                    for x in chain[:k]:
                        self.landing[x] = code
                    return ("landing", code)
                first_code = first_code or code
        if first_code:
            return (first_code,)
        before = self.tree(parents[0]) if parents else None
        if before != self.tree(c) and any(x[2] == self.tree(c) for s in self.usable for x in s.states):
            return ("SUPERSEDED_STATE",)
        codes = [code for code, commits in self.line_codes if c in commits]
        if codes:
            return (min(codes, key=CODES.index),)
        message = self.commit(c)["message"]
        attempts = re.findall(r"^[ \t]*Isdlc-Attempt: (\S+)[ \t]*$", message, re.M)
        if any(name in attempts for s in self.usable for name, _, _ in s.subjects):
            return ("CHANGED",)
        if any(o["commit"] == c for s in self.usable for o in s.p["git"]["others"]):
            return ("NOT_BY_RUN",)
        if attempts:
            return ("UNSIGNED",)
        return ("AGENT",) if "noreply@anthropic.com" in message else ("BY_HAND",)

    def match(self, s, c, p, between, k):
        """A landing, a code, or None."""
        if self.le(s.last, p):
            return None
        visited, _, _ = self.walk(s.last, p)
        if k > sum(1 for x in visited if self.commit(x) and len(self.commit(x)["parents"]) == 1):
            return None
        if self.result(p, s.last, s.tree) != self.tree(c):
            return None
        states = [x for x in self.topological([v for v in visited if self.commit(v)]) if self.state(x, s.last)]
        for x in between:
            while states and self.result(p, states[0], self.tree(states[0])) != self.tree(x):
                states.pop(0)
            if not states:
                return None
            states.pop(0)
        closed = self.closed(s.last, p)
        if closed is None:
            return None
        if not closed:
            return "FOREIGN_COMMITS"
        if self.landed(s, p, s.last):
            return "LANDED_BEFORE"
        runs = [s] + [r for v in visited for r in self.state(v, s.last)]
        return (s, tuple(dict.fromkeys(runs)), self.tree(c) != s.tree, p, c)

    def brings_back(self, s, base, tip):
        if self.le(s.last, base) or self.result(base, s.last, s.tree) == self.tree(base):
            return False
        return self.landed(s, base, tip)

    def landed(self, s, p, tip):
        forks, x = self.walk(tip, p)[1], p
        while x is not None and not any(self.le(x, f) for f in forks):
            if self.result(x, s.last, s.tree) == self.tree(x):
                return True
            x = next(iter((self.commit(x) or {"parents": []})["parents"]), None)
        return False

    # -- step 5 and 6 --------------------------------------------------------------------------------------------

    def move(self, outcome):
        rule = self.policy["movedBase"]
        if rule == "merge":
            return outcome
        for c, found in outcome.items():
            moved = found[1] if found[0] == "merge" else found[0] == "landing" and found[1][2]
            if moved and rule == "never":
                outcome[c] = ("MOVED_BASE",)
            elif moved and not self.carried(c, found):
                outcome[c] = ("NOT_CARRIED",)
        return outcome

    def carried(self, c, found):
        if found[0] == "landing":
            s, _, _, base, last = found[1]
            return self.stated(s, base, last)
        parents = self.commit(c)["parents"]
        return all(self.stated(s, parents[0], c) for s in self.brings(*parents))

    def stated(self, s, base, result):
        point = lambda c: {"commit": c, "tree": self.tree(c)}
        return any(
            p["run"] == s.run and p["statement"] in s.agreeing and p["base"] == point(base)
            and p["result"] == point(result) and p["checks"] and all(x["ok"] is True for x in p["checks"])
            and any(self.permitted(n, k, result) for n, k in signers)
            for p, signers in self.landings
        )

    def permitted(self, name, key, result):
        if "people" in self.policy and name not in self.policy["people"] and name not in self.policy["servers"]:
            return False
        revoked = [x["lastCommit"] for x in self.policy["revokedSigners"] if x["key"] == key]
        return all(self.repo.commit(last) is not None and self.le(result, last) for last in revoked)

    def brings(self, first, second):
        return [s for s in self.usable if s.sound is True and self.le(s.last, second) and not self.le(s.last, first)]

    def rules(self, s):
        p, policy, broken = s.p, self.policy, set()
        named = lambda name: s.accepted()[-1:] if name == "final" and s.accepted() else [
            x for x in p["phases"] if x["key"] == name or re.match(r"\d\d(-|$)", x["key"]) and x["key"][:2] == name
        ]
        if "workflows" in policy and p["workflow"] not in policy["workflows"]:
            broken.add("WORKFLOW_NOT_ALLOWED")
        for name in policy["phases"]:
            if not named(name) or any(x["status"] != "completed" or x["accepted"] is None for x in named(name)):
                broken.add("PHASE_NOT_COMPLETED")
        for name in policy["gates"]:
            broken |= {self.gate_code(s, x) for x in named(name) or [None]} - {None}
        if policy["passkeys"]:
            tree = self.signed_tree(s, named)
            if tree is not False and not (tree and self.record_only(tree, s.tree, p["item"])):
                broken.add("AFTER_SIGNED_TREE")
        if policy["fourEyes"]:
            able = [x for x in s.signers if x[0] not in policy["servers"]]
            able = [x for x in able if "people" not in policy or x[0] in policy["people"]]
            if len(people(able, self.known_signers)) < 2:
                broken.add("FOUR_EYES")
        for name in policy["forbidOverruled"]:
            checks = {c["name"] for x in p["phases"] for c in x["checks"]}
            if name not in checks and name not in KNOWN_NAMES:
                broken.add("CHECK_UNKNOWN")
            elif any(o["what"] == name or (o["what"] == "check" and o["name"] == name) for o in p["overruled"]):
                broken.add("OVERRULED")
        if policy["sandbox"] and p["sandbox"] is not True:
            broken.add("NO_SANDBOX")
        if not policy["adopted"] and "adopted" in p:
            broken.add("ADOPTED_WORK")
        return broken

    def of_state(self, s, x):
        if s.p["options"]["commits"] != "phase":
            return True
        own = [tree for _, commit, tree in s.subjects if commit == x["commit"]]
        if own:
            return self.record_only(x["tree"], own[0], s.p["item"]) is True
        points = [s.p["git"]["start"], *s.p["git"]["others"]]
        return x["tree"] in [t for _, _, t in s.subjects] + [o["tree"] for o in points]

    def gate_code(self, s, x):
        if x is None or x["accepted"] is None or x["accepted"]["by"] == "engine":
            return "GATE_NOT_ANSWERED"
        last = x["gates"][-1] if x["gates"] else None
        if last is None or last["decision"] != "continue":
            return "GATE_NOT_ANSWERED"
        if last["tree"] is None or last["tree"] != x["tree"] or not self.of_state(s, x):
            return "GATE_OF_OTHER_TREE"
        if last["suspicious"]:
            return "GATE_SUSPICIOUS"
        if ("reportedBy" in last or "evidence" in last) and not any(n in self.policy["servers"] for n, _ in s.signers):
            return "GATE_REPORTED"
        if "channels" in self.policy and last["by"]["channel"] not in self.policy["channels"]:
            return "GATE_CHANNEL"
        if self.policy["passkeys"]:
            signers = s.gates.get((x["key"], len(x["gates"]) - 1), [])
            if not signers:
                return "GATE_NOT_SIGNED"
            if "people" in self.policy and not any(n in self.policy["people"] for n, _ in signers):
                return "GATE_SIGNER_NOT_PERMITTED"
        return None

    def signed_tree(self, s, named):
        """The last tree, in plan order, of a required phase that is signed; False if there is none."""
        keys = {x["key"] for name in self.policy["gates"] for x in named(name)}
        signed = [x for x in s.p["phases"] if x["key"] in keys and s.gates.get((x["key"], len(x["gates"]) - 1))]
        return signed[-1]["tree"] if signed else False

    def verify(self):
        self.usable = self.select(self.read_lines())
        for s in self.usable:
            for _, commit, tree, parents, _ in s.states:
                if self.repo.commit(commit) is None:
                    self.fallback.setdefault(commit, {"tree": tree, "parents": parents, "time": 0, "message": ""})
        self._anc = {}
        for s in self.usable:
            accepted = s.accepted()
            s.sound = self.record_only(accepted[-1]["tree"], s.tree, s.p["item"]) if accepted else False
        outcome = self.move(self.judge())
        covered = ("state", "landing", "merge")
        relied, rules = [], set()
        for found in outcome.values():
            relied += found[1] if found[0] == "state" else found[1][1] if found[0] == "landing" else []
        for s in dict.fromkeys(relied):
            rules |= {f"{code} {s.run}" for code in self.rules(s)}
        root = self.policy.get("repository")
        if root and not (self.repo.commit(root) and self.repo.commit(root)["parents"] == []
                         and self.le(root, self.case["head"])):
            rules.add("OTHER_REPOSITORY ")
        bad = [f for f in outcome.values() if f[0] not in covered
               and not (self.policy["commits"] == "agents" and f[0] == "BY_HAND")]
        return {
            "accepted": not bad and not rules,
            "commits": {c: found[0] for c, found in outcome.items()},
            "lines": sorted(code for code, _ in self.line_codes),
            "rules": sorted(rules),
        }


KNOWN_NAMES = {"check", "review", "phase", "step", "supervision", "tests", "artifacts", "changed code", "shown as it is"}
MARK = re.compile(r"^([ \t]*-[ \t]+(?:[0-9]+\.[0-9]+[ \t]+)?\[)[ ~Ax](\])")


def unmarked(text):
    return [MARK.sub(r"\1\2", line) for line in text.split("\n")]


def is_object(text):
    try:
        return isinstance(json.loads(text if text is not None else ""), dict)
    except ValueError:
        return False


def agree(older, newer):
    a, b = older.p, newer.p
    if instant(a["startedAt"]) != instant(b["startedAt"]):
        return False
    if any(a[k] != b[k] for k in ("workflow", "plan", "item")) or a["git"]["start"] != b["git"]["start"]:
        return False
    count = len(older.states)
    plain = lambda states: [(n, c, t, list(ps)) for n, c, t, ps, _ in states]
    if plain(older.states) != plain(newer.states[:count]) or any(x[4] != "record" for x in newer.states[count:]):
        return False
    facts = lambda p: [[x[k] for k in ("key", "status", "accepted", "tree", "commit", "gates")] for x in p["phases"]]
    return facts(a) == facts(b)


def people(signers, known):
    groups = []
    for name, key in list(known) + list(signers):
        mine = {("name", name), ("key", key)}
        for group in [g for g in groups if g & mine]:
            groups.remove(group)
            mine |= group
        groups.append(mine)
    return {frozenset(g) for g in groups for name, key in signers if ("name", name) in g}


def main():
    sys.setrecursionlimit(10_000)
    make = DataRepository
    if sys.argv[1:2] == ["--repository"]:
        from git_repository import GitRepository
        make = GitRepository
    for line in sys.stdin:
        case = json.loads(line)
        print(json.dumps(Verifier(make(case), case).verify(), separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
