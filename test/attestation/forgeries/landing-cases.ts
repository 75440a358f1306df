import { createHash } from "node:crypto";
import type { LandingStatement, RunStatement } from "../../../src/schema/attestation.ts";
import { forged, type HistoryCase, honest, withPredicate } from "./case-runs.ts";
import { landingOf as landingOfRun } from "./landing-model.ts";
import { type ForgedCase, RUN, type World } from "./case-world.ts";

const CARRIED = { movedBase: "carried" } as const;
const CHECK = { name: "tests", ok: true, counts: { passed: 3, failed: 0, skipped: 0 }, ranAs: "sandbox" } as const;

type Ends = { readonly base: string; readonly result: string };

function landingOf({ repository }: World, statement: RunStatement, { base, result }: Ends): LandingStatement {
  return landingOfRun(repository, JSON.stringify(statement), { run: statement.predicate.run, base, result });
}

const change = (statement: LandingStatement, predicate: object): LandingStatement => ({
  ...statement,
  predicate: { ...statement.predicate, ...predicate },
});

type LandingCase = { readonly world: World; readonly statement: LandingStatement; readonly base: string };

/** A squash on a moved base, with what is said about it. */
function squashed(
  world: World,
  tell: (told: LandingCase) => LandingStatement,
  by: "ada" | "ben" | "mallory" = "ada",
): ForgedCase {
  const base = world.move();
  const head = world.squash(base, world.last);
  const statement = tell({ world, base, statement: landingOf(world, world.statement, { base, result: head }) });
  const line = { payload: JSON.stringify(statement), keys: [by] };
  return { base, head, policy: CARRIED, lines: [world.sign(world.statement), line] };
}

const forgedBy = (code: string, name: string, tell: (told: LandingCase) => LandingStatement): HistoryCase =>
  forged(code, `a landing statement ${name}`, (world) => squashed(world, tell));
const forgedWith = (code: string, name: string, predicate: object): HistoryCase =>
  forgedBy(code, name, ({ statement }) => change(statement, predicate));

/** Two runs that one merge brings to a moved base. */
function mergedTogether(world: World, told: number): ForgedCase {
  const other = world.another(world.last, "three.txt");
  const base = world.move();
  const head = world.merge(base, other.last);
  const second = JSON.parse(other.line.payload) as RunStatement;
  const lines = [world.statement, second].slice(0, told).map((statement) => ({
    payload: JSON.stringify(landingOf(world, statement, { base, result: head })),
    keys: ["ada" as const],
  }));
  return { base, head, policy: CARRIED, lines: [world.sign(world.statement), other.line, ...lines] };
}

/** Results on a moved base whose checks somebody has to state. */
export const LANDING_CASES: readonly HistoryCase[] = [
  honest("a squash on a moved base with a landing statement", (world) => squashed(world, ({ statement }) => statement)),
  honest("a rebase on a moved base with a landing statement", (world) => {
    const base = world.move();
    const head = world.squash(world.squash(base, world.first), world.last);
    const payload = JSON.stringify(landingOf(world, world.statement, { base, result: head }));
    return { base, head, policy: CARRIED, lines: [world.sign(world.statement), { payload, keys: ["ada"] }] };
  }),
  honest("a merge on a moved base with a landing statement for each run", (world) => mergedTogether(world, 2)),
  honest("a landing statement of the server", (world) => ({
    ...squashed(world, ({ statement }) => statement),
    policy: { ...CARRIED, people: ["ada@example.org"], servers: ["server@example.org"] },
  })),
  honest("a landing statement about an older statement of the run", (world) => {
    const made = squashed(world, ({ statement }) => statement);
    const newer = withPredicate(world.statement, { journal: { seq: 60, hash: "c" } });
    return { ...made, lines: [...(made.lines ?? []), world.sign(newer)] };
  }),
  forged("NOT_CARRIED", "a merge of two runs with a landing statement for one", (world) => mergedTogether(world, 1)),
  forgedBy("NOT_CARRIED", "for the base before it moved", ({ world, statement }) =>
    change(statement, { base: { commit: world.root, tree: world.repository.treeOf(world.root) } }),
  ),
  forgedBy("NOT_CARRIED", "with another tree of the base", ({ world, statement }) =>
    change(statement, { base: { ...statement.predicate.base, tree: world.repository.treeOf(world.root) } }),
  ),
  forgedBy("NOT_CARRIED", "for the last commit of the run", ({ world, base }) =>
    landingOf(world, world.statement, { base, result: world.last }),
  ),
  forgedBy("NOT_CARRIED", "about another statement", ({ world, statement }) => {
    const other = withPredicate(world.statement, { workflow: "fix" });
    return change(statement, { statement: createHash("sha256").update(JSON.stringify(other)).digest("hex") });
  }),
  forgedWith("NOT_CARRIED", "about another run", { run: "20261102-101500123-k3f1" }),
  forgedWith("NOT_CARRIED", "with a failed check", { checks: [CHECK, { ...CHECK, name: "lint", ok: false }] }),
  forgedWith("NOT_CARRIED", "with a check that was not run", { checks: [{ ...CHECK, ok: null }] }),
  forgedWith("NOT_CARRIED", "without checks", { checks: [] }),
  forged("NOT_CARRIED", "a landing statement of a signer without permission", (world) => ({
    ...squashed(world, ({ statement }) => statement, "ben"),
    policy: { ...CARRIED, people: ["ada@example.org"] },
  })),
  forged("NOT_CARRIED", "a landing statement with a revoked key", (world) => ({
    ...squashed(world, ({ statement }) => statement, "ben"),
    policy: { ...CARRIED, revokedSigners: [{ key: "KEY:ben", lastCommit: world.root }] },
  })),
  forged("SIGNER_UNKNOWN", "a landing statement of a stranger", (world) =>
    squashed(world, ({ statement }) => statement, "mallory"),
  ),
  forged("MOVED_BASE", "a landing statement for a moved base that the policy rejects", (world) => ({
    ...squashed(world, ({ statement }) => statement),
    policy: { movedBase: "never" },
  })),
  forged("UNSIGNED", "a landing statement without one of the run", (world) => {
    const base = world.move();
    const head = world.squash(base, world.last, `Squashed\n\nIsdlc-Attempt: ${RUN}/implement2#1`);
    const payload = JSON.stringify(landingOf(world, world.statement, { base, result: head }));
    return { base, head, policy: CARRIED, lines: [{ payload, keys: ["ada"] }] };
  }),
  forgedWith("STATEMENT_CONTRADICTORY", "signed before the landing", { landedAt: "2026-11-01T11:40:00Z" }),
  forgedBy("STATEMENT_CONTRADICTORY", "about another subject", ({ world, statement }) => ({
    ...statement,
    subject: [{ name: "x", digest: { gitCommit: world.last, gitTree: world.repository.treeOf(world.last) } }],
  })),
  forgedWith("SIGNED_IN_FUTURE", "of next year", { signedAt: "2027-11-01T11:30:00Z" }),
  forgedBy("STATEMENT_INVALID", "with two subjects", ({ statement }) => ({
    ...statement,
    subject: [...statement.subject, ...statement.subject],
  })),
  forgedWith("STATEMENT_INVALID", "with an unknown method", { method: "push" }),
  forgedWith("STATEMENT_INVALID", "with a short digest", { statement: "abc" }),
  forgedWith("STATEMENT_INVALID", "without checks as a list", { checks: null }),
  forgedWith("NEWER_VERSION", "with an unknown field", { approved: true }),
  forgedWith("NEWER_VERSION", "with an unknown field of who merged", { mergedBy: { name: "Ada", role: "x" } }),
];
