import type { Verb } from "./verb.ts";

/** The page; what it needs is bundled apart. */
export const uiVerb: Verb = {
  name: "ui",
  kind: "begin",
  summary: "See every run in the browser, read, comment and decide there",
  usage: "isdlc ui [--port <n>] [--no-open]",
  options: {
    port: { type: "string", value: "n", about: "serve at this port instead of the one kept for this repository" },
    "no-open": { type: "boolean", about: "print the link only; open no browser" },
    token: { type: "string", value: "token", about: "operator token, where there is no terminal" },
    "token-fd": { type: "string", value: "n", about: "read the token from this open descriptor" },
  },
};
