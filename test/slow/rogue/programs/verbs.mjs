// Every command reserved for a person. `elsewhere`: a folder for those that ask if a run is open.
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

/** Commands that start work: scripts may run them, agents may not. */
export const beginningVerbs = (elsewhere) => [
  ["init", "-C", elsewhere],
  ["feature", "Mine", "-C", elsewhere, "--no-git", "--agent-command", "true"],
  ["Do mine", "-C", elsewhere, "--no-git", "--agent-command", "true"],
  ["resume"],
];
