import { readFileSync } from "node:fs";
import { join } from "node:path";

const CI = join(import.meta.dirname, "../../../../ci");

/** The `env` and the script of the only step of the GitHub action. */
export function githubStep(inputs: Readonly<Record<string, string>>): { script: string; env: Record<string, string> } {
  const text = readFileSync(join(CI, "github/action.yml"), "utf8");
  const filled = text
    .replaceAll(/\$\{\{ inputs\.(\w+) \}\}/g, (_, name: string) => inputs[name] ?? readInputDefault(text, name))
    .replaceAll("${{ github.action_path }}", join(CI, "github"));
  const env = /\n {6}env:\n((?: {8}\w+: .*\n)+)/.exec(filled)?.[1] ?? "";
  const script = /\n {6}run: \|\n((?: {8}.*\n)+)/.exec(filled)?.[1] ?? "";
  return {
    script: script.replaceAll(/^ {8}/gm, ""),
    env: Object.fromEntries([...env.matchAll(/^ {8}(\w+): (.*)$/gm)].map(([, name = "", value = ""]) => [name, value])),
  };
}

function readInputDefault(text: string, input: string): string {
  const value = new RegExp(`\\n {2}${input}:\\n(?: {4}.*\\n)*? {4}default: (.*)\\n`).exec(text)?.[1] ?? "";
  return value.replaceAll(/^"|"$/g, "");
}

export const preReceive = (): string => readFileSync(join(CI, "hooks/pre-receive"), "utf8");
export const ciFolder = CI;
