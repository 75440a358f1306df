import { readHead } from "../adapters/git/read/git-head.ts";
import { codeMovedOn } from "../adapters/git/read/git-moved-on.ts";
import { itemsFolder } from "../adapters/items/items-folder.ts";
import { listItems } from "../adapters/items/resolve-item.ts";
import type { SeenItems } from "../ports/items.ts";
import type { ProjectLocation } from "./project-location.ts";

/** The items of a working tree for a look at them all: without what only writers need, so that it is fast. */
export const seeItems = ({ root, files, env }: Pick<ProjectLocation, "root" | "files" | "env">): SeenItems => ({
  all: () => listItems(itemsFolder({ root, files })),
  head: () => readHead(root)?.hash ?? null,
  movedOn: (commits) => codeMovedOn(root, commits, env),
});
