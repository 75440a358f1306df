import { createInstalledFiles, type Outcome } from "../../../adapters/integrations/installed-files.ts";
import { integrationOf, type Product, PRODUCTS } from "../../../adapters/integrations/products.ts";
import { packageRoot } from "../../../adapters/definitions/package-root.ts";
import { type LocalProject, openProject } from "../../../compose/project.ts";
import { ProblemError } from "../../../core/problem.ts";
import { done, flag, type Invocation, type Run } from "../grammar/verb.ts";
import { initiatorOf } from "../main/caller.ts";

/** Writes what an agent product needs to know isdlc into its settings. Repeating it changes nothing. */
export const install: Run = (invocation) => change(invocation, "install");

/** Takes it out again; a file that nobody changed since is as it was, to the byte. */
export const uninstall: Run = (invocation) => change(invocation, "uninstall");

async function change(invocation: Invocation, what: "install" | "uninstall") {
  const product = productOf(invocation);
  const project = openProject(invocation.cwd, invocation.env);
  await initiatorOf(invocation, project);
  const changes = integrationOf(product, placementOf(project, flag(invocation.values, "project")));
  const outcomes = createInstalledFiles(project.folders.state, project.files)[what](changes);
  const notes = what === "install" ? NOTES[product] : [];
  return done([...outcomes.map(line), ...notes], { product, files: outcomes });
}

const line = ({ file, did }: Outcome): string => `${did}: ${file}`;

/** What a person has to know or do besides. */
const NOTES: Readonly<Record<Product, readonly string[]>> = {
  claude: ["Restart Claude Code. There: /isdlc:status, /isdlc:feature <title>, /isdlc:continue."],
  codex: ["Start codex and trust its new hooks when it asks (/hooks): it passes over hooks that are not trusted."],
  gemini: ["Restart gemini. Gates are answered in a terminal of your own: isdlc gate."],
  opencode: ["Restart opencode. Gates are answered in a terminal of your own: isdlc gate."],
};

function productOf({ words, verb }: Invocation): Product {
  const found = PRODUCTS.find((product) => product === words[0]);
  if (found !== undefined) return found;
  throw new ProblemError({ code: "USAGE", detail: `Name one of ${PRODUCTS.join(", ")}.`, usage: verb.usage });
}

const placementOf = ({ root, env }: LocalProject, isProject: boolean) => ({
  package: packageRoot(),
  env,
  project: isProject ? root : null,
});

export type IntegrationFinding = { readonly name: string; readonly isStale: boolean; readonly detail: string };

/** Integrations that are there, and whether they are what this version makes. */
export function integrationFindings(project: LocalProject): readonly IntegrationFinding[] {
  const installed = createInstalledFiles(project.folders.state, project.files);
  return PRODUCTS.flatMap((product) =>
    [false, true].flatMap((isProject) => {
      const found = installed.inspect(integrationOf(product, placementOf(project, isProject)));
      if (found.every(({ is }) => is === "absent")) return [];
      const stale = found.filter(({ is }) => is !== "installed").map(({ file }) => file);
      const command = `isdlc install ${product}${isProject ? " --project" : ""}`;
      const detail = stale.length === 0 ? "installed" : `stale or changed: ${stale.join(", ")} (${command})`;
      return [{ name: `${product}${isProject ? " in this project" : ""}`, isStale: stale.length > 0, detail }];
    }),
  );
}
