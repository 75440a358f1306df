import { useState } from "react";
import type { AnswerOption, GateView } from "../../../src/schema/api.ts";
import { useAnswer } from "../answering.ts";
import { AnswerDialog } from "../parts/answer-dialog.tsx";
import { plural } from "../words.ts";
import { useReview } from "./review-context.ts";
import type { GateChanges, Progress } from "./use-changes.ts";

type BarProps = { readonly gate: GateView; readonly changes: Pick<GateChanges, "progress" | "markAll"> };

/** Displays the options with their effects. Always visible. */
export function DecisionBar({ gate, changes }: BarProps) {
  const { drafting } = useReview();
  const [asked, setAsked] = useState<AnswerOption | null>(null);
  const [pointed, setPointed] = useState<AnswerOption | null>(null);
  const { answer, isSending } = useAnswer(gate.run);
  const comments = drafting.comments.length;
  const offered = inOrder(gate);
  const sending = sendingOption(offered, comments);
  const told = pointed ?? offered.find((option) => buttonTone(option, sending) === "primary");
  const onAccepted = ({ option }: AnswerOption): void => {
    if (option !== "continue") return;
    drafting.clear();
    changes.markAll();
  };
  const press = (option: AnswerOption): void => {
    if (mustAsk(option, comments)) return setAsked(option);
    void answer({ wait: gate.wait, shown: gate.shown, option: option.option }, () => onAccepted(option));
  };
  return (
    <footer className="decision" data-decision aria-label="Decision">
      <p className="decision-state" role="status">
        {stateText(comments, gate.isGit ? changes.progress : NOTHING)}
      </p>
      <Effect option={told} />
      <div className="decision-options">
        {offered.map((option) => (
          <OptionButton
            key={`${option.option} ${option.needs}`}
            option={option}
            tone={buttonTone(option, sending)}
            comments={sending === option.option ? comments : 0}
            isSending={isSending}
            onPress={() => press(option)}
            onPoint={setPointed}
          />
        ))}
      </div>
      {asked === null ? null : (
        <AnswerDialog
          option={asked}
          target={{ run: gate.run, wait: gate.wait, shown: gate.shown }}
          backTo={gate.backTo}
          drafting={drafting}
          onAnswered={() => onAccepted(asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </footer>
  );
}

const Effect = ({ option }: { readonly option: AnswerOption | undefined }) => (
  <p className="decision-effect">
    {option === undefined ? null : <strong>{option.label}:</strong>} {option?.effect}
  </p>
);

/** Asks for missing input, before comments are dropped, and on touch screens, which do not show effects before. */
const mustAsk = ({ needs, option }: AnswerOption, comments: number): boolean =>
  needs !== "nothing" || (comments > 0 && option === "continue") || !canPoint();

const NOTHING: Progress = { files: 0, notViewed: 0, changedSince: null };

/** Summarizes unviewed files and unsent comments in one line. */
function stateText(comments: number, progress: Progress | null): string {
  const unread =
    progress === null
      ? "The changes are still loading"
      : progress.notViewed === 0
        ? ""
        : `${progress.notViewed} of ${plural(progress.files, "file")} not viewed`;
  const unsent = comments === 0 ? "" : `${plural(comments, "comment")} not sent`;
  return [unsent, unread].filter((part) => part !== "").join(" · ") || "Comments stay with you until you decide";
}

/** Returns the options in a fixed order: Continue is last, at the edge of the screen. */
function inOrder({ options, goBack }: GateView): AnswerOption[] {
  const all = goBack === null ? options : [...options, goBack];
  const isAccepting = ({ option }: AnswerOption): boolean => option === "continue";
  return [...all.filter((option) => !isAccepting(option)), ...all.filter(isAccepting)];
}

type ButtonProps = {
  readonly option: AnswerOption;
  readonly tone: AnswerOption["tone"];
  /** Comments that this option sends. */
  readonly comments: number;
  readonly isSending: boolean;
  readonly onPress: () => void;
  readonly onPoint: (option: AnswerOption | null) => void;
};

/** Stays focusable while an answer is sent. */
const OptionButton = ({ option, tone, comments, isSending, onPress, onPoint }: ButtonProps) => (
  <button
    type="button"
    className={`button button-${tone}`}
    title={option.effect}
    aria-disabled={isSending}
    onClick={isSending ? undefined : onPress}
    onFocus={() => onPoint(option)}
    onBlur={() => onPoint(null)}
    onPointerEnter={() => onPoint(option)}
    onPointerLeave={() => onPoint(null)}
  >
    {option.label}
    {comments > 0 ? <span className="count">{comments}</span> : null}
  </button>
);

/** Returns false on touch screens, where the effect is displayed before the user presses an option. */
const canPoint = (): boolean => !matchMedia("(hover: none)").matches;

/** Highlights the option that sends comments, if there are any: Redo, or a return if all redos are used. */
function buttonTone({ option, tone }: AnswerOption, sending: string | null): AnswerOption["tone"] {
  if (sending === null) return tone;
  return option === sending ? "primary" : tone === "primary" ? "plain" : tone;
}

function sendingOption(offered: readonly AnswerOption[], comments: number): string | null {
  if (comments === 0) return null;
  return ["guidance", "phase"].flatMap((need) => offered.find(({ needs }) => needs === need)?.option ?? [])[0] ?? null;
}
