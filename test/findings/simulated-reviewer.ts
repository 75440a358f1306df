import type { AfterVerdict, LoopSoFar } from "../../src/core/findings/loop-policy.ts";
import type { Iteration } from "../../src/core/findings/ledger.ts";
import type { Issue } from "../../src/schema/agent.ts";
import { type Dice, rollDice } from "../support/dice.ts";

/** Behavior of the work and its reviewer over all revisions. */
export const KINDS = ["converging", "plateau", "flip-flop", "causing"] as const;
export type Kind = (typeof KINDS)[number];

export const VERDICT_LIMITS = { hotfix: 1, quick: 2, standard: 3, full: 5 } as const;
export type Mode = keyof typeof VERDICT_LIMITS;

export type LoopPolicy = (loop: LoopSoFar) => AfterVerdict;

export type Loop = {
  readonly iterations: readonly Iteration[];
  readonly end: AfterVerdict;
  /** True if the policy would never stop. */
  readonly endless: boolean;
};

/** One loop of produce and review under a policy. The same seed gives the same history for any limit. */
export function playLoop(policy: LoopPolicy, { kind, seed, limit }: { kind: Kind; seed: number; limit: number }): Loop {
  const nextRound = createReviewer(kind, rollDice(seed * KINDS.length + KINDS.indexOf(kind)));
  const iterations: Iteration[] = [];
  for (;;) {
    iterations.push(nextRound());
    const end = policy({ iterations, limit });
    if (end.leadsTo === "complete") return { iterations, end, endless: false };
    if (iterations.length === ENDLESS) return { iterations, end, endless: true };
  }
}

const ENDLESS = 7;
/** Percentage of mentions that no comparison of words can match. */
const ODD = 6;
/** Percentage of existing blockers missing in a verdict; never all of them. */
const FORGOTTEN = 4;

type Defect = { readonly phrases: readonly string[]; readonly odd: string; readonly file: string; line: number };

type World = { readonly dice: Dice; readonly fresh: (file?: string) => Defect };

/** Blockers after a revision, and the files that it changed. */
type Revise = (open: readonly Defect[]) => { readonly open: readonly Defect[]; readonly changed: readonly string[] };

function createReviewer(kind: Kind, dice: Dice): () => Iteration {
  const world = { dice, fresh: defects(dice) };
  const revise = revisions[kind](world);
  const least = kind === "converging" ? 0 : 1;
  let open: readonly Defect[] = some(least + (dice.number() % 5), world.fresh);
  const asides = some(dice.number() % 4, world.fresh);
  let changed: readonly string[] | null = null;
  return () => {
    if (changed !== null) ({ open, changed } = revise(open));
    const round = { issues: writeIssues(world, open, asides), approved: says(dice, open), changed };
    changed ??= [];
    return round;
  };
}

/** Sometimes a reviewer approves despite blockers, or rejects without one. */
const says = (dice: Dice, open: readonly Defect[]): boolean => dice.chance(5) !== (open.length === 0);

function writeIssues({ dice }: World, open: readonly Defect[], asides: readonly Defect[]): Issue[] {
  const said = asides.filter(() => dice.chance(70));
  const issues = [
    ...open
      .filter((_, index) => index === 0 || !dice.chance(FORGOTTEN))
      .map((defect) => writeIssue(dice, defect, "blocker")),
    ...said.map((defect) => writeIssue(dice, defect, dice.of(["warning", "note"]))),
  ];
  return shuffled(dice, issues);
}

function writeIssue(dice: Dice, defect: Defect, severity: Issue["severity"]): Issue {
  defect.line += dice.number() % 15;
  const { file, line } = defect;
  const location = dice.of([
    `${file}:${line}`,
    `./${file}:${line}`,
    `${file}#L${line}`,
    `${file} (line ${line})`,
    file,
  ]);
  return { severity, description: dice.chance(ODD) ? defect.odd : dice.of(defect.phrases), location };
}

const listFiles = (touched: readonly Defect[]): string[] => [...new Set(touched.map(({ file }) => file))];

