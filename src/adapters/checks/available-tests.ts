import type { FoundTests } from "../../ports/check-runner.ts";
import type { Environment } from "../process/agent-environment.ts";
import { findProgram } from "../process/find-program.ts";
import { type ProjectFiles, projectFiles } from "./project-files.ts";
import { missingDependencies } from "./reports/missing-dependencies.ts";

/** Adds the reason why the command cannot run on this machine, found without running anything. */
export function withAvailability(root: string, env: Environment, found: FoundTests | null): FoundTests | null {
  if (found === null) return null;
  const files = projectFiles(root);
  const { argv, more = [] } = found.command;
  const unavailable = [argv, ...more].map((words) => unavailableReason(files, env, words)).find((one) => one !== null);
  return unavailable === undefined ? found : { ...found, unavailable };
}

function unavailableReason(files: ProjectFiles, env: Environment, argv: readonly string[]): string | null {
  const [program = ""] = argv;
  const isOwn = program.includes("/") && !program.startsWith("/");
  if (isOwn) return files.exists(program) ? null : `${program} is missing`;
  if (!findProgram(program, env).ok) return `${program} is not installed`;
  return missingDependencies(files, { argv, output: "" }) ?? missingEnvironment(files, env, program);
}

/** `uv run` would create the environment and download packages, which tests in a sandbox may not. */
function missingEnvironment(files: ProjectFiles, env: Environment, program: string): string | null {
  const isElsewhere = env["UV_PROJECT_ENVIRONMENT"] !== undefined || env["VIRTUAL_ENV"] !== undefined;
  if (program !== "uv" || !files.exists("uv.lock") || isElsewhere || files.exists(".venv")) return null;
  return "the dependencies are not installed: run uv sync";
}
