import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { objectId } from "../../../src/adapters/git/objects/git-objects.ts";
import { type Key, makeKey } from "../keys.ts";
import { signLine } from "../sign-in-process.ts";
import { type CaseModel, type KeyName, type LineModel, LISTED, signerName } from "./case-model.ts";
import type { GitObject } from "./repository-model.ts";

export type Keyring = { readonly keys: Readonly<Record<KeyName, Key>>; readonly signersText: string };

export function makeKeyring(folder: string): Keyring {
  const make = (name: KeyName): Key => makeKey(folder, name);
  const keys = { ada: make("ada"), ben: make("ben"), server: make("server"), mallory: make("mallory") };
  return { keys, signersText: LISTED.map((name) => `${signerName(name)} ${keys[name].public}\n`).join("") };
}

export type WrittenRepository = {
  readonly root: string;
  /** The lines as they are in the notes. */
  readonly envelopes: readonly string[];
  readonly signers: string;
};

/** Writes a case as a real repository with signed notes, without a process: `main` is the base, `work` the head. */
export function writeRepository(model: CaseModel, root: string, keyring: Keyring): WrittenRepository {
  const { repository, missing, base, head } = model;
  const { digits } = repository;
  const place = join(root, ".git");
  for (const folder of ["objects", "refs"]) mkdirSync(join(place, folder), { recursive: true });
  writeFileSync(join(place, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(place, "config"), CONFIG[digits]);
  const add = (type: GitObject["type"], content: Buffer): string => writeObject(place, { type, content }, digits);
  const present = [...repository.commits.keys()].filter((id) => !missing.has(id));
  for (const commit of present) writeReachable(model, commit, add);
  const envelopes = model.lines.map((line) => writeLine(line, keyring));
  const refs = new Map([
    ["refs/heads/main", base],
    ["refs/heads/work", head],
  ]);
  for (const [index, commit] of present.entries()) refs.set(`refs/heads/kept-${index}`, commit);
  if (envelopes.length > 0) refs.set("refs/notes/isdlc", writeNote(add, head, `${envelopes.join("\n")}\n`));
  const packed = [...refs].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([ref, id]) => `${id} ${ref}\n`);
  writeFileSync(join(place, "packed-refs"), `# pack-refs with: sorted \n${packed.join("")}`);
  const signers = join(root, "..", "allowed_signers");
  writeFileSync(signers, keyring.signersText);
  return { root, envelopes, signers };
}

const CONFIG = {
  40: "[core]\n\trepositoryformatversion = 0\n",
  64: "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n",
} as const;

function writeReachable(
  { repository }: CaseModel,
  commit: string,
  add: (type: GitObject["type"], content: Buffer) => string,
) {
  const left = [commit, repository.treeOf(commit)];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    const object = repository.objects.get(id);
    if (object === undefined) continue;
    add(object.type, object.content);
    if (object.type === "tree") left.push(...entryIds(object.content, repository.digits / 2));
  }
}

function entryIds(tree: Buffer, bytes: number): string[] {
  const found: string[] = [];
  for (let at = 0; at < tree.length;) {
    const end = tree.indexOf(0, at) + 1;
    found.push(tree.toString("hex", end, end + bytes));
    at = end + bytes;
  }
  return found;
}

function writeObject(place: string, object: GitObject, digits: number): string {
  const id = objectId(object, digits);
  const folder = join(place, "objects", id.slice(0, 2));
  mkdirSync(folder, { recursive: true });
  const head = Buffer.from(`${object.type} ${object.content.length}\0`);
  writeFileSync(join(folder, id.slice(2)), deflateSync(Buffer.concat([head, object.content])));
  return id;
}

function writeNote(add: (type: GitObject["type"], content: Buffer) => string, object: string, text: string): string {
  const blob = add("blob", Buffer.from(text));
  const tree = add("tree", Buffer.concat([Buffer.from(`100644 ${object}\0`), Buffer.from(blob, "hex")]));
  const who = "isdlc <isdlc@localhost> 1793530800 +0000";
  return add("commit", Buffer.from(`tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nStatements\n`));
}

function writeLine({ payload, keys, isForged = false, isMalformed }: LineModel, keyring: Keyring): string {
  const line = signLine(
    Buffer.from(payload),
    keys.map((key) => keyring.keys[key]),
    isForged,
  );
  return isMalformed === true ? line.replace("{", "{ ") : line;
}
