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
  const told = pointed ?? offered.find((option) => buttonTone(option, comments) === "primary");
  const onAccepted = ({ option }: AnswerOption): void => {
    if (option !== "continue") return;
    drafting.clear();
    changes.markAll();
  };
  const press = (option: AnswerOption): void => {
    const isPlain = option.needs === "nothing" && !(comments > 0 && option.option === "continue") && canPoint();
    if (!isPlain) return setAsked(option);
    void answer({ wait: gate.wait, shown: gate.shown, option: option.option }, () => onAccepted(option));
  };
  return (
    <footer className="decision" data-decision aria-label="Decision">
      <p className="decision-state" role="status">
        {stateText(comments, gate.isGit ? changes.progress : NOTHING)}
      </p>
      <p className="decision-effect">{told === undefined ? null : <Effect option={told} />}</p>
      <div className="decision-options">
        {offered.map((option) => (
          <OptionButton
            key={`${option.option} ${option.needs}`}
            option={option}
            comments={comments}
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

const Effect = ({ option }: { readonly option: AnswerOption }) => (
  <>
    <strong>{option.label}:</strong> {option.effect}
  </>
);

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
  readonly comments: number;
  readonly isSending: boolean;
  readonly onPress: () => void;
  readonly onPoint: (option: AnswerOption | null) => void;
};

const OptionButton = ({ option, comments, isSending, onPress, onPoint }: ButtonProps) => (
  <button
    type="button"
    className={`button button-${buttonTone(option, comments)}`}
    title={option.effect}
    disabled={isSending}
    onClick={onPress}
    onFocus={() => onPoint(option)}
    onBlur={() => onPoint(null)}
    onPointerEnter={() => onPoint(option)}
    onPointerLeave={() => onPoint(null)}
  >
    {option.label}
    {option.needs === "guidance" && comments > 0 ? <span className="count">{comments}</span> : null}
  </button>
);

/** Returns false on touch screens, where the effect is displayed before the user presses an option. */
const canPoint = (): boolean => !matchMedia("(hover: none)").matches;

/** Highlights Redo if there are comments to send. */
function buttonTone({ option, tone }: AnswerOption, comments: number): AnswerOption["tone"] {
  if (comments === 0) return tone;
  return option === "redo" ? "primary" : tone === "primary" ? "plain" : tone;
}
