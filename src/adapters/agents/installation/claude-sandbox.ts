import { join } from "node:path";
import { OWN_FOLDER } from "../../../core/own-folder.ts";
import type { FileChange } from "./installed-files.ts";

export type SandboxedPlaces = {
  /** Working tree whose sessions are sandboxed. */
  readonly root: string;
  /** The user's isdlc folders: key, anchors, token. */
  readonly folders: readonly string[];
};

/**
 * Returns settings for Claude Code's own shell sandbox, in a file of the working tree: in the user's file, `./.isdlc`
 * would be a folder next to that file. Paths are absolute.
 */
export function claudeSandbox({ root, folders }: SandboxedPlaces): readonly FileChange[] {
  const file = join(root, ".claude", "settings.local.json");
  const closed = [OWN_FOLDER, ".git"].map((name) => [DENY_WRITE, join(root, name)] as const);
  const hidden = folders.map((folder) => [["sandbox", "filesystem", "denyRead"], folder] as const);
  return [
    { file, edit: { is: "values", values: SWITCHES } },
    { file, edit: { is: "members", members: [...hidden, ...closed].map(([path, place]) => [[...path], place]) } },
  ];
}

const DENY_WRITE = ["sandbox", "filesystem", "denyWrite"];

const SWITCHES: [string[], boolean][] = [
  [["sandbox", "enabled"], true],
  [["sandbox", "failIfUnavailable"], true],
  [["sandbox", "allowUnsandboxedCommands"], false],
];
