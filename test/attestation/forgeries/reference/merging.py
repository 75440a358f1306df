"""A repository as data. Merges are of whole files, on the only merge base."""
from statement import LineError, read_statement


class DataRepository:
    def __init__(self, case):
        self.commits, self.trees = case["commits"], case["trees"]
        self.ids = {self.key(files): tree for tree, files in self.trees.items()}

    @staticmethod
    def key(files):
        return tuple(sorted(files.items()))

    def commit(self, c):
        return self.commits.get(c)

    def read_line(self, line, now, skew):
        """Signers, payload and statement of a line whose signatures were checked."""
        if line["malformed"]:
            raise LineError("ENVELOPE_INVALID")
        value = read_statement(line["payload"], now, skew)
        commits = [s["digest"]["gitCommit"] for s in value["subject"]]
        if line["forged"]:
            raise LineError("SIGNATURE_BAD", commits)
        if not line["signers"]:
            raise LineError("SIGNER_UNKNOWN", commits)
        if line["passkey"] == "forged":
            raise LineError("GATE_SIGNATURE_BAD", commits)
        gates = {(p["key"], i): [tuple(line["passkey"])] for p in value["predicate"]["phases"]
                 for i in range(len(p["gates"]))} if line["passkey"] else {}
        return [tuple(s) for s in line["signers"]], line["payload"], value, gates

    def diff(self, x, y):
        if x not in self.trees or y not in self.trees:
            return None
        a, b = self.trees[x], self.trees[y]
        side = lambda files, path: ("100644", files[path]) if path in files else None
        return [(p, side(a, p), side(b, p)) for p in set(a) | set(b) if a.get(p) != b.get(p)]

    def ancestors(self, c):
        found, left = set(), [c]
        while left:
            x = left.pop()
            if x not in found:
                found.add(x)
                left += self.commits[x]["parents"] if x in self.commits else []
        return found

    def merge(self, one, other, expected):
        if one not in self.commits or other not in self.commits:
            return "unknown", None
        common = self.ancestors(one) & self.ancestors(other)
        bases = [c for c in common if not any(c != d and c in self.ancestors(d) for d in common)]
        if len(bases) != 1:
            return "conflict", None
        old, ours, theirs = (self.trees[self.commits[c]["tree"]] for c in (bases[0], one, other))
        merged = {}
        for path in set(old) | set(ours) | set(theirs):
            was, mine, their = old.get(path), ours.get(path), theirs.get(path)
            if mine == their or their == was:
                result = mine
            elif mine == was:
                result = their
            else:
                return "conflict", None
            if result is not None:
                merged[path] = result
        return "tree", self.ids.get(self.key(merged), "tree of no commit")
