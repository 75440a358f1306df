type Group = { readonly title: string; readonly verbs: readonly string[] };

/** The verbs in the order somebody looks for them. */
export const helpGroups: readonly Group[] = [
  { title: "Start work", verbs: ["feature", "fix", "build", "analyze", "add", "items", "import", "run"] },
  { title: "Decide", verbs: ["continue", "review", "redo", "back", "answer", "cancel"] },
  { title: "Look", verbs: ["status", "next", "gate", "logs", "check", "history", "ui"] },
  { title: "When work has stopped", verbs: ["resume", "retry", "fresh", "skip", "doctor"] },
  {
    title: "Spec workflow, a verb for each step",
    verbs: ["brainstorm", "specify", "design", "create-plan", "create-tasks", "implement", "verify", "finish"],
  },
  { title: "Prove", verbs: ["attest", "verify-commits", "verify-journal", "export"] },
  { title: "Set up", verbs: ["init", "demo", "agents", "config", "trust", "token", "passkey", "completion", "help"] },
  { title: "In a team", verbs: ["login", "request", "push-run", "pull-run", "team", "server", "worker"] },
  { title: "In an agent's session", verbs: ["install", "uninstall", "begin", "report", "mcp", "hook"] },
];
