import type { Choice } from "../../../app/choice.ts";
import type { Project } from "../../../app/project/project.ts";
import { stalenessMenu } from "../../../views/build-summary.ts";
import type { Invocation } from "../grammar/verb.ts";
import { askAbout } from "./ask.ts";
import { showChanges } from "./show-changes.ts";

const ANSWERS = { p: "proceed", q: "rescan", a: "reanalyze", v: null } as const;
const VIEW = "[V] View -- show what changed in these files";

/** Asks how to continue with an outdated analysis: the code changed after it. Null if the user leaves it. */
export async function askStale(invocation: Invocation, { history }: Project, choice: Choice): Promise<string | null> {
  const { changes } = choice;
  const canView = changes !== undefined && changes.paths.length > 0;
  for (let hasPaged = false; ;) {
    const key = await askMenu(invocation, { about: hasPaged ? [] : [...choice.about, ""], canView });
    if (key === null) return null;
    if (key === "v" && changes !== undefined) {
      await showChanges(invocation, (await history.patch(changes.since, changes.paths)) ?? "Nothing to compare.");
      hasPaged = true;
    } else if (key === "q" && hasPaged) {
      invocation.io.out("Press Q again to re-run the quick-scan."); // the key may have been meant for the pager
      hasPaged = false;
    } else return ANSWERS[key];
  }
}

type Key = keyof typeof ANSWERS;
type Menu = { readonly about: readonly string[]; readonly canView: boolean };

function askMenu({ io }: Invocation, { about, canView }: Menu): Promise<Key | null> {
  const menu = [...about, ...stalenessMenu.split("\n"), ...(canView ? [VIEW] : [])];
  return askAbout<Key>(io, menu, { keys: canView ? ["p", "q", "a", "v"] : ["p", "q", "a"] });
}
