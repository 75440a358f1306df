import { shellWord } from "../../core/shell-word.ts";

/**
 * The rule that allows exactly this command; null where it would allow more, or where a shell would not run the
 * command as it stands: `*` stands for anything in a rule, a bracket ends it, and a first word with `=` sets a variable.
 */
export function commandRule(argv: readonly string[]): string | null {
  const [program = ""] = argv;
  if (program === "" || program.includes("=")) return null;
  return argv.every((word) => EXACT.test(word)) ? `Bash(${argv.map(shellWord).join(" ")})` : null;
}

/** Everything else, quotes included, is read in one way by a shell and perhaps in another by who reads the rule. */
const EXACT = /^[A-Za-z0-9_@%+=:,./ -]+$/;
