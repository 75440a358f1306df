import { join } from "node:path";
import { OWN } from "../../core/own-folder.ts";
import { isSafeName } from "../../schema/ids.ts";
import { ensureFolder, type FileSystem, folderExists, discardFile, replaceFile } from "../files/file-system.ts";
import type { Sessions } from "../../ports/agents.ts";

/** Suffix of the file touched by a session's hooks. */
const HOOK_SUFFIX = ".hook";
/** Prefix of names for sessions without an id. */
const PROCESS_PREFIX = "process-";

/**
 * Creates sessions as empty files under `.isdlc/sessions`, of which only the times matter: one per session, one for
 * its hooks.
 */
export function createSessions(own: string, files: FileSystem, now: () => number = Date.now): Sessions {
  const folder = join(own, OWN.sessions);
  const seen = (name: string): number | null =>
    files.lstatSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? null;
  const names = (): readonly string[] => (folderExists(files, folder) ? files.readdirSync(folder) : []);
  /** A session known only by its process has another id than its hooks: the hooks of any session count. */
  const guards = (id: string): readonly (number | null)[] =>
    id.startsWith(PROCESS_PREFIX)
      ? names().flatMap((name) => (name.endsWith(HOOK_SUFFIX) ? [seen(name)] : []))
      : [seen(`${id}${HOOK_SUFFIX}`)];
  return {
    begin(id) {
      if (!isSafeName(id)) return;
      ensureFolder(files, folder);
      for (const name of names())
        if (name !== id && name !== `${id}${HOOK_SUFFIX}`) discardFile(files, join(folder, name));
      replaceFile(files, join(folder, id), Buffer.alloc(0));
    },
    silentFor(id) {
      const times = isSafeName(id) ? [seen(id), ...guards(id)].filter((time) => time !== null) : [];
      return times.length === 0 ? null : Math.max(0, now() - Math.max(...times));
    },
    isGuarded(id) {
      const begun = isSafeName(id) ? seen(id) : null;
      return begun !== null && guards(id).some((guarded) => guarded !== null && guarded >= begun);
    },
  };
}
