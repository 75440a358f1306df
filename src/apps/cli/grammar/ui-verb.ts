import { type Options, personOptions } from "./options.ts";
import type { Verb } from "./verb.ts";

const serving: Options = {
  port: { type: "string", value: "n", about: "serve at this port instead of the one kept for this repository" },
  "no-open": { type: "boolean", about: "print the link only; open no browser" },
};

/** The page; what it needs is bundled apart. */
export const uiVerb: Verb = {
  name: "ui",
  kind: "begin",
  summary: "See every run in the browser, read, comment and decide there",
  usage: "isdlc ui [--port <n>] [--no-open]",
  options: {
    ...serving,
    token: { type: "string", value: "token", about: "approval token, where there is no terminal" },
    "token-fd": { type: "string", value: "n", about: "read the token from this open descriptor" },
  },
};

export const passkeyVerb: Verb = {
  name: "passkey",
  takesWords: true,
  kind: "decide",
  summary: "Register a passkey that signs decisions, list them, or remove a lost one",
  usage: 'isdlc passkey add | list | remove <name or id> --reason "…"',
  options: {
    ...serving,
    reason: { type: "string", value: "why", about: "why a passkey is removed; recorded in the open run" },
    ...personOptions,
  },
};
