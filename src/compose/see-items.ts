import { readHead } from "../adapters/git/read/git-head.ts";
import { codeMovedOn } from "../adapters/git/read/git-moved-on.ts";
import { itemsFolder } from "../adapters/items/items-folder.ts";
import { listItems } from "../adapters/items/resolve-item.ts";
import type { SeenItems } from "../ports/items.ts";
import type { ProjectLocation } from "./project-location.ts";

/** Opens the items of a working tree for reading. Loads no code that only writers need, to start fast. */
export const seeItems = ({ root, files, env }: Pick<ProjectLocation, "root" | "files" | "env">): SeenItems => ({
  all: () => listItems(itemsFolder({ root, files })),
  head: () => readHead(root)?.hash ?? null,
  movedOn: (commits) => codeMovedOn(root, commits, env),
});
