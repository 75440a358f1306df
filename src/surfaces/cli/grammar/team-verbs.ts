import { agentOptions, personOptions, testsOption } from "./options.ts";
import type { Verb } from "../invocation/verb.ts";

const database = {
  type: "string",
  value: "url",
  about: "PostgreSQL database; prefer ISDLC_DATABASE_URL, which is hidden from other users",
} as const;

/** Commands for teams: a server that decides, workers that drive runs, and users who answer from anywhere. */
export const teamVerbs: readonly Verb[] = [
  {
    name: "login",
    takesWords: true,
    kind: "decide",
    summary: "Sign in to a team server; status, gate, continue and redo then use its runs",
    usage: "isdlc login <url> --token <token>",
    options: personOptions,
  },
  {
    name: "request",
    takesWords: true,
    kind: "begin",
    summary: "Request a run from the team's workers",
    usage: 'isdlc request "<change>" [--workflow <name>] [--supervised]',
    options: {
      workflow: { type: "string", value: "name", about: "the workflow (default: change)" },
      supervised: { type: "boolean", about: "a gate after every phase" },
      tests: testsOption,
      repository: { type: "string", value: "name", about: "the repository (default: found by this clone's origin)" },
      ...personOptions,
    },
  },
  {
    name: "push-run",
    kind: "decide",
    summary: "Move the open run to the team; its workers continue it",
    usage: "isdlc push-run [--repository <name>]",
    options: {
      repository: { type: "string", value: "name", about: "the repository (default: found by this clone's origin)" },
      ...personOptions,
    },
  },
  {
    name: "pull-run",
    kind: "decide",
    summary: "Move an open run of the team to this working tree",
    usage: "isdlc pull-run [--run <id>]",
    options: personOptions,
  },
  {
    name: "team",
    takesWords: true,
    kind: "decide",
    summary: "Manage your tokens, notifications and roles at a team server",
    usage:
      "isdlc team token <name> | tokens | revoke <name> | members <repository> | policy <repository> | role <repository> <person> viewer|reviewer|admin|none | take-back <run> | notify [webhook|slack|teams|email <address>|test|off]",
    options: {
      on: {
        type: "string",
        value: "a,b",
        about: "events to be notified of: gate, help, ended, reviewer, worker (default: all)",
      },
      days: { type: "string", value: "n", about: "validity of the token (default: 90)" },
      ...personOptions,
    },
  },
  {
    name: "server",
    takesWords: true,
    kind: "decide",
    summary: "Run or administer a team server (needs isdlc-team)",
    usage:
      "isdlc server [token person|worker <name> | invite <name> | identity <name> <e-mail>|none | revoke <name> | repository <name> <remote> | role <repository> <person> <role> | policy <repository> [--four-eyes on|off] [--passkeys on|off] [--recheck on|off] | reviewers <repository> <phase> <person>… | migrate | backup <file> | restore <file> | doctor | acknowledge-merge <run> <reason>] [--database <url>]",
    options: {
      database,
      host: { type: "string", value: "address", about: "address to listen on (default: 127.0.0.1)" },
      port: { type: "string", value: "n", about: "port (default: 7420)" },
      origin: {
        type: "string",
        value: "url",
        about: "public URL of the web UI, if the server is behind a proxy",
      },
      "shared-addresses": {
        type: "string",
        value: "a,b",
        about: "proxies and gateways, exempt from the limit of connections per address",
      },
      "oidc-issuer": {
        type: "string",
        value: "url",
        about: "OpenID provider for sign-in; client secret in ISDLC_OIDC_CLIENT_SECRET",
      },
      "oidc-client": { type: "string", value: "id", about: "client id at the OpenID provider" },
      subject: {
        type: "string",
        value: "id",
        about: "subject of a user at the provider, instead of an e-mail address",
      },
      data: { type: "string", value: "folder", about: "folder of the built-in PostgreSQL, if no database is given" },
      label: { type: "string", value: "word", about: "only workers with this label take runs of the repository" },
      workers: {
        type: "string",
        value: "restricted",
        values: ["restricted"],
        about: "state that the git host lets workers write only to run branches and refs/isdlc/*",
      },
      "notify-hosts": {
        type: "string",
        value: "a,b",
        about: "hosts of your own network allowed as notification targets",
      },
      smtp: { type: "string", value: "url", about: "mail server for notifications; prefer ISDLC_SMTP_URL" },
      "mail-sender": { type: "string", value: "address", about: "sender address of notification e-mails" },
      metrics: { type: "string", value: "port", about: "local port with Prometheus metrics (default: off)" },
      "keep-days": {
        type: "string",
        value: "n",
        about: "how long to keep silent workers and settled notifications (default: 30)",
      },
      "copy-limit": {
        type: "string",
        value: "gb",
        about: "maximum size of a repository's copy on the server in GB (default: 20)",
      },
      key: { type: "string", value: "file", about: "key that signs decisions; created if missing" },
      lease: { type: "string", value: "seconds", about: "lease time of a silent worker (default: 15)" },
      drives: { type: "string", value: "n", about: "parallel runs per worker (default: 2)" },
      days: {
        type: "string",
        value: "n",
        about: "validity of a user's token (default: 90) or an invitation (default: 3)",
      },
      instances: { type: "string", value: "n", about: "processes per worker token (default: 10)" },
      repositories: {
        type: "string",
        value: "a,b",
        about: "repositories that a worker's token may drive (default: all)",
      },
      labels: { type: "string", value: "a,b", about: "labels that a worker's token may drive (default: all)" },
      passkeys: { type: "string", values: ["on", "off"], about: "require answers signed with a passkey" },
      recheck: {
        type: "string",
        values: ["on", "off"],
        about: "repeat the checks of the last phase on a second worker",
      },
      "four-eyes": { type: "string", values: ["on", "off"], about: "forbid authors to approve their own runs" },
    },
  },
  {
    name: "worker",
    kind: "begin",
    summary: "Drive a team's runs on this machine (needs isdlc-team)",
    usage: "isdlc worker --server <url> [--agent <name>]",
    options: {
      server: { type: "string", value: "url", about: "URL of the team server" },
      token: { type: "string", value: "token", about: "worker token; prefer ISDLC_WORKER_TOKEN" },
      data: { type: "string", value: "folder", about: "folder for clones and worktrees" },
      labels: { type: "string", value: "a,b", about: "also take runs of repositories with these labels" },
      drain: {
        type: "string",
        value: "seconds",
        about: "on shutdown, time for agents to finish (default: 0)",
      },
      beat: { type: "string", value: "seconds", about: "interval between heartbeats (default: 3)" },
      sandbox: { type: "string", value: "on|off", about: "run agents in a sandbox" },
      ...agentOptions,
    },
  },
];
