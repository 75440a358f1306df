"""Statements as docs/attestation.md describes them: canonical form, fields and contradictions."""
import json
import re
import sys
from decimal import Decimal

STATEMENT = "https://in-toto.io/Statement/v1"
RUN = "urn:isdlc:attestation:run:v1"
LANDING = "urn:isdlc:attestation:landing:v1"


class LineError(Exception):
    def __init__(self, code, commits=()):
        super().__init__(code)
        self.code, self.commits = code, list(commits)


def canonical(value):
    """Compact JSON as ECMAScript writes it: shortest numbers, and lone surrogates as escapes."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{canonical(k)}:{canonical(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, str):
        lone = lambda found: f"\\u{ord(found[0]):04x}"
        return re.sub("[\ud800-\udfff]", lone, json.dumps(value, ensure_ascii=False))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return shortest(value)
    return json.dumps(value)


def shortest(value):
    if value == 0 or isinstance(value, int) and abs(value) < 2**53:
        return str(int(value))
    if abs(value) > sys.float_info.max:
        return "null"
    sign, digits, exponent = Decimal(repr(float(value))).as_tuple()
    text = "".join(map(str, digits)).rstrip("0")
    point = len(digits) + exponent
    minus = "-" if sign else ""
    if len(text) <= point <= 21:
        return minus + text.ljust(point, "0")
    if 0 < point <= 21:
        return f"{minus}{text[:point]}.{text[point:]}"
    if -6 < point <= 0:
        return f"{minus}0.{'0' * -point}{text}"
    more = f".{text[1:]}" if len(text) > 1 else ""
    return f"{minus}{text[0]}{more}e{point - 1:+d}"


def no_number(name):
    raise ValueError(name)


DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?Z", re.A)


def instant(text):
    """Milliseconds since 1970; None for a time that does not exist."""
    found = TIME.fullmatch(text) if isinstance(text, str) else None
    if not found:
        return None
    year, month, day, hour, minute, second = (int(x) for x in found.groups()[:6])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= month <= 12 or not 1 <= day <= DAYS[month - 1] + (leap and month == 2):
        return None
    if hour > 23 or minute > 59 or second > 59:
        return None
    days = sum(366 if y % 4 == 0 and (y % 100 != 0 or y % 400 == 0) else 365 for y in range(1970, year))
    days += sum(DAYS[: month - 1]) + (1 if leap and month > 2 else 0) + day - 1
    return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + int((found.group(7) or "0").ljust(3, "0"))


# -- fields: each type is a function that raises LineError ---------------------------------------------------------

class Unknown(Exception):
    def __init__(self, *fields):
        super().__init__(*fields)
        self.fields = fields


class Wrong(Exception):
    pass


def check(holds):
    if not holds:
        raise Wrong


def text(most):
    return lambda v: check(isinstance(v, str) and len(v) <= most)


def matching(pattern):
    return lambda v: check(isinstance(v, str) and re.fullmatch(pattern, v, re.A) is not None)


def integer(v):
    check(isinstance(v, int) and not isinstance(v, bool) and abs(v) < 2**53)


def number(v):
    check(isinstance(v, (int, float)) and not isinstance(v, bool))


def boolean(v):
    check(isinstance(v, bool))


def one_of(*values):
    return lambda v: check(isinstance(v, str) and v in values)


def time(v):
    check(instant(v) is not None)


def nullable(kind):
    return lambda v: None if v is None else kind(v)


def many(kind, most):
    def read(v):
        check(isinstance(v, list))
        errors = []
        for item in v:
            collect(errors, kind, item)
        raise_first(errors)
        check(len(v) <= most)
    return read


def collect(errors, kind, value):
    try:
        kind(value)
    except (Unknown, Wrong) as error:
        errors.append(error)


def raise_first(errors):
    for error in errors:
        if isinstance(error, Unknown):
            raise error
    if errors:
        raise errors[0]


def record(optional=(), **fields):
    def read(v):
        check(isinstance(v, dict))
        unknown = [k for k in v if k not in fields]
        errors = [Unknown(*unknown)] if unknown else []
        for key, kind in fields.items():
            if key in v:
                collect(errors, kind, v[key])
            elif key not in optional:
                errors.append(Wrong())
        raise_first(errors)
    return read


def any_of(*kinds):
    """A field is unknown if no alternative knows it."""
    def read(v):
        errors = []
        for kind in kinds:
            try:
                return kind(v)
            except (Unknown, Wrong) as error:
                errors.append(error)
        unknown = [set(e.fields) if isinstance(e, Unknown) else set() for e in errors]
        if set.intersection(*unknown):
            raise Unknown(*set.intersection(*unknown))
        raise Wrong
    return read


def either(kind, literal):
    return lambda v: None if v == literal else kind(v)


OBJECT = matching(r"[0-9a-f]{40}|[0-9a-f]{64}")
POINT = record(commit=OBJECT, tree=OBJECT)
PHASE_KEY = matching(r"[a-z0-9][a-z0-9-]{0,48}")
CHANNELS = ("terminal", "token", "dashboard", "prompt", "form", "passkey")
WHO = record(name=text(200), channel=one_of(*CHANNELS, "script", "pull-request"))
USAGE = record(input=nullable(number), output=nullable(number), usd=nullable(number))
COUNTS = record(passed=integer, failed=integer, skipped=integer)
CHECK = record(name=text(200), ok=nullable(boolean), counts=nullable(COUNTS), ranAs=nullable(one_of("sandbox", "you")))
GATE = record(
    optional=("signed", "broughtBy", "reportedBy", "evidence"),
    wait=text(200),
    by=record(name=text(200), channel=one_of(*CHANNELS, "pull-request")),
    decision=one_of("continue", "review", "redo"),
    shown=text(200),
    tree=nullable(OBJECT),
    at=time,
    suspicious=boolean,
    signed=record(statement=text(10_000), keyid=text(200), sig=matching(r"[A-Za-z0-9+/]{1,20000}={0,2}")),
    broughtBy=text(200),
    reportedBy=text(200),
    evidence=record(
        host=text(200), repository=integer, kind=one_of("review", "comment"), id=integer, login=text(200),
        user=integer, submittedAt=time, seenAt=time,
    ),
)
PHASE = record(
    optional=("reportedBy", "checkedBy"),
    key=PHASE_KEY,
    persona=text(200),
    status=one_of("pending", "in_progress", "completed", "skipped", "dropped", "analysed"),
    attempts=integer,
    redos=integer,
    executions=integer,
    failedChecks=integer,
    checks=many(CHECK, 1000),
    reportedBy=many(text(200), 1000),
    checkedBy=many(text(200), 1000),
    reviews=many(
        record(
            attempt=integer, reviewer=text(200), approved=boolean,
            open=record(blocker=integer, warning=integer, note=integer),
        ),
        1000,
    ),
    gates=many(GATE, 1000),
    accepted=nullable(record(by=either(WHO, "engine"), at=time)),
    tree=nullable(OBJECT),
    commit=nullable(OBJECT),
    usage=USAGE,
)
PREDICATE = record(
    optional=("adopted",),
    isdlc=text(100),
    run=matching(r"[0-9]{8}-[0-9]{9}-[a-z0-9]{4}"),
    workflow=text(200),
    plan=text(200),
    item=text(1000),
    options=record(
        mode=one_of("hotfix", "quick", "standard", "full"), light=boolean, commits=one_of("phase", "end", "none")
    ),
    supervision=record(enabled=boolean, phases=either(many(text(10**9), 10**9), "all")),
    startedBy=WHO,
    startedAt=time,
    sealedAt=nullable(time),
    endedAt=nullable(time),
    finish=nullable(one_of("merge", "squash", "pr", "keep", "discard")),
    git=record(
        branch=nullable(text(1000)), base=nullable(text(1000)), start=POINT, others=many(POINT, 10_000)
    ),
    states=many(record(**{"is": one_of("adopted", "phase", "back", "record", "merge")}, parents=many(OBJECT, 100)), 10_000),
    sandbox=nullable(boolean),
    adopted=one_of("checks and review by isdlc, authorship unknown"),
    tests=nullable(record(digest=text(200))),
    agents=many(
        record(
            role=one_of("phase", "reviewer"), phase=nullable(PHASE_KEY), name=text(200), digest=text(200),
            model=nullable(text(200)), version=nullable(text(200)),
        ),
        1000,
    ),
    phases=many(PHASE, 1000),
    overruled=many(
        record(
            phase=nullable(PHASE_KEY), what=one_of("check", "review", "phase", "step", "supervision"), name=text(200),
            by=WHO, at=time,
        ),
        1000,
    ),
    usage=USAGE,
    journal=record(seq=integer, hash=text(200)),
    signedAt=time,
)
SUBJECT = record(name=text(1000), digest=record(gitCommit=OBJECT, gitTree=OBJECT))
LANDED = record(
    isdlc=text(100),
    run=matching(r"[0-9]{8}-[0-9]{9}-[a-z0-9]{4}"),
    statement=matching(r"[0-9a-f]{64}"),
    base=POINT,
    result=POINT,
    method=one_of("merge", "squash", "rebase", "carry"),
    checks=many(CHECK, 1000),
    mergedBy=nullable(any_of(record(name=text(200)), record(host=text(200), login=text(200), user=integer))),
    landedAt=time,
    signedAt=time,
)


def statement(kind, most, predicate):
    return record(
        _type=one_of(STATEMENT), subject=many(SUBJECT, most), predicateType=one_of(kind), predicate=predicate
    )


FIELDS = {RUN: statement(RUN, 10_000, PREDICATE), LANDING: statement(LANDING, 1, LANDED)}


def named_commits(value):
    subject = value.get("subject") if isinstance(value, dict) else None
    found = [s.get("digest") for s in subject if isinstance(s, dict)] if isinstance(subject, list) else []
    return [d["gitCommit"] for d in found if isinstance(d, dict) and isinstance(d.get("gitCommit"), str)]


def read_statement(payload, now, skew):
    """The statement in a payload (a string), or a LineError."""
    try:
        value = json.loads(payload, parse_constant=no_number)
        written = canonical(value)
    except (ValueError, RecursionError):
        raise LineError("STATEMENT_INVALID")
    refuse = lambda code: LineError(code, named_commits(value))
    if written != payload or not isinstance(value, dict) or value.get("_type") != STATEMENT:
        raise refuse("STATEMENT_INVALID")
    if value.get("predicateType") not in (RUN, LANDING):
        raise refuse("TYPE_UNKNOWN")
    try:
        FIELDS[value["predicateType"]](value)
        check(len(value["subject"]) >= 1)
    except Unknown:
        raise refuse("NEWER_VERSION")
    except Wrong:
        raise refuse("STATEMENT_INVALID")
    if instant(value["predicate"]["signedAt"]) > now + skew:
        raise refuse("SIGNED_IN_FUTURE")
    if is_contradictory(value):
        raise refuse("STATEMENT_CONTRADICTORY")
    return value


def is_contradictory(value):
    p = value["predicate"]
    if value["predicateType"] == LANDING:
        digest = {"gitCommit": p["result"]["commit"], "gitTree": p["result"]["tree"]}
        return instant(p["landedAt"]) > instant(p["signedAt"]) or any(s["digest"] != digest for s in value["subject"])
    signed = instant(p["signedAt"])
    if any(p[k] is not None and instant(p[k]) > signed for k in ("startedAt", "endedAt", "sealedAt")):
        return True
    if p["endedAt"] is not None and instant(p["endedAt"]) < instant(p["startedAt"]):
        return True
    commits = [s["digest"]["gitCommit"] for s in value["subject"]]
    kinds = [s["is"] for s in p["states"]]
    if len(commits) != len(kinds) or all(k == "merge" for k in kinds):
        return True
    if kinds != sorted(kinds, key=lambda k: k == "merge"):
        return True
    others = {o["commit"] for o in p["git"]["others"]}
    if len(set(commits)) != len(commits) or any(c in others or c == p["git"]["start"]["commit"] for c in commits):
        return True
    previous = p["git"]["start"]["commit"]
    for commit, state in zip(commits, p["states"]):
        if state["is"] != "merge":
            if len(state["parents"]) != 1 or state["parents"][0] not in {previous} | others:
                return True
        previous = commit
    adopted = kinds.count("adopted")
    if adopted and ("adopted" not in p or kinds[:adopted] != ["adopted"] * adopted):
        return True
    keys = [x["key"] for x in p["phases"]]
    if len(set(keys)) != len(keys) or any(x["commit"] is not None and x["commit"] not in commits for x in p["phases"]):
        return True
    done = p["endedAt"] is not None or p["sealedAt"] is not None
    cancelled = p["endedAt"] is not None and p["sealedAt"] is None
    return done and p["finish"] is None and not cancelled
