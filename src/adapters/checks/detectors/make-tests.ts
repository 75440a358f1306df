import type { ProjectFiles } from "./project-files.ts";
import type { Detector, NamedText } from "./detector.ts";

type MakeRule = { readonly lines: string[]; readonly prerequisites: string[] };
type Makefile = { readonly rules: ReadonlyMap<string, MakeRule>; readonly settings: readonly string[] };

/** In the order used by make. */
const NAMES = ["GNUmakefile", "makefile", "Makefile"];
/** `check` is the name in the GNU conventions. */
const TARGETS = ["test", "check"];

export const makeTests: Detector = (files) => {
  const found = readMakefile(files);
  if (found === null) return null;
  const { name, makefile } = found;
  const target = TARGETS.find((candidate) => makefile.rules.has(candidate));
  if (target === undefined) return null;
  return { argv: ["make", target], source: name, definition: [[name, decidingText(makefile, [target])]] };
};

/** Returns the rules for these targets. Empty without a makefile. */
export function makeDefinition(files: ProjectFiles, targets: readonly string[]): NamedText[] {
  const found = readMakefile(files);
  return found === null ? [] : [[found.name, decidingText(found.makefile, targets)]];
}

function readMakefile(files: ProjectFiles): { readonly name: string; readonly makefile: Makefile } | null {
  const name = NAMES.find((candidate) => files.exists(candidate));
  const text = name === undefined ? null : files.text(name);
  return name === undefined || text === null ? null : { name, makefile: parse(text) };
}

/** Returns the rules for the targets, the rules they need, and all variables and includes, as any rule may use them. */
function decidingText({ rules, settings }: Makefile, targets: readonly string[]): string {
  const seen = new Set<string>();
  const waiting = [...targets];
  for (let target = waiting.pop(); target !== undefined; target = waiting.pop()) {
    if (seen.has(target)) continue;
    seen.add(target);
    waiting.push(...(rules.get(target)?.prerequisites ?? []));
  }
  const lines = [...seen].sort().flatMap((target) => rules.get(target)?.lines ?? []);
  return [...settings, ...lines].join("\n");
}

function parse(text: string): Makefile {
  const rules = new Map<string, MakeRule>();
  const settings: string[] = [];
  let current: readonly MakeRule[] = [];
  for (const line of text.replaceAll("\\\n", " ").split("\n")) {
    const header = /^([^\s:=#][^:=#]*)::?(?!=)(.*)$/.exec(line);
    if (line.startsWith("\t")) {
      for (const rule of current) rule.lines.push(line);
    } else if (header !== null) {
      current = openRules(rules, header);
      for (const rule of current) rule.lines.push(line);
    } else if (line.trim() !== "" && !line.startsWith("#")) {
      current = [];
      settings.push(line);
    }
  }
  return { rules, settings };
}

function openRules(rules: Map<string, MakeRule>, [, targets = "", rest = ""]: RegExpExecArray): readonly MakeRule[] {
  const prerequisites = (rest.split(";")[0] ?? "").split(/\s+/).filter((word) => word !== "");
  return targets
    .trim()
    .split(/\s+/)
    .map((target) => {
      const rule = rules.get(target) ?? { lines: [], prerequisites: [] };
      rule.prerequisites.push(...prerequisites);
      rules.set(target, rule);
      return rule;
    });
}
