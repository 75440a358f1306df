import { chmodSync, existsSync } from "node:fs";
import * as z from "zod/mini";
import { nodeFiles, readSmall, replaceFile } from "../files/file-system.ts";
import { loginPath, type UserFolders } from "../files/user-folders.ts";

/** Sign-in of the user to a team's server. */
export const Login = z.strictObject({
  url: z.string(),
  token: z.string(),
  person: z.string(),
  keys: z.array(z.string()),
});
export type Login = z.infer<typeof Login>;

const MAX_LOGIN_FILE_BYTES = 64 * 1024; // bytes
const OWNER_ONLY = 0o600;

/** Returns null if the user is not signed in to a server. */
export function readLogin(folders: Pick<UserFolders, "config">): Login | null {
  const file = loginPath(folders);
  if (!existsSync(file)) return null;
  return Login.parse(JSON.parse(readSmall(nodeFiles, file, MAX_LOGIN_FILE_BYTES)?.toString("utf8") ?? "null"));
}

export function writeLogin(folders: Pick<UserFolders, "config">, login: Login): void {
  const file = loginPath(folders);
  replaceFile(nodeFiles, file, Buffer.from(`${JSON.stringify(login, null, 2)}\n`));
  chmodSync(file, OWNER_ONLY);
}
