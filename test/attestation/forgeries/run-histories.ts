import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { rollDice } from "../../support/dice.ts";
import { type CaseModel, type LineModel, LISTED, signerName } from "./case-model.ts";
import { generateHistory } from "./generate-history.ts";
import { fakeKeyId, NOW, type Outcome, verifyModel } from "./verify-model.ts";

export type Disagreement = { readonly name: string; readonly ours: Outcome; readonly theirs: unknown };

export type HistoriesResult = {
  readonly disagreements: readonly Disagreement[];
  readonly accepted: number;
  /** Number of cases for each code and each kind of coverage. */
  readonly reasons: ReadonlyMap<string, number>;
};

type Series = { readonly count: number; readonly seed: number };

export function* generateHistories({ count, seed }: Series): Generator<CaseModel> {
  for (let index = 0; index < count; index++) yield generateHistory(rollDice(seed + index), `${seed + index}`);
}

/** Verifies histories as data with the core and with the reference verifier in a folder. */
export async function compareVerifiers(models: Iterable<CaseModel>, reference: string): Promise<HistoriesResult> {
  const python = spawn("python3", ["-B", join(reference, "verify.py"), "--data"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ours: { readonly name: string; readonly outcome: Outcome }[] = [];
  const reasons = new Map<string, number>();
  const disagreements: Disagreement[] = [];
  const reading = (async () => {
    let index = 0;
    for await (const line of createInterface({ input: python.stdout })) {
      const own = ours[index];
      if (own === undefined) throw new Error("an answer without a question");
      const theirs: unknown = JSON.parse(line);
      if (canonical(own.outcome) !== canonical(theirs))
        disagreements.push({ name: own.name, ours: own.outcome, theirs });
      index++;
    }
    return index;
  })();
  for (const model of models) {
    const outcome = verifyModel(model);
    ours.push({ name: model.name, outcome });
    for (const code of [...codesIn(outcome), ...(isCarried(model, outcome) ? [CARRIED] : [])])
      reasons.set(code, (reasons.get(code) ?? 0) + 1);
    if (!python.stdin.write(`${JSON.stringify(toData(model))}\n`))
      await new Promise((resolve) => python.stdin.once("drain", resolve));
  }
  python.stdin.end();
  const answered = await reading;
  if (answered !== ours.length) throw new Error(`the reference verifier answered ${answered} of ${ours.length}`);
  return { disagreements, reasons, accepted: ours.filter(({ outcome }) => outcome.accepted).length };
}

const codesIn = ({ commits, lines, rules }: Outcome): Set<string> =>
  new Set([...Object.values(commits), ...lines, ...rules.map((rule) => rule.split(" ", 1).join(""))]);

/** Name of histories in which a landing statement is decisive. */
export const CARRIED = "carried by a landing statement";

const isLanding = ({ payload }: LineModel): boolean => payload.includes("urn:isdlc:attestation:landing:v1");

function isCarried(model: CaseModel, { commits }: Outcome): boolean {
  if (model.policy["movedBase"] !== "carried" || !model.lines.some(isLanding)) return false;
  const alone = verifyModel({ ...model, lines: model.lines.filter((line) => !isLanding(line)) });
  return Object.entries(alone.commits).some(([id, code]) => code === "NOT_CARRIED" && commits[id] !== code);
}

const keyOf = (key: string) => (key === "forged" ? key : [`${key}@example.org`, fakeKeyId(`${key} passkey`)]);

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** A case as the reference verifier reads it. */
export function toData({ repository, missing, base, head, lines, policy }: CaseModel) {
  const present = [...repository.commits].filter(([id]) => !missing.has(id));
  const commits = Object.fromEntries(
    present.map(([id, { tree, parents, committedAt, message }]) => [
      id,
      { tree, parents, time: committedAt / 1000, message },
    ]),
  );
  const trees = Object.fromEntries(present.map(([, { tree }]) => [tree, repository.trees.get(tree)]));
  const text = JSON.stringify(policy).replaceAll(/KEY:(\w+)/g, (_, key: string) => fakeKeyId(key));
  return {
    commits,
    trees,
    base,
    head,
    policy: JSON.parse(text) as unknown,
    now: NOW,
    lines: lines.map(({ payload, keys, passkey = null, isForged = false, isMalformed = false }) => ({
      payload,
      forged: isForged,
      malformed: isMalformed,
      passkey: passkey === null || passkey === "forged" || LISTED.includes(passkey) ? passkey && keyOf(passkey) : null,
      signers: keys.filter((key) => LISTED.includes(key)).map((key) => [signerName(key), fakeKeyId(key)]),
    })),
  };
}
