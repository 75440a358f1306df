import { createJournalReader, type JournalReader } from "../adapters/journal/create-journal-reader.ts";
import type { CurrentRun } from "../app/project/current-run.ts";
import { noRun } from "../core/run.ts";
import { readDriver } from "../adapters/journal/file-lock.ts";
import { journalOptions, type ProjectLocation, findProject } from "./project-location.ts";
import { readHead } from "../adapters/git/read/git-head.ts";
import { codeMovedOn } from "../adapters/git/snapshot/git-moved-on.ts";
import { itemsFolder } from "../adapters/project-files/items-folder.ts";
import { listItems } from "../adapters/project-files/resolve-item.ts";
import type { SeenItems } from "../ports/items.ts";

/** A working tree opened for reading. */
export type SeenProject = Pick<ProjectLocation, "root" | "own" | "files" | "env"> & {
  readonly item: string | null;
  readonly driver: { holder(): number | null };
  readonly endAll: (nonce: string) => Promise<void>;
};

const nothing: CurrentRun = { run: null, state: noRun, head: { seq: 0, hash: "" } };

/** Opens a working tree and its newest run for reading. Loads no code that only writers need, to start fast. */
export function seeProject(cwd: string, env: NodeJS.ProcessEnv): { project: SeenProject; current: CurrentRun } {
  const place = findProject(cwd, env);
  const reader: JournalReader = createJournalReader(journalOptions(place, place.root));
  const project = { ...place, item: null, driver: { holder: () => readDriver(place) }, endAll: endProcesses };
  return { project, current: reader.current() ?? nothing };
}

/** Ends every process with the nonce. Loads its code on demand, because it is rarely needed. */
export async function endProcesses(nonce: string): Promise<void> {
  const { createProcesses } = await import("../adapters/process/create-processes.ts");
  await createProcesses().endAll(nonce);
}

/** Opens the items of a working tree for reading. Loads no code that only writers need, to start fast. */
export const seeItems = ({ root, files, env }: Pick<ProjectLocation, "root" | "files" | "env">): SeenItems => ({
  all: () => listItems(itemsFolder({ root, files })),
  head: () => readHead(root)?.hash ?? null,
  movedOn: (commits) => codeMovedOn(root, commits, env),
});
