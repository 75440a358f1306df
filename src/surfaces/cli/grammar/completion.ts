import { ProblemError } from "../../../core/problem.ts";
import { findVerb, verbs } from "./catalog.ts";
import { globalOptions } from "./options.ts";

const names = (): string[] =>
  verbs.flatMap(({ name, aliases = [] }) => [name, ...aliases]).filter((name) => name !== "do");
const listFlags = (name: string): string[] => {
  const verb = findVerb(name);
  return Object.keys({ ...globalOptions, ...verb?.options }).map((option) =>
    option.length === 1 ? `-${option}` : `--${option}`,
  );
};

/** `--agent) words="claude codex" ;;` for every option with a fixed set of values, merged from all commands. */
function valueCases(): string[] {
  const all = [globalOptions, ...verbs.map(({ options }) => options)].flatMap((options) => Object.entries(options));
  const listed = new Map<string, Set<string>>();
  for (const [option, { values }] of all)
    for (const value of values ?? []) listed.set(option, (listed.get(option) ?? new Set()).add(value));
  return [...listed].map(([option, values]) => `    --${option}) words="${[...values].join(" ")}" ;;`);
}

/** Creates a shell's completion script from the command catalog. */
export function completionScript(shell: string): string {
  const make = scripts[shell];
  if (make === undefined)
    throw new ProblemError({
      code: "USAGE",
      detail: `There is no completion for "${shell}".`,
      usage: `isdlc completion ${Object.keys(scripts).join("|")}`,
    });
  return make();
}

const scripts: Readonly<Record<string, () => string>> = { bash, zsh, fish };

function bash(): string {
  const cases = names().map((name) => `    ${name}) words="${listFlags(name).join(" ")}" ;;`);
  return [
    '# eval "$(isdlc completion bash)"',
    "_isdlc() {",
    '  local current="${COMP_WORDS[COMP_CWORD]}" words',
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    `    *) words="${names().join(" ")}" ;;`,
    "  esac",
    `  [ "$COMP_CWORD" -eq 1 ] && words="${names().join(" ")}"`,
    '  case "${COMP_WORDS[COMP_CWORD-1]}" in',
    ...valueCases(),
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    "}",
    "complete -o default -F _isdlc isdlc",
  ].join("\n");
}

function zsh(): string {
  return ["#compdef isdlc", "autoload -Uz bashcompinit && bashcompinit", bash()].join("\n");
}

function fish(): string {
  const lines = verbs
    .filter(({ name }) => name !== "do")
    .flatMap(({ name, summary, options }) => [
      `complete -c isdlc -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
      ...Object.entries(options).map(
        ([option, { about, type, values }]) =>
          `complete -c isdlc -n '__fish_seen_subcommand_from ${name}' -l ${option}${type === "string" ? " -r" : ""}${values === undefined ? "" : ` -a ${quote(values.join(" "))}`} -d ${quote(about)}`,
      ),
    ]);
  return ["# isdlc completion fish | source", ...lines].join("\n");
}

const quote = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
