import { ProblemError } from "../../core/problem.ts";
import { verbs } from "./catalog.ts";
import { globalOptions } from "./options.ts";

const names = (): string[] => verbs.map(({ name }) => name).filter((name) => name !== "do");
const flagsOf = (name: string): string[] => {
  const verb = verbs.find((candidate) => candidate.name === name);
  return Object.keys({ ...globalOptions, ...verb?.options }).map((option) =>
    option.length === 1 ? `-${option}` : `--${option}`,
  );
};

/** A completion script for a shell, made from the catalog of verbs. */
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
  const cases = names().map((name) => `    ${name}) words="${flagsOf(name).join(" ")}" ;;`);
  return [
    '# eval "$(isdlc completion bash)"',
    "_isdlc() {",
    '  local current="${COMP_WORDS[COMP_CWORD]}" words',
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    `    *) words="${names().join(" ")}" ;;`,
    "  esac",
    `  [ "$COMP_CWORD" -eq 1 ] && words="${names().join(" ")}"`,
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
        ([option, { about, type }]) =>
          `complete -c isdlc -n '__fish_seen_subcommand_from ${name}' -l ${option}${type === "string" ? " -r" : ""} -d ${quote(about)}`,
      ),
    ]);
  return ["# isdlc completion fish | source", ...lines].join("\n");
}

const quote = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
