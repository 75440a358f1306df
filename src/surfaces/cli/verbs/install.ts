import { claudeSandbox } from "../../../adapters/agents/installation/claude-sandbox.ts";
import {
  createInstalledFiles,
  type InstalledFile,
  type InstallOutcome,
} from "../../../adapters/agents/installation/installed-files.ts";
import { planIntegration, type Product, PRODUCTS } from "../../../adapters/agents/installation/products.ts";
import { readFileSync } from "node:fs";
import { findProgram } from "../../../adapters/process/find-program.ts";
import { sandboxAvailable } from "../../../adapters/sandbox/sandbox-available.ts";
import { packageRoot } from "../../../adapters/project-files/package-root.ts";
import { type LocalProject, openProject } from "../../../compose/project.ts";
import { ProblemError } from "../../../core/problem.ts";
import { done, flag, type Invocation, type Run } from "../invocation/verb.ts";
import { identifyStarter } from "../invocation/caller.ts";

/** Adds isdlc to the settings of an agent product. Repeating it changes nothing. */
export const install: Run = (invocation) => change(invocation, "install");

/** Removes isdlc from these settings. A file unchanged since the installation is restored byte for byte. */
export const uninstall: Run = (invocation) => change(invocation, "uninstall");

async function change(invocation: Invocation, what: "install" | "uninstall") {
  const product = readProduct(invocation);
  const project = openProject(invocation.cwd, invocation.env);
  await identifyStarter(invocation, project);
  const installed = createInstalledFiles(project.folders.state, project.files);
  const wantsSandbox = flag(invocation.values, "sandbox");
  if (wantsSandbox && product !== "claude") throw sandboxIsForClaude(invocation);
  const sandbox = product === "claude" ? toSandboxTarget(project) : [];
  const isSandboxed = what === "install" ? wantsSandbox : isWhole(installed.inspect(sandbox));
  const changes = planIntegration(product, toPlacement(project, flag(invocation.values, "project")));
  const outcomes = installed[what]([...changes, ...(isSandboxed ? sandbox : [])]);
  const notes = what === "install" ? NOTES[product] : [];
  return done([...outcomes.map(line), ...notes], { product, files: outcomes });
}

const line = ({ file, did }: InstallOutcome): string => `${did}: ${file}`;

/** Further steps for the user. */
const NOTES: Readonly<Record<Product, readonly string[]>> = {
  claude: ["Restart Claude Code. There: /isdlc:status, /isdlc:feature <title>, /isdlc:continue."],
  codex: ["Start codex and trust its new hooks when it asks (/hooks): it skips hooks that are not trusted."],
  gemini: ["Restart gemini. Gates are answered in a terminal of your own: isdlc gate."],
  opencode: ["Restart opencode. Gates are answered in a terminal of your own: isdlc gate."],
};

function readProduct({ words, verb }: Invocation): Product {
  const found = PRODUCTS.find((product) => product === words[0]);
  if (found !== undefined) return found;
  throw new ProblemError({ code: "USAGE", detail: `Name one of ${PRODUCTS.join(", ")}.`, usage: verb.usage });
}

const sandboxIsForClaude = ({ verb }: Invocation): ProblemError =>
  new ProblemError({ code: "USAGE", detail: "--sandbox is only for claude.", usage: verb.usage });

const toSandboxTarget = ({ root, folders }: LocalProject) =>
  claudeSandbox({ root, folders: [folders.config, folders.state] });

const isWhole = (found: readonly InstalledFile[]): boolean =>
  found.length > 0 && found.every(({ is }) => is === "installed");

const toPlacement = ({ root, env }: LocalProject, isProject: boolean) => ({
  package: packageRoot(),
  env,
  project: isProject ? root : null,
});

export type IntegrationFinding = { readonly name: string; readonly isStale: boolean; readonly detail: string };

/** Reports if Claude Code's sandbox is set up in this working tree, and if it can start. */
export function sandboxFindings(project: LocalProject): readonly IntegrationFinding[] {
  const installed = createInstalledFiles(project.folders.state, project.files);
  const found = installed.inspect(toSandboxTarget(project));
  if (found.every(({ is }) => is === "absent")) return [];
  const name = "claude sandbox in this project";
  if (!isWhole(found))
    return [{ name, isStale: true, detail: `incomplete: ${found[0]?.file} (isdlc install claude --sandbox)` }];
  const missing = SANDBOX_PROGRAMS.find((program) => !findProgram(program, project.env).ok);
  const works = sandboxAvailable(project.env);
  const trouble = missing === undefined ? (works.ok ? null : works.why) : `${missing} is not installed`;
  return [{ name, isStale: trouble !== null, detail: trouble === null ? "installed" : `cannot start: ${trouble}` }];
}

/** Claude Code starts its sandbox on Linux with these programs. */
const SANDBOX_PROGRAMS = process.platform === "linux" ? ["bwrap", "socat"] : [];

/**
 * Reports if a program started by the model can type for the user: it can if it may trace other programs such as
 * Claude Code.
 */
export function tracingFindings(project: LocalProject): readonly IntegrationFinding[] {
  if (process.platform !== "linux") return [];
  const scope = readScope();
  const isOpen = process.geteuid?.() === 0 || scope === null || scope === "0";
  const said = `kernel.yama.ptrace_scope is ${scope ?? "absent"}${process.geteuid?.() === 0 ? ", and you are root" : ""}`;
  const advice = 'use isdlc install claude --sandbox, or leave "prompt" out of "approvals"';
  const isAllowed = project.settings.read().settings.approvals?.includes("prompt") ?? true;
  const detail = isOpen
    ? `programs can trace each other (${said}), so a model without a sandbox can type for you; ${advice}`
    : said;
  return [{ name: "typed commands", isStale: isOpen && isAllowed, detail }];
}

function readScope(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/yama/ptrace_scope", "utf8").trim();
  } catch {
    return null;
  }
}

/** Reports the installed integrations, and if they match this version. */
export function integrationFindings(project: LocalProject): readonly IntegrationFinding[] {
  const installed = createInstalledFiles(project.folders.state, project.files);
  return PRODUCTS.flatMap((product) =>
    [false, true].flatMap((isProject) => {
      const found = installed.inspect(planIntegration(product, toPlacement(project, isProject)));
      if (found.every(({ is }) => is === "absent")) return [];
      const stale = found.filter(({ is }) => is !== "installed").map(({ file }) => file);
      const command = `isdlc install ${product}${isProject ? " --project" : ""}`;
      const detail = stale.length === 0 ? "installed" : `stale or changed: ${stale.join(", ")} (${command})`;
      return [{ name: `${product}${isProject ? " in this project" : ""}`, isStale: stale.length > 0, detail }];
    }),
  );
}
