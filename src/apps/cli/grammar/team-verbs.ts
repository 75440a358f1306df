import { agentOptions, personOptions } from "./options.ts";
import type { Verb } from "./verb.ts";

const database = {
  type: "string",
  value: "url",
  about: "the PostgreSQL database; better in ISDLC_DATABASE_URL, which other users of the machine cannot see",
} as const;

/** For teams: a server that decides, workers that drive, and people who answer from anywhere. */
export const teamVerbs: readonly Verb[] = [
  {
    name: "login",
    takesWords: true,
    kind: "decide",
    summary: "Sign in to a team's server: status, gate, continue and redo work on its runs then",
    usage: "isdlc login <url> --token <token>",
    options: personOptions,
  },
  {
    name: "request",
    takesWords: true,
    kind: "begin",
    summary: "Have a team's workers do it",
    usage: 'isdlc request "<what to do>" [--workflow <name>] [--supervised]',
    options: {
      workflow: { type: "string", value: "name", about: "the workflow; change by default" },
      supervised: { type: "boolean", about: "with a gate after every phase" },
      tests: { type: "string", values: ["trust", "without"], about: "trust the detected test command, or run none" },
      repository: { type: "string", value: "name", about: "the repository, where this clone's origin does not tell" },
      ...personOptions,
    },
  },
  {
    name: "push-run",
    kind: "decide",
    summary: "Bring the open run of this tree to the team; its workers go on with it",
    usage: "isdlc push-run [--repository <name>]",
    options: {
      repository: { type: "string", value: "name", about: "the repository, where this clone's origin does not tell" },
      ...personOptions,
    },
  },
  {
    name: "pull-run",
    kind: "decide",
    summary: "Take an open run of the team into this tree and go on with it here",
    usage: "isdlc pull-run [--run <id>]",
    options: personOptions,
  },
  {
    name: "team",
    takesWords: true,
    kind: "decide",
    summary: "Your tokens at a team's server, how it tells you, and who may do what there",
    usage:
      "isdlc team token <name> | tokens | revoke <name> | members <repository> | policy <repository> | role <repository> <person> viewer|reviewer|admin|none | take-back <run> | notify [webhook|slack|teams|email <address>|test|off]",
    options: {
      on: { type: "string", value: "a,b", about: "what you are told of: gate, help, ended, reviewer; all by default" },
      days: { type: "string", value: "n", about: "how long the token is valid; 90 by default" },
      ...personOptions,
    },
  },
  {
    name: "server",
    takesWords: true,
    kind: "decide",
    summary: "Run a team's server, or change whom and what it knows (needs isdlc-team)",
    usage:
      "isdlc server [token person|worker <name> | invite <name> | identity <name> <e-mail>|none | revoke <name> | repository <name> <remote> | role <repository> <person> <role> | policy <repository> [--four-eyes on|off] [--passkeys on|off] | reviewers <repository> <phase> <person>… | migrate | backup <file> | restore <file> | doctor] [--database <url>]",
    options: {
      database,
      host: { type: "string", value: "address", about: "where to listen; 127.0.0.1 by default" },
      port: { type: "string", value: "n", about: "at which port; 7420 by default" },
      origin: {
        type: "string",
        value: "url",
        about: "where people's browsers find the page, where a proxy is before it",
      },
      "shared-addresses": {
        type: "string",
        value: "a,b",
        about: "of proxies and gateways, so that what one address may have open does not hold for them",
      },
      "oidc-issuer": {
        type: "string",
        value: "url",
        about: "an OpenID provider that people sign in with; its client's secret in ISDLC_OIDC_CLIENT_SECRET",
      },
      "oidc-client": { type: "string", value: "id", about: "as which client the server is known there" },
      subject: { type: "string", value: "id", about: "of a person at the provider, in the place of an e-mail address" },
      data: { type: "string", value: "folder", about: "of the server's own PostgreSQL, where no database is given" },
      label: { type: "string", value: "word", about: "of a repository: only workers with this label take its runs" },
      "notify-hosts": {
        type: "string",
        value: "a,b",
        about: "hosts of your own network that people may have notifications sent to",
      },
      smtp: { type: "string", value: "url", about: "the mail server for notifications; better in ISDLC_SMTP_URL" },
      "mail-sender": { type: "string", value: "address", about: "whom notifications by e-mail come from" },
      metrics: { type: "string", value: "port", about: "where Prometheus reads on this machine; nowhere by default" },
      "keep-days": { type: "string", value: "n", about: "how long ended drives are remembered; 30 by default" },
      key: { type: "string", value: "file", about: "the key that decisions are signed with; made where it is missing" },
      lease: { type: "string", value: "seconds", about: "how long a worker may be silent; 15 by default" },
      drives: { type: "string", value: "n", about: "runs that one worker drives at once; 2 by default" },
      days: {
        type: "string",
        value: "n",
        about: "how long a person's token (90 by default) or an invitation (3) is valid",
      },
      passkeys: { type: "string", values: ["on", "off"], about: "whether answers have to be signed with a passkey" },
      "four-eyes": { type: "string", values: ["on", "off"], about: "whether who began a run may not accept it" },
    },
  },
  {
    name: "worker",
    kind: "begin",
    summary: "Drive a team's runs on this machine (needs isdlc-team)",
    usage: "isdlc worker --server <url> --database <url> [--agent <name>]",
    options: {
      server: { type: "string", value: "url", about: "the team's server" },
      database,
      token: { type: "string", value: "token", about: "the worker's token; better in ISDLC_WORKER_TOKEN" },
      data: { type: "string", value: "folder", about: "for clones and working trees" },
      labels: { type: "string", value: "a,b", about: "also take runs of repositories with one of these labels" },
      drain: {
        type: "string",
        value: "seconds",
        about: "when told to stop, how long agents may go on to finish; 0 by default",
      },
      beat: { type: "string", value: "seconds", about: "how often it sends a heartbeat; 3 by default" },
      sandbox: { type: "string", value: "on|off", about: "whether agents work in a sandbox" },
      ...agentOptions,
    },
  },
];