const revisions: Readonly<Record<Kind, (world: World) => Revise>> = {
  /** Most revisions resolve most blockers; some resolve none, and some break one thing. */
  converging:
    ({ dice, fresh }) =>
    (open) => {
      const stuck = dice.chance(8);
      const left = stuck ? open : open.slice(1).filter(() => dice.chance(35));
      const fixed = open.filter((defect) => !left.includes(defect));
      const broke = fixed.length > 1 && dice.chance(15) ? [fresh(fixed[0]?.file)] : [];
      return { open: [...left, ...broke], changed: listFiles(stuck ? open : fixed) };
    },
  /** Blockers that no revision resolves; at first some of the others are resolved. */
  plateau:
    ({ dice }) =>
    (open) => {
      const left = open.slice(0, 1 + (dice.chance(25) ? 0 : open.length));
      return { open: left, changed: listFiles(open) };
    },
  /** Resolving one half causes the other half again. */
  "flip-flop": ({ fresh }) => {
    let other: readonly Defect[] | null = null;
    return (open) => {
      const next: readonly Defect[] = other ?? open.map(({ file }) => fresh(file));
      other = open;
      return { open: next, changed: listFiles(open) };
    };
  },
  /** Each fix breaks something else in the same file. */
  causing:
    ({ dice, fresh }) =>
    (open) => {
      const fixed = open.filter((_, index) => index === 0 || dice.chance(60));
      const left = open.filter((defect) => !fixed.includes(defect));
      return { open: [...left, ...fixed.map(({ file }) => fresh(file))], changed: listFiles(fixed) };
    },
};

/** Each defect once. */
function defects(dice: Dice): (file?: string) => Defect {
  const left = [...DEFECTS];
  return (file) => {
    const [words = NO_WORDS] = left.splice(dice.number() % left.length, 1);
    return { ...words, file: file ?? dice.of(FILES), line: 1 + (dice.number() % 300) };
  };
}

const some = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, () => make());

function shuffled<T>(dice: Dice, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: dice.number() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

const FILES = ["src/store/orders.ts", "src/http/router.ts", "src/import/reader.ts"];

const FUNCTION_NAMES = ["parseOrder", "readBatch", "openStore", "sendReceipt", "mergeRows", "price_of"];

/** One defect per row: first with unique words, then as a model describes it from verdict to verdict. */
const SENTENCES: readonly (readonly string[])[] = [
  [
    "Orders of anonymous shoppers blow up",
    "`$` does not handle a null customer",
    "A null customer is not handled by `$`",
    "Null customers are still unhandled in $",
    "$ fails to handle customers that are null",
  ],
  [
    "Slow upstreams have never been exercised",
    "No test covers the timeout path of `$`",
    "The timeout path of `$` is untested",
    "There is still no test for the timeout path in $",
    "Timeout path of `$` is not covered by a test",
  ],
  [
    "Sockets pile up after database trouble",
    "`$` never closes the connection when the query fails",
    "When the query fails, the connection is not closed in `$`",
    "The connection opened by $ is still not closed if the query fails",
    "Connection leak in `$`: it is not closed when the query fails",
  ],
  [
    "It could spin for ever",
    "The retry loop in `$` has no upper bound",
    "`$` retries without an upper bound",
    "Retry loop of $ is unbounded, an upper bound is missing",
    "There is no upper bound on the retry loop in `$`",
  ],
  [
    "Payment details end up in clear text on disk",
    "`$` writes the card number to the log",
    "The card number is written to the log by `$`",
    "$ still logs the card number",
    "Card numbers are logged in `$`",
  ],
  [
    "Sorting goes wrong for shops abroad",
    "`$` compares dates as strings, which breaks across time zones",
    "Dates are compared as strings in `$`; this breaks across time zones",
    "Comparing dates as strings in $ breaks across time zones",
    "In `$`, date strings are compared, breaking across time zones",
  ],
  [
    "Injection is possible",
    "User input reaches the SQL in `$` unescaped",
    "`$` puts unescaped user input into the SQL",
    "The SQL in $ contains user input that is not escaped",
    "User input is not escaped before it reaches the SQL of `$`",
  ],
  [
    "The lease on work items is not exclusive",
    "Two workers may run `$` on the same job at once",
    "`$` may be run on the same job by two workers",
    "Nothing stops two workers from running $ on the same job",
    "Race: two workers can run `$` on the same job",
  ],
];

const DEFECTS = SENTENCES.flatMap((row) =>
  FUNCTION_NAMES.map((name) => {
    const [odd = "", ...phrases] = row.map((one) => one.replaceAll("$", name));
    return { odd, phrases };
  }),
);

/** More defects than rows: a loop of this length is broken anyway. */
const NO_WORDS = { odd: "", phrases: [""] };
