import * as z from "zod/mini";
import * as agent from "../../src/schema/agent.ts";
import * as documents from "../../src/schema/api-documents.ts";
import * as history from "../../src/schema/api-history.ts";
import * as moving from "../../src/schema/api-moving.ts";
import * as project from "../../src/schema/api-project.ts";
import * as status from "../../src/schema/api-status.ts";
import * as team from "../../src/schema/api-team.ts";
import * as api from "../../src/schema/api.ts";
import * as attestation from "../../src/schema/attestation.ts";
import * as comments from "../../src/schema/comments.ts";
import * as event from "../../src/schema/event.ts";
import * as exported from "../../src/schema/export.ts";
import * as facts from "../../src/schema/facts.ts";
import * as overlay from "../../src/schema/overlay.ts";
import * as passkey from "../../src/schema/passkey.ts";
import * as people from "../../src/schema/people.ts";
import * as plan from "../../src/schema/plan.ts";
import * as policy from "../../src/schema/policy.ts";

/** The parts of JSON Schema that the schemas of the project use. */
export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly $ref?: string;
};

export type FormatGroup = { readonly title: string; readonly about: string; readonly roots: readonly string[] };

/** Formats that leave the process, with the names of their outermost types. */
export const FORMATS: readonly FormatGroup[] = [
  {
    title: "Journal",
    about:
      "One line per decision: `seq` (number of its first event), `at` (time), `v` (version, 1), `events`, `h` (hash) and `m` (seal). The hash covers the hash of the previous line and the line up to `h`; [decision 5](../decisions/0005-journal-hash-chain-seal-and-anchor.md) describes both. An event of an unknown type stops with `JOURNAL_NEWER`.",
    roots: ["EventDraft"],
  },
  {
    title: "Attestations and policies",
    about: "The meaning of each field, and the rules of verification, are in [Attestations](../attestation.md).",
    roots: ["RunStatement", "LandingStatement", "Policy", "ExportManifest"],
  },
  {
    title: "Files of a project",
    about: "`.isdlc/workflows.json` changes workflows and personas. An unknown field is an error.",
    roots: ["Overlay"],
  },
  {
    title: "Agents",
    about: "Result of an agent and verdict of a reviewer, also for your own programs.",
    roots: ["AgentResult", "Verdict"],
  },
  {
    title: "Output and HTTP API",
    about: "Printed by commands with `--json`, and returned by the web UI and the team server.",
    roots: [
      "ApiProblem",
      "StatusView",
      "GateView",
      "RunList",
      "RunDetail",
      "FinishedRuns",
      "ReviewHistory",
      "Story",
      "ItemList",
      "ProjectView",
      "DocumentView",
      "AnswerRequest",
      "AnswerResult",
      "StartRequest",
      "StartResult",
      "TeamRunList",
      "TakeIn",
    ],
  },
];

const MODULES: readonly Readonly<Record<string, unknown>>[] = [
  agent,
  documents,
  history,
  moving,
  project,
  status,
  team,
  api,
  attestation,
  comments,
  event,
  exported,
  facts,
  overlay,
  passkey,
  people,
  plan,
  policy,
];

/** Returns every type of the schema as JSON Schema, by its name. Types refer to each other by `#name`. */
export function formatSchemas(): Readonly<Record<string, JsonSchema>> {
  const registry = z.registry<{ id: string }>();
  const seen = new Set<unknown>();
  for (const [id, schema] of MODULES.flatMap((module) => Object.entries(module)))
    if (isSchema(schema) && !seen.has(schema)) {
      seen.add(schema);
      registry.add(schema, { id });
    }
  const options = { uri: (id: string) => `#${id}`, io: "input", unrepresentable: "any" } as const;
  return z.toJSONSchema(registry, options).schemas as Readonly<Record<string, JsonSchema>>;
}

const isSchema = (value: unknown): value is z.ZodMiniType =>
  typeof value === "object" && value !== null && "_zod" in value;

/** Returns the names of the types that a format uses, outermost first. */
export function reachableTypes(schemas: Readonly<Record<string, JsonSchema>>, roots: readonly string[]): string[] {
  const found: string[] = [];
  const visit = (name: string): void => {
    if (found.includes(name)) return;
    found.push(name);
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`The schema has no type ${name}.`);
    for (const reference of referencesIn(schema)) visit(reference);
  };
  for (const root of roots) visit(root);
  return found;
}

function referencesIn(schema: JsonSchema): string[] {
  const { $ref, properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = schema;
  const parts = [...Object.values(properties), ...anyOf, ...oneOf];
  if (items !== undefined) parts.push(items);
  if (typeof additionalProperties === "object") parts.push(additionalProperties);
  return [...($ref === undefined ? [] : [$ref.slice(1)]), ...parts.flatMap(referencesIn)];
}
