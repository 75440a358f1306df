// Every command that only a person may give, and a place elsewhere for those that ask whether a run is open.
export const decidingVerbs = (elsewhere) => [
  ["continue", "--no-run"],
  ["review", "--no-run"],
  ["redo", "my way", "--no-run"],
  ["answer", "continue", "--no-run"],
  ["answer", "loosen", "--no-run"],
  ["answer", "cancel", "--text", "enough"],
  ["answer", "merge", "--no-run"],
  ["retry", "--no-run"],
  ["skip", "--no-run"],
  ["cancel", "--reason", "enough"],
  ["config", "set", "supervised_mode.enabled", "false"],
  ["trust", "--yes"],
  ["token", "--yes"],
  ["token", "--yes", "-C", elsewhere],
  ["doctor", "--fix"],
];

/** Scripts may begin work; an agent may not even do that. */
export const beginningVerbs = (elsewhere) => [
  ["init", "-C", elsewhere],
  ["feature", "Mine", "-C", elsewhere, "--no-git", "--agent-command", "true"],
  ["Do mine", "-C", elsewhere, "--no-git", "--agent-command", "true"],
  ["resume"],
];
