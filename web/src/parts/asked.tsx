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

type OptionWords = { readonly label: string; readonly effect?: string };

/** Texts of options, in the words of the terminal's menus. Null for options that are possible only in a terminal. */
const OPTIONS: Readonly<Record<string, OptionWords | null>> = {
  yes: { label: "Continue" },
  trust: { label: "Trust it" },
  without: { label: "Continue without it" },
  retry: null,
  "no-git": { label: "Work without git" },
  "allow-dirty": { label: "Start with the uncommitted changes" },
  proceed: { label: "Proceed anyway", effect: "keep the analysis as it is" },
  rescan: { label: "Re-run quick-scan", effect: "look at the code again, keep the rest" },
  reanalyze: { label: "Re-analyze", effect: "start the analysis from scratch" },
  resume: { label: "Resume analysis", effect: "continue with the first missing phase" },
  skip: { label: "Skip to implementation", effect: "build on the analysis as it is" },
  restart: { label: "Full restart", effect: "analyze everything again" },
  supervised: { label: "Pause for my approval after each phase" },
  autonomous: null,
};

/** Matches lines of a terminal menu, which are buttons here. */
const MENU_LINE = /^\[[A-Z]\] /;
const SUMMARY = /^BUILD SUMMARY: /;

type AskedProps = { readonly choice: Choice; readonly isPending: boolean; readonly onChoose: (option: string) => void };

/** Displays a question that isdlc asks before it starts. */
export function Asked({ choice: { about = [], options }, isPending, onChoose }: AskedProps) {
  const lines = about.filter((line) => !MENU_LINE.test(line));
  const isSummary = SUMMARY.test(lines[0] ?? "");
  return (
    <section className="wait" role="alert" aria-label="A question before it starts">
      {isSummary ? (
        <pre className="detail detail-whole" tabIndex={0}>
          {lines.join("\n")}
        </pre>
      ) : (
        <div className="asked">
          {lines.map((line, index) => (
            <p key={index}>{line}</p>
          ))}
        </div>
      )}
      <ul className="options">
        {options.map((option) => (
          <AskedOption
            key={option}
            words={isSummary && option === "yes" ? PROCEED : wordsFor(option)}
            isPending={isPending}
            onChoose={() => onChoose(option)}
          />
        ))}
      </ul>
    </section>
  );
}

const PROCEED: OptionWords = { label: "Proceed" };

/** An option without texts here, such as the name of an item, is its own label. */
const wordsFor = (option: string): OptionWords | null =>
  option in OPTIONS ? (OPTIONS[option] ?? null) : { label: option };

type OptionProps = { readonly words: OptionWords | null; readonly isPending: boolean; readonly onChoose: () => void };

const AskedOption = ({ words, isPending, onChoose }: OptionProps) =>
  words === null ? null : (
    <li>
      <button type="button" className="button" disabled={isPending} onClick={onChoose}>
        {words.label}
      </button>
      {words.effect === undefined ? null : <span className="subtle">{words.effect}</span>}
    </li>
  );
