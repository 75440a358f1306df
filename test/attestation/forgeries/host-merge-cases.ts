import { type HistoryCase, honest, SQUASHED } from "./case-runs.ts";
import { attempt, type ForgedCase, type World } from "./case-world.ts";

/** Branch of a run and its base at the moment of the merge. */
type Open = Pick<ForgedCase, "lines"> & { readonly base: string; readonly tip: string };

const BASES: Readonly<Record<string, (world: World) => Open>> = {
  "an unmoved base": ({ root, last }) => ({ base: root, tip: last }),
  "a moved base": ({ move, last }) => ({ base: move(), tip: last }),
  "a moved base after Update branch": ({ move, merge, last }) => {
    const base = move();
    return { base, tip: merge(last, base) };
  },
  "a base that moved again after Update branch": ({ move, merge, commit, last }) => {
    const base = move();
    return { base: commit(base, { "b.txt": "moved again\n" }), tip: merge(last, base) };
  },
  "the entry of a merge queue before it": (world) => {
    const other = world.another(world.root, "three.txt");
    const base = world.squash(world.root, other.last, "Three (#6)");
    return { base, tip: world.last, lines: [world.sign(world.statement), other.line] };
  },
};

/** Messages of merged commits as hosts write them. */
const MESSAGES = {
  "the host's message": "Add it (#7)",
  "co-authors added": SQUASHED,
  "a rewritten message": "feat: something else entirely\n\nReviewed-by: Ben <ben@example.org>",
} as const;

type Merge = Open & { readonly message: string };

/** Methods of GitHub and GitLab. */
const METHODS: Readonly<Record<string, (world: World, open: Merge) => string>> = {
  "a merge commit": ({ merge }, { base, tip, message }) => merge(base, tip, message),
  "a squash": ({ squash }, { base, tip, message }) => squash(base, tip, message),
  "a rebase": (world, open) => rebase(world, open),
  "a squash with a merge commit": ({ squash, merge }, { base, tip, message }) =>
    merge(base, squash(base, tip, message), "Merge branch 'work' into 'main'"),
  "a rebase with a merge commit": (world, open) =>
    world.merge(open.base, rebase(world, open), "Merge branch 'work' into 'main'"),
};

/** Hosts rebase the commits of the run, without merges of the base. */
function rebase({ first, last, squash }: World, { base, message }: Merge): string {
  return squash(squash(base, first, `One\n\n${attempt(1)}`), last, message);
}

/** Each method on each base, each with one of the messages. */
export const HOST_MERGE_CASES: readonly HistoryCase[] = Object.entries(METHODS).flatMap(([method, land], row) =>
  Object.entries(BASES).map(([place, open], column) => {
    const messages = Object.entries(MESSAGES);
    const [how, message] = messages[(row + column) % messages.length] ?? ["", ""];
    return honest(`${method} by a host on ${place}, with ${how}`, (world) => {
      const { base, tip, lines } = open(world);
      const head = land(world, { base, tip, message });
      return { base, head, ...(lines === undefined ? {} : { lines }) };
    });
  }),
);
