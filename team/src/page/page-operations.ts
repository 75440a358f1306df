import * as z from "zod/mini";
import * as api from "../../../src/schema/api.ts";
import { DiffView } from "../../../src/schema/api-diff.ts";
import { DocumentView, WholeFile } from "../../../src/schema/api-documents.ts";
import { Assertion, Challenge, NewPasskey, PasskeyList } from "../../../src/schema/api-passkey.ts";
import { ChartsView, ItemList, ProjectView, StartResult } from "../../../src/schema/api-project.ts";
import * as team from "../../../src/schema/api-team.ts";
import { CALLBACK } from "../oidc/provider-sign-in-routes.ts";
import { RemovedPasskey } from "../passkeys/own-passkey-routes.ts";
import { Invited, InvitedPasskey } from "../passkeys/passkey-sign-in-routes.ts";
import type { Operation, Schema } from "../server/operation.ts";
import { SignIn } from "./team-page.ts";
import { PAGE_API } from "./team-page-parts.ts";
import { Story } from "../../../src/schema/api-history.ts";
import { ActivityView, LiveMessage } from "../../../src/schema/api-status.ts";

const nothing = z.object({});
const named = z.object({ name: z.string() });
/** WebAuthn data for a browser to create a passkey. */
const registration = z.record(z.string(), z.unknown());

type QueryOperation = { readonly answer: Schema; readonly query?: readonly string[]; readonly by?: "everybody" };
type BodyOperation = { readonly answer: Schema; readonly body?: Schema; readonly by?: "everybody" };

const get = (path: string, summary: string, { answer, query = [], by }: QueryOperation): Operation => ({
  method: "get",
  path: `${PAGE_API}${path}`,
  summary,
  by: by ?? "page",
  query,
  answer,
});

const post = (path: string, summary: string, { answer, body, by }: BodyOperation): Operation => ({
  method: "post",
  path: `${PAGE_API}${path}`,
  summary,
  by: by ?? "page",
  ...(body === undefined ? {} : { body }),
  answer,
});

const WaysToSignIn = z.object({ hasPasskeys: z.boolean(), provider: z.nullable(z.string()) });
const entrance = "everybody" as const;

const signingIn: readonly Operation[] = [
  get("/session/ways", "How people can sign in besides with a token", { answer: WaysToSignIn, by: entrance }),
  post("/session", "Sign in with a token", { body: SignIn, answer: nothing, by: entrance }),
  post("/session/passkey/challenge", "Get the challenge for signing in with a passkey", {
    answer: Challenge,
    by: entrance,
  }),
  post("/session/passkey", "Sign in with a passkey", { body: Assertion, answer: nothing, by: entrance }),
  post("/session/invitation/options", "How the first passkey is made with an invitation", {
    body: Invited,
    answer: registration,
    by: entrance,
  }),
  post("/session/invitation", "Make the first passkey with an invitation, and sign in", {
    body: InvitedPasskey,
    answer: named,
    by: entrance,
  }),
  post("/session/provider", "Sign in with the provider: get the address to open", {
    answer: z.object({ url: z.string() }),
    by: entrance,
  }),
  { method: "get", path: CALLBACK, summary: "Come back from the provider", by: entrance, answer: null },
  post("/session/end", "Sign out", { answer: nothing, by: entrance }),
];

const account: readonly Operation[] = [
  get("/project", "Who is signed in, and the repositories", { answer: ProjectView }),
  get("/passkeys", "One's own passkeys", { answer: PasskeyList }),
  post("/passkeys/options", "How another passkey is made", { answer: registration }),
  post("/passkeys", "Add a passkey", { body: NewPasskey, answer: named }),
  post("/passkeys/remove", "Remove a passkey", { body: RemovedPasskey, answer: nothing }),
  get("/tokens", "One's own tokens", { answer: team.TokenList }),
  post("/tokens", "Make a personal token", { body: team.PersonalToken, answer: team.TokenMade }),
  post("/tokens/revoke", "Revoke a token of the caller", {
    body: team.TokenRevocation,
    answer: team.TokenRevocationResult,
  }),
  get("/policy", "Read the rules for answers and approvers; for admins", {
    query: ["repository"],
    answer: team.RepositoryPolicy,
  }),
  post("/members", "Give a role, or take it away", { body: team.PageMemberChange, answer: team.MemberList }),
];

const run = "/runs/:run";

const runs: readonly Operation[] = [
  post("/start", "Ask for a run", { body: team.TeamStart, answer: StartResult }),
  get("/items", "Items of a repository", { query: ["repository"], answer: ItemList }),
  get("/charts", "Charts over ended runs", { query: ["repository"], answer: ChartsView }),
  get("/runs", "Runs, what waits first", { query: ["before", "search"], answer: api.RunList }),
  get(run, "One run", { answer: api.RunDetail }),
  get(`${run}/gate`, "The open gate", { query: ["known"], answer: api.GateView }),
  get(`${run}/story`, "What happened", { query: ["from"], answer: Story }),
  get(`${run}/diff`, "What changed", { query: ["against"], answer: DiffView }),
  get(`${run}/document`, "A document that the run made", { query: ["path"], answer: DocumentView }),
  get(`${run}/file`, "All bytes of a document or changed file", { query: ["path", "side"], answer: WholeFile }),
  get(`${run}/activity`, "Output of agents", { answer: ActivityView }),
  get(`${run}/left`, "Uncommitted changes of agents: always empty in a team", { answer: api.LeftView }),
  get(`${run}/statement`, "Whether its statement can be signed here: not in a team", {
    answer: z.object({ isOffered: z.boolean() }),
  }),
  post(`${run}/challenge`, "Get the challenge for signing an answer", { body: api.AnswerRequest, answer: Challenge }),
  post(`${run}/answer`, "Answer what is open", { body: api.AnswerRequest, answer: api.AnswerResult }),
  { ...get("/live", "Stream changes from now on", { query: ["run"], answer: LiveMessage }), isStream: true },
];

/** Operations of the web UI, authenticated by a browser cookie. */
export const PAGE_OPERATIONS: readonly Operation[] = [...signingIn, ...account, ...runs];
