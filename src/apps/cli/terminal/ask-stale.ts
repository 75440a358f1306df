import type { Choice } from "../../../app/choice.ts";
import type { Project } from "../../../app/project/project.ts";
import { stalenessMenu } from "../../../views/build-summary.ts";
import type { Invocation } from "../grammar/verb.ts";
import { askAbout } from "./ask.ts";
import { showChanges } from "./show-changes.ts";

const ANSWERS = { p: "proceed", q: "rescan", a: "reanalyze" } as const;
const VIEW = "[V] View -- show what changed in these files";

/** What to do about an analysis that the code has moved away from. Null if the user leaves it. */
export async function askStale(invocation: Invocation, { history }: Project, choice: Choice): Promise<string | null> {
  const { paths = [], since = "" } = choice.changes ?? {};
  const isViewable = paths.length > 0;
  const menu = [...stalenessMenu.split("\n"), ...(isViewable ? [VIEW] : [])];
  const keys = ["p", "q", "a", ...(isViewable ? (["v"] as const) : [])] as const;
  for (let hasPaged = false; ;) {
    const key = await askAbout(invocation.io, hasPaged ? menu : [...choice.about, "", ...menu], { keys });
    if (key === null) return null;
    if (key === "q" && hasPaged) {
      invocation.io.out("Press Q again to re-run the quick-scan."); // it may have been meant for the pager
      hasPaged = false;
      continue;
    }
    if (key !== "v") return ANSWERS[key];
    hasPaged = true;
    await showChanges(invocation, (await history.patch(since, paths)) ?? "Nothing to compare.");
  }
}
