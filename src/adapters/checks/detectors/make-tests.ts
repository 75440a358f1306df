import type { Detector } from "./detector.ts";

type Rule = { readonly lines: string[]; readonly prerequisites: string[] };
type Makefile = { readonly rules: ReadonlyMap<string, Rule>; readonly settings: readonly string[] };

/** In the order in which make looks for them. */
const NAMES = ["GNUmakefile", "makefile", "Makefile"];

export const makeTests: Detector = (files) => {
  const name = NAMES.find((candidate) => files.exists(candidate));
  const text = name === undefined ? null : files.text(name);
  if (name === undefined || text === null) return null;
  const makefile = parse(text);
  if (!makefile.rules.has("test")) return null;
  return { argv: ["make", "test"], source: name, definition: [[name, decidingText(makefile)]] };
};

/** The rule for `test`, the rules it needs, and every variable and include, since any of them may be used there. */
function decidingText({ rules, settings }: Makefile): string {
  const seen = new Set<string>();
  const waiting = ["test"];
  for (let target = waiting.pop(); target !== undefined; target = waiting.pop()) {
    if (seen.has(target)) continue;
    seen.add(target);
    waiting.push(...(rules.get(target)?.prerequisites ?? []));
  }
  const lines = [...seen].sort().flatMap((target) => rules.get(target)?.lines ?? []);
  return [...settings, ...lines].join("\n");
}

function parse(text: string): Makefile {
  const rules = new Map<string, Rule>();
  const settings: string[] = [];
  let current: readonly Rule[] = [];
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

function openRules(rules: Map<string, Rule>, [, targets = "", rest = ""]: RegExpExecArray): readonly Rule[] {
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
