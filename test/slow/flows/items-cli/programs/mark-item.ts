import { createItemRecords } from "../../../../../src/adapters/project-files/create-item-records.ts";

/** mark-item <tree> <user directory> <item>: marks an item as built, like the engine at the end of a run. */
const [root = "", state = "", item = ""] = process.argv.slice(2);

createItemRecords(root, state, (warning) => console.log(warning)).mark(item, "x");
