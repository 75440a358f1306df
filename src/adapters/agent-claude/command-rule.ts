import { shellWord } from "../../core/shell-word.ts";

/**
 * Returns the rule that allows exactly this command. Null if it would allow more, or if a shell would not run the
 * command as written: in a rule, `*` matches anything and a bracket ends it; a first word with `=` sets a variable.
 */
export function commandRule(argv: readonly string[]): string | null {
  const [program = ""] = argv;
  if (program === "" || program.includes("=")) return null;
  return argv.every((word) => EXACT.test(word)) ? `Bash(${argv.map(shellWord).join(" ")})` : null;
}

/** Other characters, including quotes, may be interpreted differently by a shell and by Claude Code. */
const EXACT = /^[A-Za-z0-9_@%+=:,./ -]+$/;
