import type { Refusal } from "./command.ts";

type RefusalTexts = {
  readonly [W in Refusal["why"]]: (refusal: Extract<Refusal, { why: W }>) => { what: string; fix: string };
};

const SEE_STATUS = 'Run "isdlc status" to see what is open.';

const told: RefusalTexts = {
  noRun: () => ({ what: "No run is open.", fix: 'Start one: isdlc "<what to do>".' }),
  notAPerson: () => ({ what: "An agent cannot decide this.", fix: "A person has to run it in their own terminal." }),
  reasonMissing: () => ({ what: "Cancelling a run needs a reason.", fix: 'isdlc cancel --reason "…"' }),
  unanswered: () => ({
    what: "Some questions are neither answered nor dismissed.",
    fix: 'Run "isdlc gate" to see the questions.',
  }),
  alreadyPaused: () => ({ what: "The gate is already paused for review.", fix: 'Run "isdlc continue" when ready.' }),
  nothingLoosened: () => ({
    what: "The settings were not loosened, so there is nothing to agree to.",
    fix: SEE_STATUS,
  }),
  sealed: () => ({
    what: "The run is sealed: its finish was chosen as pull request, so nothing in it can be taken back.",
    fix: "Let it end, then start a follow-up run on its branch.",
  }),
  runActive: (r) => ({
    what: `Run ${r.run} is still open here.`,
    fix: 'Continue it with "isdlc resume", or end it with "isdlc cancel --reason …".',
  }),
  runEnded: (r) => ({ what: `The run is ${r.how}.`, fix: 'Start a new one: isdlc "<what to do>".' }),
  lateOutcome: () => ({ what: "The run has moved on; this result belongs to an earlier step.", fix: SEE_STATUS }),
  claimed: (r) => ({ what: `${r.execution} is already running.`, fix: 'Run "isdlc resume" to watch it.' }),
  notOpen: (r) => ({
    what: r.open === null ? "Nothing is waiting for an answer." : `That is no longer open; ${r.open} is.`,
    fix: SEE_STATUS,
  }),
  notAsShown: () => ({
    what: "This has changed since it was shown to you.",
    fix: "Look at it again: isdlc gate. Then answer.",
  }),
  notOffered: (r) => ({ what: "That answer is not offered here.", fix: `Valid: ${r.valid.join(", ")}.` }),
  budgetTooLow: (r) => ({
    what:
      r.ahead === undefined
        ? `The run has used ${r.spent}: a budget below that would be spent at once.`
        : `The run has used ${r.spent}, and the next step takes about ${r.ahead}: that budget would be exceeded at once.`,
    fix: "Give a higher one: isdlc answer raise --text <amount>.",
  }),
  notEarlier: (r) => ({
    what: "That is not a phase this run can go back to.",
    fix: r.valid.length === 0 ? SEE_STATUS : `Valid: ${r.valid.join(", ")}.`,
  }),
  nothingBefore: () => ({
    what: "There is nothing to go back to: this work was made outside of isdlc.",
    fix: 'Hand it to an agent with isdlc redo "<guidance>", or leave it with isdlc cancel --reason "…".',
  }),
  notSigned: () => ({
    what: "This run takes decisions that are signed with a passkey, and no others.",
    fix: 'Decide on the page: isdlc ui. If you lost the passkey: isdlc passkey remove <name> --reason "…".',
  }),
  notAsSigned: () => ({
    what: "The signed decision differs from the one to record.",
    fix: "Nothing was recorded. Reload the page and decide again.",
  }),
  passkeyUnknown: () => ({
    what: "This run does not know that passkey: it was registered after the start of the run, or removed.",
    fix: "Sign with a passkey that was registered before: isdlc passkey list.",
  }),
  notInPhase: () => ({ what: "No phase is in progress.", fix: SEE_STATUS }),
  redosSpent: (r) => ({
    what: `This phase has been redone ${r.limit} times already, which is the limit.`,
    fix: 'Run "isdlc continue" or "isdlc review".',
  }),
};

export function describeRefusal(refusal: Refusal): { what: string; fix: string } {
  const tell = told[refusal.why] as (refusal: Refusal) => { what: string; fix: string }; // keyed by `refusal.why`
  return tell(refusal);
}
