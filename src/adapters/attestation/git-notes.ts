import { join } from "node:path";
import { type Git, must } from "../git/process/git.ts";
import { isObjectId } from "../git/process/ref-name.ts";
import { inTemporaryFolder } from "../files/temporary-folder.ts";
import { gitFailed } from "../git/process/run-git.ts";
import { resolveCommit } from "./resolve-commit.ts";
import { listFiles, readObjects, treeOfCommit } from "./verified-objects.ts";

/** Ref of the statements: one note per commit and tree, one envelope per line. */
export const NOTES_REF = "refs/notes/isdlc";
/** Returns the ref for notes fetched from a remote. Fetching must not overwrite our own. */
export const fetchedNotesRef = (remote: string): string => `refs/notes/${remote}/isdlc`;

/** Blob of the note, by object. */
type NoteTree = ReadonlyMap<string, string>;

/** Lists the refs with statements: our own, and those fetched from remotes. */
export async function notesRefs(git: Git): Promise<string[]> {
  const output = await must(git(["for-each-ref", "--format=%(refname)", "refs/notes"]), "for-each-ref");
  return output
    .toString("utf8")
    .split("\n")
    .filter((ref) => ref === NOTES_REF || /^refs\/notes\/[^/]+\/isdlc$/.test(ref));
}

/** Reads the lines in the notes of these objects, by object. */
export async function readNotes(
  git: Git,
  { refs, objects }: { refs: readonly string[]; objects: ReadonlySet<string> | "all" },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found: (readonly [object: string, blob: string])[] = [];
  for (const ref of refs)
    for (const [object, blob] of await noteTree(git, ref))
      if (objects === "all" || objects.has(object)) found.push([object, blob]);
  const contents = await linesOfBlobs(git, [...new Set(found.map(([, blob]) => blob))]);
  const lines = new Map<string, readonly string[]>();
  for (const [object, blob] of found)
    lines.set(object, [...new Set([...(lines.get(object) ?? []), ...(contents.get(blob) ?? [])])]);
  return lines;
}

async function noteTree(git: Git, ref: string): Promise<NoteTree> {
  const found = await resolveCommit(git, ref);
  const tree = found === null ? null : await treeOfCommit(git, found.commit);
  if (tree === null) return new Map();
  const files = [...(await listFiles(git, tree))].map(([path, blob]) => [path.replaceAll("/", ""), blob] as const);
  return new Map(files.filter(([object]) => isObjectId(object)));
}

async function linesOfBlobs(git: Git, blobs: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const objects = await readObjects(git, blobs);
  return new Map([...objects].map(([id, { content }]) => [id, splitLines(content)]));
}

const splitLines = (content: Buffer): string[] =>
  content
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");

export type NewNotes = { readonly objects: readonly string[]; readonly line: string };

/** Attempts to write notes if someone else writes at the same time. */
const MAX_NOTE_WRITE_ATTEMPTS = 5;

/** Adds a line to the note of each object. Existing lines stay. */
export async function addNotes(git: Git, notes: NewNotes): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const before = await readNotes(git, { refs: [NOTES_REF], objects: new Set(notes.objects) });
    const contents = new Map(notes.objects.map((object) => [object, joined(before.get(object) ?? [], [notes.line])]));
    if (await writeNotes(git, { contents, also: null })) return;
    if (attempt === MAX_NOTE_WRITE_ATTEMPTS)
      throw gitFailed("update-ref", `${NOTES_REF} changed at every attempt: another process writes it`);
  }
}

/** Merges notes fetched from a remote into our own: all lines of both stay. */
export async function mergeNotes(git: Git, from: string): Promise<void> {
  const [ours, theirs] = [await noteTree(git, NOTES_REF), await noteTree(git, from)];
  const tip = (await git(["rev-parse", "--verify", "--quiet", from])).stdout.toString("latin1").trim();
  if (!isObjectId(tip)) return;
  const isContained = await git(["merge-base", "--is-ancestor", tip, NOTES_REF]);
  if (isContained.status === 0) return;
  const texts = await linesOfBlobs(git, [...new Set([...ours.values(), ...theirs.values()])]);
  const lines = (tree: NoteTree, object: string) => texts.get(tree.get(object) ?? "") ?? [];
  const contents = new Map(
    [...theirs.keys()].map((object) => [object, joined(lines(ours, object), lines(theirs, object))]),
  );
  if (!(await writeNotes(git, { contents, also: tip })))
    throw gitFailed("update-ref", `${NOTES_REF} has changed since it was read`);
}

/** Sorts lines like git's own merge of notes (`cat_sort_uniq`). */
const joined = (some: readonly string[], more: readonly string[]): readonly string[] =>
  [...new Set([...some, ...more])].toSorted();

type Write = {
  readonly contents: ReadonlyMap<string, readonly string[]>;
  /** Second parent of a merge, if there is one. */
  readonly also: string | null;
};

/** Returns false if the ref was moved concurrently. */
async function writeNotes(git: Git, { contents, also }: Write): Promise<boolean> {
  const old = (await git(["rev-parse", "--verify", "--quiet", NOTES_REF])).stdout.toString("latin1").trim();
  const tree = await inTemporaryFolder(async (folder) => {
    const environment = { GIT_INDEX_FILE: join(folder, "index") };
    const places = old === "" ? new Map<string, string>() : await listNotePaths(git, old);
    await must(git(["read-tree", ...(old === "" ? ["--empty"] : [old])], { environment }), "read-tree");
    const blobs = new Map<string, string>();
    const entries: string[] = [];
    for (const [object, lines] of contents) {
      const text = `${lines.join("\n")}\n`;
      if (!blobs.has(text)) blobs.set(text, await hashText(git, text));
      entries.push(`100644 ${blobs.get(text)}\t${places.get(object) ?? object}\0`);
    }
    const input = Buffer.from(entries.join(""));
    await must(git(["update-index", "-z", "--index-info"], { environment, input }), "update-index");
    return (await must(git(["write-tree"], { environment }), "write-tree")).toString("latin1").trim();
  });
  const parents = [old, also ?? ""].filter((parent) => parent !== "").flatMap((parent) => ["-p", parent]);
  const args = ["commit-tree", tree, ...parents, "-m", "Statements about runs"];
  const commit = (await must(git(args, { environment: NOBODY }), "commit-tree")).toString("latin1").trim();
  const expected = old === "" ? "0".repeat(commit.length) : old;
  return (await git(["update-ref", NOTES_REF, commit, expected])).status === 0;
}

/** The author of a note is irrelevant: the signature of its statement counts. */
const NOBODY = {
  GIT_AUTHOR_NAME: "isdlc",
  GIT_AUTHOR_EMAIL: "isdlc@localhost",
  GIT_COMMITTER_NAME: "isdlc",
  GIT_COMMITTER_EMAIL: "isdlc@localhost",
};

async function hashText(git: Git, text: string): Promise<string> {
  const id = await must(git(["hash-object", "-w", "--stdin"], { input: Buffer.from(text) }), "hash-object");
  return id.toString("latin1").trim();
}

/** Git spreads many notes over folders. An existing note keeps its path. */
async function listNotePaths(git: Git, commit: string): Promise<Map<string, string>> {
  const output = await must(git(["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit]), "ls-tree");
  const paths = output.toString("utf8").split("\0");
  return new Map(paths.filter((path) => path !== "").map((path) => [path.replaceAll("/", ""), path]));
}
