import type {
  AnswerRequest,
  AnswerResult,
  ApiProblem,
  DiffAgainst,
  DiffView,
  DocumentView,
  GateView,
  LeftView,
  RunDetail,
  RunList,
  Story,
} from "../../src/schema/api.ts";
import type { ActivityView } from "../../src/schema/api-live.ts";
import type {
  Assertion,
  Challenge,
  NewPasskey,
  StatementOffer,
  StatementSigned,
} from "../../src/schema/api-passkey.ts";
import type {
  ChartsView,
  ItemList,
  ProjectView,
  SettingList,
  StartRequest,
  StartResult,
} from "../../src/schema/api-project.ts";
import type { CreationOptions } from "./passkeys.ts";
import { currentSession } from "./session.ts";

/** What the server refused, in its own words. */
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
  fix: "Run isdlc ui again in this repository; the page goes on by itself.",
};

export const sessionHeader = (): Record<string, string> => ({ Authorization: `Bearer ${currentSession() ?? ""}` });

type Init = Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> };

async function ask<T>(path: string, init: Init = {}): Promise<T> {
  const response = await fetch(path, { ...init, headers: { ...sessionHeader(), ...init.headers } }).catch(() => null);
  if (response === null) throw new ApiError(0, UNREACHABLE);
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body as T; // the server keeps to the schema that the type is made of
  throw new ApiError(response.status, (body as { problem?: ApiProblem } | null)?.problem ?? UNREACHABLE);
}

const send = <T>(path: string, body: unknown): Promise<T> =>
  ask<T>(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

const query = (values: Readonly<Record<string, string | null>>): string => {
  const given = Object.entries(values).flatMap(([key, value]): [string, string][] =>
    value === null ? [] : [[key, value]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
};

export const api = {
  project: () => ask<ProjectView>("/api/project"),
  runs: (search: string, before: string | null) =>
    ask<RunList>(`/api/runs${query({ search: search === "" ? null : search, before })}`),
  run: (run: string) => ask<RunDetail>(`/api/runs/${run}`),
  /** `known`: the gate that was open before, so that a refusal tells who answered it. */
  gate: (run: string, known: string | null) => ask<GateView>(`/api/runs/${run}/gate${query({ known })}`),
  diff: (run: string, against: DiffAgainst) => ask<DiffView>(`/api/runs/${run}/diff${query({ against })}`),
  story: (run: string, from: number) => ask<Story>(`/api/runs/${run}/story${query({ from: String(from) })}`),
  activity: (run: string) => ask<ActivityView>(`/api/runs/${run}/activity`),
  document: (run: string, path: string) => ask<DocumentView>(`/api/runs/${run}/document${query({ path })}`),
  left: (run: string) => ask<LeftView>(`/api/runs/${run}/left`),
  answer: (run: string, answer: AnswerRequest) => send<AnswerResult>(`/api/runs/${run}/answer`, answer),
  challenge: (run: string, decision: AnswerRequest) => send<Challenge>(`/api/runs/${run}/challenge`, decision),
  statementOffer: (run: string) => ask<StatementOffer>(`/api/runs/${run}/statement`),
  statementChallenge: (run: string) => send<Challenge>(`/api/runs/${run}/statement/challenge`, {}),
  signStatement: (run: string, assertion: Assertion) => send<StatementSigned>(`/api/runs/${run}/statement`, assertion),
  passkeyOptions: () => send<CreationOptions>("/api/passkeys/options", {}),
  addPasskey: (made: NewPasskey) => send<{ name: string }>("/api/passkeys", made),
  resume: (run: string) => send<AnswerResult>(`/api/runs/${run}/resume`, {}),
  items: () => ask<ItemList>("/api/items"),
  charts: () => ask<ChartsView>("/api/charts"),
  settings: () => ask<SettingList>("/api/settings"),
  setSetting: (key: string, value: string) => send<SettingList>("/api/settings", { key, value }),
  start: (request: StartRequest) => send<StartResult>("/api/start", request),
};
