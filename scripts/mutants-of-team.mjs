// Bugs in the team server and its workers. Tests against a real PostgreSQL find those of the server. The migration with
// the queue's tables redefines the function that appends to journals: earlier definitions have no effect.
const APPEND = "team/src/server/queue-tables.ts";
const CLAIMS = "team/src/server/claims.ts";
const LEASES = "team/src/server/leases.ts";
const FENCE = "found_run.epoch is distinct from p_epoch or found_run.worker is distinct from p_sender";
const fencing = "test/slow/team/fencing.test.ts";

const UNSHOWN = "team/src/reports/unshown-changes.ts";
const hiddenChanges = "test/team/reports/hidden-changes.test.ts";

export const mutantsOfTeam = [
  {
    bug: "the server accepts the committed tree of a worker without comparing it with the shown one",
    file: UNSHOWN,
    find: "...(await paths(shown.tree, to)), ...hidden",
    put: "...hidden",
    test: hiddenChanges,
  },
  {
    bug: "the server believes a worker which files were there before",
    file: UNSHOWN,
    find: "isKnownBase ? [] : await paths(from, shown.base)",
    put: "[]",
    test: hiddenChanges,
  },
  {
    bug: "the server believes a user from which commit a brought run started",
    file: UNSHOWN,
    find: "if (brought === undefined || git === null",
    put: "if (git === null || git.branch !== null",
    test: hiddenChanges,
  },
  {
    bug: "no gate opens for files that the commit hides",
    file: "src/core/decide/report.ts",
    find: "large || isUnshown || phase.rule",
    put: "large || phase.rule",
    test: hiddenChanges,
  },
  {
    bug: "a worker names the file that the merge accepts without a gate",
    file: "team/src/reports/admit-report.ts",
    find: 'outcome.of === "refine" && outcome.artifact !==',
    put: 'false && outcome.of === "refine" && outcome.artifact !==',
    test: "test/team/reports/report-fields.test.ts",
  },
  {
    bug: "a refused report shows the journal to a worker outside of its scope",
    file: "team/src/server/record-report.ts",
    find: "if (written === null) await requireScope();",
    put: "",
    test: "test/slow/team/scope.test.ts",
  },
  {
    bug: "a worker reports saved work of a lease that another worker had",
    file: LEASES,
    find: "and d.epoch = $2 and d.sender <> $3",
    put: "and d.epoch = $2 and d.sender <> $3 and false",
    test: "test/slow/team/scope.test.ts",
  },
  {
    bug: "wrong credentials are waited for as if the git host were away",
    file: "team/src/copies/host-failure.ts",
    find: "!PERMANENT.test(output) && TRANSIENT",
    put: "TRANSIENT",
    test: "test/team/host-failure.test.ts",
  },
  {
    bug: "a full disk of a worker is recorded as the failure of a step",
    file: "team/src/worker/worker-fault.ts",
    find: `typeof detail === "string" && isFault(detail)`,
    put: "false",
    test: "test/team/host-failure.test.ts",
  },
  {
    bug: "a merge that left the base is not reported",
    file: "team/src/merging/audit-merges.ts",
    find: "!present.has(commit) || unreachable.has(commit)",
    put: "!present.has(commit)",
    test: "test/slow/team/audit-merges.test.ts",
  },
  {
    bug: "the database fences nobody",
    file: APPEND,
    find: FENCE,
    put: "false",
    test: fencing,
  },
  {
    bug: "the database takes reports of an epoch before",
    file: APPEND,
    find: FENCE,
    put: "found_run.worker is distinct from p_sender",
    test: fencing,
  },
  {
    bug: "the database takes reports of a worker that does not hold the run",
    file: APPEND,
    find: FENCE,
    put: "found_run.epoch is distinct from p_epoch",
    test: fencing,
  },
  {
    bug: "a lease that is taken again has the epoch of the one before",
    file: CLAIMS,
    find: "set epoch = epoch + 1, worker = $2",
    put: "set worker = $2",
    test: fencing,
  },
  {
    bug: "a run that a process holds is leased to another",
    file: CLAIMS,
    find: "r.rests = 'action' and r.worker is null",
    put: "r.rests = 'action'",
    test: fencing,
  },
  {
    bug: "a worker's token drives repositories that it is not for",
    file: CLAIMS,
    find: "and (y.label is null or y.label = any($3)) and ${IN_SCOPE}",
    put: "and (y.label is null or y.label = any($3))",
    test: "test/slow/team/claims.test.ts",
  },
  {
    bug: "a claim that is sent again gets another run",
    file: CLAIMS,
    find: "lease.claim === claim",
    put: "lease.claim === undefined",
    test: "test/slow/team/claims.test.ts",
  },
  {
    bug: "a run that a lost worker held keeps its epoch",
    file: LEASES,
    find: "claim = null, epoch = r.epoch + 1,",
    put: "claim = null,",
    test: fencing,
  },
  {
    bug: "a heartbeat tells a run as held that is another worker's",
    file: LEASES,
    find: "where run = any($3) and worker = $1 and instance = $2",
    put: "where run = any($3) and $1::text is not null and $2::text is not null",
    test: fencing,
  },
  {
    bug: "a worker gives a run back that it took again since",
    file: LEASES,
    find: `HELD_IN_EPOCH = "run = $1 and worker = $2 and epoch = $3"`,
    put: `HELD_IN_EPOCH = "run = $1 and worker = $2 and $3::int is not null"`,
    test: fencing,
  },
  {
    bug: "a name is drawn for the epoch before",
    file: "team/src/server/drawn-names.ts",
    find: "worker = $2 and epoch = $3)",
    put: "worker = $2 and $3::int is not null)",
    test: fencing,
  },
  {
    bug: "a worker that lost its run is told that its report was wrong, and goes on",
    file: "team/src/journal-postgres/submit-decision.ts",
    find: "rows[0].epoch !== by.epoch",
    put: "false",
    test: "test/slow/team/journal.test.ts",
  },
  {
    bug: "a file that an agent wrote to is taken into the tree of another run",
    file: "src/adapters/git/snapshot/written-entries.ts",
    find: "`${ino} ${size} ${mode} ${ctimeMs}`",
    put: "`${ino} ${size} ${mode}`",
    test: "test/team/spare-trees.test.ts",
  },
  {
    bug: "files of an earlier tree stay as they are though git would write them otherwise",
    file: "team/src/worker/spare-trees.ts",
    find: "before.rules !== rules",
    put: "false",
    test: "test/team/spare-trees.test.ts",
  },
  {
    bug: "a worker accepts a tree that the gate did not show",
    file: "team/src/reports/admit-report.ts",
    find: 'if (outcome.of === "recheck") requireShownTree',
    put: 'if (outcome.of !== "recheck") requireShownTree',
    test: "test/team/reports/report-fields.test.ts",
  },
  {
    bug: "a worker decides about a gate by the size that it reports",
    file: "team/src/people/accept-policy.ts",
    find: 'rule.gate === "large" ? { ...rule, gate: "always" } : rule',
    put: "rule",
    test: "test/team/reports/malicious-worker.test.ts",
  },
  {
    bug: "a phase with named reviewers is accepted without a gate",
    file: "team/src/people/accept-policy.ts",
    find: "if (named.length === 0) return supervision;",
    put: "if (named.length >= 0) return supervision;",
    test: "test/team/reports/malicious-worker.test.ts",
  },
  {
    bug: "whoever comes when all others are being answered is closed at once",
    file: "team/src/server/connection-room.ts",
    find: "socket !== newest && among(open)",
    put: "among(open)",
    test: "test/team/limited-server.test.ts",
  },
];
