/** Texts offered to the user as commands by hosts. */
export const prompts = [
  {
    name: "next",
    title: "Go on with the run",
    description: "Takes the phase that is to be worked on, works on it and reports it",
    text: 'Call the tool "begin" of the isdlc server and do what it says. When the work is done, call "report" with the nonce. When the run waits for me, tell me what there is to decide, and stop.',
  },
  {
    name: "status",
    title: "Where the run stands",
    description: "Where the run stands, in two lines",
    text: 'Call the tool "status" of the isdlc server and tell me in two lines where the run stands and what it waits for.',
  },
] as const;
