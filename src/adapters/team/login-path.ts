import { join } from "node:path";
import type { UserFolders } from "../user-files/user-folders.ts";

/** Apart from what reads it, for programs that only ask whether it is there. */
export const loginPath = ({ config }: Pick<UserFolders, "config">): string => join(config, "team.json");
