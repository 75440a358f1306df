import type { DiffAgainst, DiffView } from "../../src/schema/api-diff.ts";
import type {
  AnswerRequest,
  AnswerResult,
  ApiProblem,
  GateView,
  LeftView,
  RunDetail,
  RunList,
} from "../../src/schema/api.ts";
import type { DocumentView, FileSide, WholeFile } from "../../src/schema/api-documents.ts";
import type {
  Assertion,
  Challenge,
  NewPasskey,
  PasskeyList,
  StatementOffer,
  StatementSignature,
  WaysToSignIn,
} from "../../src/schema/api-passkey.ts";
import type {
  ChartsView,
  ItemList,
  ProjectView,
  SettingList,
  StartRequest,
  StartResult,
} from "../../src/schema/api-project.ts";
import type {
  MemberList,
  RepositoryPolicy,
  Role,
  TokenList,
  TokenMade,
  TokenRevocationResult,
} from "../../src/schema/api-team.ts";
import type { CreationOptions } from "./passkeys.ts";
import { currentSession } from "./session.ts";
import { apiBase, isTeam, WHEN_GONE } from "./served-by.ts";
import type { Story } from "../../src/schema/api-history.ts";
import type { DraftList, ResolvedChange, ResolvedComments, SavedDraft } from "../../src/schema/comments.ts";
import type { ActivityView } from "../../src/schema/api-status.ts";

/** Error returned by the server, with its problem. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly problem: ApiProblem;
  constructor(status: number, problem: ApiProblem) {
    super(problem.what);
    this.status = status;
    this.problem = problem;
  }
}

const UNREACHABLE: ApiProblem = {
  code: "UNREACHABLE",
  what: "The server of this page cannot be reached.",
  fix: `${WHEN_GONE}. This page reconnects when you open the new link.`,
};

/** Returns no header for a team: its web UI has a cookie, which no script can read. */
export const sessionHeader = (): Record<string, string> =>
  isTeam ? {} : { Authorization: `Bearer ${currentSession() ?? ""}` };

const SESSION = "/session";

type Init = Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> };

async function ask<T>(path: string, init: Init = {}): Promise<T> {
  const response = await fetch(`${apiBase}${path}`, {
    ...init,
    headers: { ...sessionHeader(), ...init.headers },
  }).catch(() => null);
  if (response === null) throw new ApiError(0, UNREACHABLE);
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body as T; // responses match the schema of the type
  if (response.status === 401 && isTeam && !path.startsWith(SESSION)) location.reload(); // displays the sign-in page
  throw new ApiError(response.status, (body as { problem?: ApiProblem } | null)?.problem ?? UNREACHABLE);
}

const send = <T>(path: string, body: unknown, init: Init = {}): Promise<T> =>
  ask<T>(path, {
    ...init,
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

const query = (values: Readonly<Record<string, string | null>>): string => {
  const given = Object.entries(values).flatMap(([key, value]): [string, string][] =>
    value === null ? [] : [[key, value]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
};

export const api = {
  signIn: (token: string) => send<object>(SESSION, { token }),
  waysToSignIn: () => ask<WaysToSignIn>(`${SESSION}/ways`),
  signInChallenge: () => send<Challenge>(`${SESSION}/passkey/challenge`, {}),
  signInWithPasskey: (assertion: Assertion) => send<object>(`${SESSION}/passkey`, assertion),
  invitationOptions: (invitation: string) => send<CreationOptions>(`${SESSION}/invitation/options`, { invitation }),
  acceptInvitation: (invitation: string, passkey: NewPasskey) =>
    send<object>(`${SESSION}/invitation`, { invitation, passkey }),
  goToProvider: () => send<{ url: string }>(`${SESSION}/provider`, {}),
  signOut: () => send<object>(`${SESSION}/end`, {}),
  project: () => ask<ProjectView>("/project"),
  runs: (search: string, before: string | null) =>
    ask<RunList>(`/runs${query({ search: search === "" ? null : search, before })}`),
  run: (run: string) => ask<RunDetail>(`/runs/${run}`),
  /** `known`: the gate that was open before, to report who answered it if it is no longer open. */
  gate: (run: string, known: string | null) => ask<GateView>(`/runs/${run}/gate${query({ known })}`),
  diff: (run: string, against: DiffAgainst) => ask<DiffView>(`/runs/${run}/diff${query({ against })}`),
  story: (run: string, from: number) => ask<Story>(`/runs/${run}/story${query({ from: String(from) })}`),
  activity: (run: string) => ask<ActivityView>(`/runs/${run}/activity`),
  document: (run: string, path: string) => ask<DocumentView>(`/runs/${run}/document${query({ path })}`),
  wholeFile: (run: string, path: string, side: FileSide) => ask<WholeFile>(`/runs/${run}/file${query({ path, side })}`),
  left: (run: string) => ask<LeftView>(`/runs/${run}/left`),
  drafts: (run: string) => ask<DraftList>(`/runs/${run}/drafts`),
  resolved: (run: string) => ask<ResolvedComments>(`/runs/${run}/resolved`),
  setResolved: (run: string, change: ResolvedChange) => send<ResolvedComments>(`/runs/${run}/resolved`, change),
  saveDraft: (run: string, draft: SavedDraft) => send<object>(`/runs/${run}/drafts`, draft, { keepalive: true }),
  answer: (run: string, answer: AnswerRequest) => send<AnswerResult>(`/runs/${run}/answer`, answer),
  challenge: (run: string, decision: AnswerRequest) => send<Challenge>(`/runs/${run}/challenge`, decision),
  statementOffer: (run: string) => ask<StatementOffer>(`/runs/${run}/statement`),
  statementChallenge: (run: string) => send<Challenge>(`/runs/${run}/statement/challenge`, {}),
  signStatement: (run: string, assertion: Assertion) => send<StatementSignature>(`/runs/${run}/statement`, assertion),
  passkeyOptions: () => send<CreationOptions>("/passkeys/options", {}),
  addPasskey: (made: NewPasskey) => send<{ name: string }>("/passkeys", made),
  passkeys: () => ask<PasskeyList>("/passkeys"),
  removePasskey: (id: string) => send<object>("/passkeys/remove", { id }),
  resume: (run: string) => send<AnswerResult>(`/runs/${run}/resume`, {}),
  items: (repository: string | null) => ask<ItemList>(`/items${query({ repository })}`),
  charts: (repository: string | null) => ask<ChartsView>(`/charts${query({ repository })}`),
  tokens: () => ask<TokenList>("/tokens"),
  makeToken: (name: string, days: number) => send<TokenMade>("/tokens", { name, days }),
  revokeToken: (name: string) => send<TokenRevocationResult>("/tokens/revoke", { name }),
  policy: (repository: string) => ask<RepositoryPolicy>(`/policy${query({ repository })}`),
  giveRole: (repository: string, person: string, role: Role | null) =>
    send<MemberList>("/members", { repository, person, role }),
  settings: () => ask<SettingList>("/settings"),
  setSetting: (key: string, value: string) => send<SettingList>("/settings", { key, value }),
  /** `repository`: name of a team's repository, or null for `isdlc ui`. */
  start: (repository: string | null, start: StartRequest) =>
    send<StartResult>("/start", repository === null ? start : { repository, start }),
};
