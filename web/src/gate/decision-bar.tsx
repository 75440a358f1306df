import { useState } from "react";
import type { AnswerOption, GateView } from "../../../src/schema/api.ts";
import { useAnswer } from "../answering.ts";
import { AnswerDialog } from "../parts/answer-dialog.tsx";
import { plural } from "../words.ts";
import { useReview } from "./review-context.ts";

/** Always in sight: what may be decided, and what each decision will do. */
export function DecisionBar({ gate }: { readonly gate: GateView }) {
  const { drafting } = useReview();
  const [asked, setAsked] = useState<AnswerOption | null>(null);
  const [pointed, setPointed] = useState<AnswerOption | null>(null);
  const { answer, isSending } = useAnswer(gate.run);
  const comments = drafting.comments.length;
  const offered = gate.goBack === null ? gate.options : [...gate.options, gate.goBack];
  const told = pointed ?? offered.find((option) => toneOf(option, comments) === "primary");
  const press = (option: AnswerOption): void => {
    const isPlain = option.needs === "nothing" && !(comments > 0 && option.option === "continue") && canPoint();
    if (isPlain) void answer({ wait: gate.wait, shown: gate.shown, option: option.option }, drafting.clear);
    else setAsked(option);
  };
  return (
    <footer className="decision" data-decision aria-label="Decision">
      <p className="decision-state">
        {comments === 0 ? "Nothing is sent until you decide" : `${plural(comments, "comment")} not sent`}
      </p>
      <p className="decision-effect">
        {told === undefined ? null : (
          <>
            <strong>{told.label}:</strong> {told.effect}
          </>
        )}
      </p>
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
          onClose={() => setAsked(null)}
        />
      )}
    </footer>
  );
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
    className={`button button-${toneOf(option, comments)}`}
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

/** Where nothing can be pointed at without pressing it, what it does is told before it is done. */
const canPoint = (): boolean => !matchMedia("(hover: none)").matches;

/** With comments written, sending them is what comes next. */
function toneOf({ option, tone }: AnswerOption, comments: number): AnswerOption["tone"] {
  if (comments === 0) return tone;
  return option === "redo" ? "primary" : tone === "primary" ? "plain" : tone;
}
