import { mkdirSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { inTemporaryFolder } from "../files/temporary-folder.ts";
import { objectId } from "../git/objects/git-objects.ts";
import { type Git, must } from "../git/process/git.ts";
import { isObjectId } from "../git/process/ref-name.ts";

/**
 * Calls `use` with a git that shares only refs and objects with the repository: it has its own git folder and
 * configuration. No setting, attribute, graft, replaced object, commit-graph or shallow list of the repository or the
 * user can change what is read. Objects created by git are deleted with the folder.
 * @throws ProblemError HISTORY_INCOMPLETE in a shallow clone
 */
export function withIsolatedGit<T>(git: Git, use: (isolated: Git) => Promise<T>): Promise<T> {
  return inTemporaryFolder(async (folder) => {
    const questions = ["--path-format=absolute", "--git-path", "objects", "--git-common-dir"];
    const output = await must(git(["rev-parse", ...questions]), "rev-parse");
    const [objects = "", common = ""] = output.toString("utf8").split("\n");
    const facts = await must(git(["rev-parse", "--is-shallow-repository", "--show-object-format"]), "rev-parse");
    const [isShallow = "", format = ""] = facts.toString("utf8").split("\n");
    if (isShallow !== "false") throw shallow();
    writeFolder(folder, {
      format: format === "sha256" ? "sha256" : "sha1",
      objects: [...new Set([objects, join(common, "objects")])].filter((path) => isAbsolute(path)),
      refs: await readRefs(git),
      head: await readHead(git),
    });
    const environment = {
      GIT_OBJECT_DIRECTORY: join(folder, "objects"),
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_SYSTEM: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_ATTR_NOSYSTEM: "1",
    };
    return use((args, options) =>
      git([`--git-dir=${folder}`, ...args], {
        ...options,
        environment: { ...environment, ...options?.environment },
      }),
    );
  });
}

type FolderContent = {
  readonly format: "sha1" | "sha256";
  /** Absolute paths of the repository's object folders. */
  readonly objects: readonly string[];
  readonly refs: readonly Ref[];
  /** Commit of HEAD, if there is one. */
  readonly head: string | null;
};

function writeFolder(folder: string, { format, objects, refs, head }: FolderContent): void {
  mkdirSync(join(folder, "objects", "info"), { recursive: true });
  mkdirSync(join(folder, "refs"));
  // A quoted line may contain any character.
  const lenders = objects.map((path) => `${path.includes("\n") ? JSON.stringify(path) : path}\n`);
  writeFileSync(join(folder, "objects", "info", "alternates"), lenders.join(""));
  writeFileSync(join(folder, "config"), configText(format));
  writeFileSync(join(folder, "HEAD"), head === null ? "ref: refs/heads/none\n" : `${head}\n`);
  const packed = refs.filter(({ target }) => target === null).map(({ name, id }) => `${id} ${name}\n`);
  writeFileSync(join(folder, "packed-refs"), packed.join(""));
  for (const { name, target } of refs) {
    if (target === null) continue;
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), `ref: ${target}\n`);
  }
}

function configText(format: "sha1" | "sha256"): string {
  const emptyTree = objectId({ type: "tree", content: Buffer.alloc(0) }, format === "sha256" ? 64 : 40);
  return [
    "[core]",
    `\trepositoryformatversion = ${format === "sha256" ? 1 : 0}`,
    "\tbare = true",
    "\tcommitGraph = false",
    "\tmultiPackIndex = false",
    "\tattributesFile = /dev/null",
    ...(format === "sha256" ? ["[extensions]", "\tobjectFormat = sha256"] : []),
    "[attr]",
    `\ttree = ${emptyTree}`,
    "",
  ].join("\n");
}

type Ref = { readonly name: string; readonly id: string; readonly target: string | null };

async function readRefs(git: Git): Promise<Ref[]> {
  const format = "--format=%(objectname) %(refname) %(symref)";
  const output = await must(git(["for-each-ref", format]), "for-each-ref");
  return output
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const [id = "", name = "", target = ""] = line.split(" ");
      const isKept = isObjectId(id) && name.startsWith("refs/") && !name.startsWith("refs/replace/");
      return isKept ? [{ name, id, target: target === "" ? null : target }] : [];
    });
}

async function readHead(git: Git): Promise<string | null> {
  const answer = await git(["rev-parse", "--verify", "--quiet", "HEAD"]);
  const id = answer.stdout.toString("latin1").trim();
  return answer.status === 0 && isObjectId(id) ? id : null;
}

const shallow = (): ProblemError =>
  new ProblemError({ code: "HISTORY_INCOMPLETE", detail: "this clone is shallow, so older commits are missing" });
