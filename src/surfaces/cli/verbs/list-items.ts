import { lookAtItems } from "../../../app/inspect/look-at-items.ts";
import { findProject, systemClock } from "../../../compose/project-location.ts";
import { itemsTable } from "../../../views/items-table.ts";
import { done, type Run } from "../invocation/verb.ts";
import { seeItems } from "../../../compose/see-project.ts";

/** Lists all items, the progress of their analyses, and if the code changed since. */
export const items: Run = async ({ cwd, env }) => {
  const list = await lookAtItems(seeItems(findProject(cwd, env)));
  return done([itemsTable(list.items, systemClock.now())], list);
};
