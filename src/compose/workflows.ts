import { join } from "node:path";
import { loadPersona, loadWorkflow, personaNames, workflowNames } from "../adapters/project-files/definitions.ts";
import { type OverlayFile, readOverlayFile } from "../adapters/project-files/read-overlay.ts";
import {
  applyOverlays,
  type AppliedOverlays,
  type BuiltIn,
  changedPrompt,
  type GivenOverlay,
  type RefusedPart,
} from "../core/overlay/overlay.ts";
import { OWN, OWN_FOLDER, ownPath } from "../core/own-folder.ts";
import { ProblemError } from "../core/problem.ts";
import type { ResolvedWorkflow, Workflows } from "../ports/workflows.ts";
import type { PlacedProject } from "./project.ts";

type Overlaid = Pick<PlacedProject, "files" | "own" | "folders" | "trust">;

/** Returns this package's workflows with the overlays of the project and the user. Overlays are read once. */
export function createWorkflows(project: Overlaid): Workflows {
  let overlays: GivenOverlay[] | null = null;
  const resolved = new Map<string, ResolvedWorkflow>();
  return {
    names: workflowNames,
    load: loadWorkflow,
    resolve(name) {
      const found = resolved.get(name) ?? resolveWorkflow((overlays ??= loadOverlays(project)), name);
      resolved.set(name, found);
      return found;
    },
  };
}

/** @throws ProblemError `OVERLAY_INVALID`, also for a part about another workflow; `WORKFLOW_UNKNOWN` */
export function resolveWorkflow(overlays: readonly GivenOverlay[], name: string): ResolvedWorkflow {
  const resolved = applied(name, overlays);
  for (const other of namedIn(overlays)) if (other !== name) applied(other, overlays);
  return { ...resolved, persona: createPersonaLookup(resolved.personas) };
}

/** Returns the personas of an open run. Overlays that are no longer trusted have no effect. */
export function personaSource(project: Overlaid): (name: string) => string {
  const overlays = loadOverlays(project, { onlyTrusted: true }).map((overlay) => ({
    ...overlay,
    content: { personas: overlay.content.personas },
  }));
  return overlays.length === 0 ? loadPersona : createPersonaLookup(applied("change", overlays).personas);
}

export type RepositoryOverlay = {
  readonly file: string;
  readonly digest: string;
  /** Parts that take effect only after a user trusts them, in any workflow. */
  readonly loosens: readonly RefusedPart[];
};

/** Returns the overlay of the repository, if any. */
export function repositoryOverlay(project: Overlaid): RepositoryOverlay | null {
  const found = readOverlayFile(project.files, project.own);
  if (found === null) return null;
  const overlay: GivenOverlay = { source: "repository", trusted: false, file: found.file, content: found.parse() };
  const parts = workflowNames().flatMap((name) => applied(name, [overlay]).refused);
  const loosens = [...new Map(parts.map((part) => [`${part.what} ${part.why}`, part])).values()];
  return { file: join(OWN_FOLDER, OWN.workflows), digest: found.digest, loosens };
}

/** Returns the repository's overlay first, to let the user's overlay take precedence. */
function loadOverlays(project: Overlaid, { onlyTrusted = false } = {}): GivenOverlay[] {
  const shipped = readOverlayFile(project.files, project.own);
  const own = readOverlayFile(project.files, project.folders.config);
  const trusted = shipped !== null && project.trust.trusts(shipped.digest);
  const given = (source: GivenOverlay["source"], found: OverlayFile | null): GivenOverlay[] =>
    found === null ? [] : [{ source, trusted, file: found.file, content: found.parse() }];
  return [...given("repository", onlyTrusted && !trusted ? null : shipped), ...given("user", own)];
}

function namedIn(overlays: readonly GivenOverlay[]): string[] {
  const named = overlays.flatMap(({ content }) => Object.keys(content.workflows ?? {}));
  return workflowNames().filter((name) => named.includes(name));
}

function applied(name: string, overlays: readonly GivenOverlay[]): AppliedOverlays {
  const outcome = applyOverlays(loadWorkflow(name), overlays, builtIn());
  if (!outcome.ok) throw new ProblemError({ code: "OVERLAY_INVALID", ...outcome.mistake });
  return outcome.applied;
}

function builtIn(): BuiltIn {
  const workflows = workflowNames();
  const needs = workflows.flatMap((name) => loadWorkflow(name).phases.map((phase) => phase.needs));
  return { workflows, personas: personaNames(), needs };
}

function createPersonaLookup(changed: AppliedOverlays["personas"]): (name: string) => string {
  return (name) => {
    const shipped = personaNames().includes(name) ? loadPersona(name) : null;
    const changes = Object.hasOwn(changed, name) ? (changed[name]?.changes ?? []) : [];
    const prompt = changedPrompt(shipped, changes);
    if (prompt !== null) return prompt;
    const detail = "this persona is used by the run, and is not there or not trusted any more";
    const valid = [...personaNames(), ...Object.keys(changed)];
    throw new ProblemError({
      code: "OVERLAY_INVALID",
      file: ownPath(OWN.workflows),
      place: `personas.${name}`,
      detail,
      valid,
    });
  };
}
