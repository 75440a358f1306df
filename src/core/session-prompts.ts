/** Prompts that agent products offer the user as commands. They need no proof of a person: they decide nothing. */
export const SESSION_PROMPTS = [
  {
    name: "next",
    title: "Continue the run",
    description: "Takes the phase that is to be worked on, works on it and reports it",
    text: 'Call the tool "begin" of the isdlc server and do what it says. When the work is done, call "report" with the nonce. When the run waits for me, explain the decision to me, and stop.',
  },
  {
    name: "status",
    title: "Status of the run",
    description: "Status of the run, in two lines",
    text: 'Call the tool "status" of the isdlc server and show me the status of the run and its pending decision in two lines.',
  },
] as const;
