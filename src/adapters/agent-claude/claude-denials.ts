import type { ResultLine } from "./claude-line.ts";

type Denial = ResultLine["permission_denials"][number];

/** Rules reported to the user per execution. */
const MAX_RULES = 20;
/** Characters of one rule. */
const MAX_RULE_LENGTH = 200;

/**
 * Returns the rules that would allow the refused calls. A rule ending in "…" is incomplete: the whole rule would be
 * too long, or would allow more than the refused call.
 */
export function deniedRules(results: readonly ResultLine[]): readonly string[] {
  const rules = results.flatMap((line) => line.permission_denials.map(ruleFor));
  return [...new Set(rules)].slice(0, MAX_RULES);
}

function ruleFor({ tool_name: name, tool_input: input }: Denial): string {
  const given = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
  const textOf = (key: string): string => (typeof given[key] === "string" ? given[key] : "");
  switch (name) {
    case "Bash":
      return rule(name, textOf("command"));
    case "WebFetch":
      return rule(name, readDomain(textOf("url")));
    case "Read":
      return rule(name, toAbsoluteRule(textOf("file_path")));
    case "Edit":
    case "MultiEdit":
    case "NotebookEdit":
    case "Write": // one rule covers all of them
      return rule("Edit", toAbsoluteRule(textOf("file_path") || textOf("notebook_path")));
    default:
      return oneLine(name).slice(0, MAX_RULE_LENGTH);
  }
}

/** Never returns the bare tool name, which would allow all of its uses. */
function rule(tool: string, what: string): string {
  const exact = WIDENS.exec(what)?.index ?? what.length;
  const kept = oneLine(what.slice(0, Math.min(exact, MAX_RULE_LENGTH)));
  return kept.length === what.length && kept !== "" ? `${tool}(${kept})` : `${tool}(${kept}…)`;
}

/** Characters that match more than themselves in a rule, or end it. */
const WIDENS = /[*?[\]()\\\p{Cc}\p{Cf}]/u;

const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ");

/** Absolute paths start with two slashes in a rule. */
const toAbsoluteRule = (path: string): string => (path.startsWith("/") ? `/${path}` : path);

function readDomain(url: string): string {
  return URL.canParse(url) ? `domain:${new URL(url).hostname}` : url;
}
