import { type Options, personOptions } from "./options.ts";
import type { Verb } from "../invocation/verb.ts";

const serving: Options = {
  port: { type: "string", value: "n", about: "port (default: one saved per repository)" },
  "no-open": { type: "boolean", about: "print the link without opening a browser" },
};

/** The command of the web UI, whose code is in its own bundle. */
export const uiVerb: Verb = {
  name: "ui",
  kind: "begin",
  summary: "Open the web UI: read, comment and decide in the browser",
  usage: "isdlc ui [--port <n>] [--no-open]",
  options: {
    ...serving,
    token: { type: "string", value: "token", about: "approval token, for use without a terminal" },
    "token-fd": { type: "string", value: "n", about: "read the token from this file descriptor" },
  },
};

export const passkeyVerb: Verb = {
  name: "passkey",
  takesWords: true,
  kind: "decide",
  summary: "Register, list or revoke passkeys that sign your decisions",
  usage: 'isdlc passkey add | list | remove <name or id> --reason "…"',
  options: {
    ...serving,
    reason: { type: "string", value: "why", about: "why the passkey is revoked; recorded in the open run" },
    ...personOptions,
  },
};
