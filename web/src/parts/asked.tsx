import type { Choice, StartRequest } from "../../../src/schema/api-project.ts";

/** Work to start, with the choices made so far. */
export type Start = { readonly wish: Wish; readonly chosen: ChosenAnswers };
export type Wish = Omit<StartRequest, "choices">;
type ChosenAnswers = StartRequest["choices"];

/** Adds a choice to the work. The item and supervision are part of the work itself. */
export function answered({ wish, chosen }: Start, choice: Choice | null, option: string): Start {
  if (choice?.kind === "item") return { wish: { ...wish, title: option }, chosen };
  if (choice?.kind === "supervision") return { wish: { ...wish, isSupervised: true }, chosen };
  const flag = choice?.flag.split(/[ ,]/, 1)[0] as ChosenAnswers[number]["flag"]; // validated by the server
  return { wish, chosen: [...chosen, { flag, option }] };
}

/** Button labels of options. Null for options that are possible only in a terminal. */
const CHOICES: Readonly<Record<string, string | null>> = {
  yes: "Go on",
  trust: "Trust it",
  without: "Go on without it",
  retry: null,
  "no-git": "Work without git",
  "allow-dirty": "Start with the uncommitted changes",
  proceed: "Build on it as it is",
  rescan: "Scan the code again",
  reanalyze: "Analyze again",
  resume: "Go on where it stopped",
  skip: "Leave the rest out",
  restart: "Start over",
  supervised: "Pause for my approval after each phase",
  autonomous: null,
};

type AskedProps = { readonly choice: Choice; readonly isPending: boolean; readonly onChoose: (option: string) => void };

/** Displays a question that isdlc asks before it starts. */
export const Asked = ({ choice: { about = [], options }, isPending, onChoose }: AskedProps) => (
  <section className="wait" role="alert" aria-label="A question before it starts">
    {about.map((line) => (
      <p key={line}>{line}</p>
    ))}
    <div className="wait-foot">
      {options
        .filter((option) => CHOICES[option] !== null)
        .map((option) => (
          <button key={option} type="button" className="button" disabled={isPending} onClick={() => onChoose(option)}>
            {CHOICES[option] ?? option}
          </button>
        ))}
    </div>
  </section>
);
