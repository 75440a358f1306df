import { useQuery } from "@tanstack/react-query";
import { Dialog } from "radix-ui";
import { useState } from "react";
import type { AnswerOption, RunDetail } from "../../../src/schema/api.ts";
import { useAnswer } from "../answering.ts";
import { api } from "../api.ts";
import type { DraftActions } from "../gate/drafts.ts";
import { placeText } from "../words.ts";
import type { ReviewComment } from "../../../src/schema/comments.ts";

type AnswerTree = "restore" | "keep";
type DialogResult = {
  readonly text: string;
  readonly comments: ReviewComment[];
  readonly phase?: string;
  readonly tree?: AnswerTree;
};
type Target = { readonly run: string; readonly wait: string | null; readonly shown: string };

type DialogProps = {
  readonly option: AnswerOption;
  readonly target: Target;
  readonly backTo: RunDetail["backTo"];
  readonly drafting?: DraftActions | undefined;
  /** Called after the answer is recorded. */
  readonly onAnswered?: () => void;
  readonly onClose: () => void;
};

/** Asks for confirmation before an answer is sent: shows its effect and content, and requests missing input. */
export function AnswerDialog({ option, target, backTo, drafting, onAnswered, onClose }: DialogProps) {
  const { given, change, phase, setPhase, setTree, isMissing } = useGiven({ option, backTo, drafting });
  const { answer, isSending } = useAnswer(target.run);
  const { wait, shown } = target;
  const send = async (): Promise<void> => {
    const isSent = await answer({ wait, shown, option: option.option, isConfirmed: true, ...given }, () => {
      if (SENT_BACK.has(option.needs)) drafting?.clear();
      onAnswered?.();
    });
    if (isSent) onClose();
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog">
          <Dialog.Title>{option.label}</Dialog.Title>
          <Dialog.Description>{option.effect}</Dialog.Description>
          {option.needs === "phase" ? <PhaseChoice phases={backTo} value={phase} onChange={setPhase} /> : null}
          {given.tree === undefined ? null : option.option === "cancel" ? (
            <LeftBehind run={target.run} value={given.tree} onChange={setTree} />
          ) : (
            <TreeChoice legend="The working tree" trees={BACK} value={given.tree} onChange={setTree} />
          )}
          <CommentList comments={given.comments} isIgnored={isIgnoring(option, drafting)} />
          <Words needs={option.needs} value={given.text} onChange={change} />
          <div className="dialog-foot">
            <Dialog.Close className="button">{option.label === "Cancel" ? "Keep the run" : "Cancel"}</Dialog.Close>
            <button
              type="button"
              className={`button button-${option.tone === "danger" ? "danger" : "primary"}`}
              disabled={isMissing || isSending}
              onClick={() => void send()}
            >
              {option.label}
            </button>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Collects the content of the answer. Guidance is a draft, too, and stays if the dialog is closed. */
function useGiven({ option, backTo, drafting }: Pick<DialogProps, "option" | "backTo" | "drafting">) {
  const [text, setText] = useState(drafting?.guidance ?? "");
  const [phase, setPhase] = useState(backTo.at(-1)?.key ?? "");
  const [tree, setTree] = useState<AnswerTree | null>(null);
  const isSentBack = SENT_BACK.has(option.needs);
  const comments = isSentBack ? [...(drafting?.comments ?? [])] : [];
  const hasWords = text.trim() !== "" || comments.length > 0;
  const change = (value: string): void => {
    setText(value);
    if (isSentBack) drafting?.setGuidance(value);
  };
  const given: DialogResult = { text, comments, ...ofTree(option, { phase, tree, hasWords }) };
  return { given, change, phase, setPhase, setTree, isMissing: !hasWords && NEEDS_WORDS.has(option.needs) };
}

type ChosenPhase = { readonly phase: string; readonly tree: AnswerTree | null; readonly hasWords: boolean };

/**
 * Returns the default for the working tree. A return with guidance keeps the files to improve them; without guidance,
 * it restores them. A cancel keeps them.
 */
function ofTree(
  { option, needs }: AnswerOption,
  { phase, tree, hasWords }: ChosenPhase,
): Pick<DialogResult, "phase" | "tree"> {
  if (option === "cancel") return { tree: tree ?? "keep" };
  return needs === "phase" ? { phase, tree: tree ?? (hasWords ? "keep" : "restore") } : {};
}

const SENT_BACK: ReadonlySet<AnswerOption["needs"]> = new Set(["guidance", "phase"]);
const NEEDS_WORDS: ReadonlySet<AnswerOption["needs"]> = new Set(["guidance", "reason"]);

const isIgnoring = ({ option }: AnswerOption, drafting: DraftActions | undefined): boolean =>
  option === "continue" && drafting !== undefined && drafting.comments.length > 0;

type ChoiceProps = {
  readonly phases: RunDetail["backTo"];
  readonly value: string;
  readonly onChange: (key: string) => void;
};

const PhaseChoice = ({ phases, value, onChange }: ChoiceProps) => (
  <label className="stacked">
    <span>Back to</span>
    <select className="field" value={value} onChange={({ target }) => onChange(target.value)}>
      {phases.map(({ key, name }) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </select>
  </label>
);

type AnswerTrees = readonly (readonly [AnswerTree, string])[];
const BACK: AnswerTrees = [
  ["restore", "Restore the files from before that phase"],
  ["keep", "Keep the current files and improve them"],
];
const CANCEL: AnswerTrees = [
  ["keep", "Leave it in the working tree"],
  ["restore", "Remove from the working tree (saved under a git ref)"],
];

type PickProps = { readonly value: AnswerTree; readonly onChange: (tree: AnswerTree) => void };

/** Lists uncommitted changes by agents before the run is cancelled. */
function LeftBehind({ run, ...pick }: PickProps & { readonly run: string }) {
  const { data } = useQuery({ queryKey: ["run", run, "left"], queryFn: () => api.left(run), staleTime: 0 });
  const paths = data?.paths ?? [];
  if (paths.length === 0) return null;
  return (
    <>
      <ul className="comment-list" aria-label="Left by the agent, uncommitted">
        {paths.map((path) => (
          <li key={path} className="path">
            {path}
          </li>
        ))}
      </ul>
      <TreeChoice legend="The agent's uncommitted changes" trees={CANCEL} {...pick} />
    </>
  );
}

const TreeChoice = ({ legend, trees, value, onChange }: PickProps & { legend: string; trees: AnswerTrees }) => (
  <fieldset className="question">
    <legend>{legend}</legend>
    {trees.map(([tree, label]) => (
      <label key={tree} className="choice">
        <input type="radio" name="tree" checked={value === tree} onChange={() => onChange(tree)} />
        {label}
      </label>
    ))}
  </fieldset>
);

type ListProps = { readonly comments: DraftActions["comments"]; readonly isIgnored: boolean };

function CommentList({ comments, isIgnored }: ListProps) {
  if (isIgnored)
    return <p className="notice notice-warn">Your comments are not sent with this answer. They are deleted.</p>;
  if (comments.length === 0) return null;
  return (
    <ul className="comment-list" aria-label="Comments that are sent">
      {comments.map(({ id, place, text }) => (
        <li key={id}>
          <span className="note-id">{id}</span>
          {place === null ? null : <span className="path subtle">{placeText(place)}</span>}
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}

const LABELS: { readonly [N in AnswerOption["needs"]]?: string } = {
  guidance: "What else should this phase consider?",
  phase: "What should be done differently?",
  reason: "Why?",
  amount: "New limit in dollars (empty: double it)",
};

type WordsProps = {
  readonly needs: AnswerOption["needs"];
  readonly value: string;
  readonly onChange: (text: string) => void;
};

function Words({ needs, value, onChange }: WordsProps) {
  const label = LABELS[needs];
  if (label === undefined) return null;
  return (
    <label className="stacked">
      <span>{label}</span>
      {needs === "amount" ? (
        <input className="field" inputMode="decimal" value={value} onChange={({ target }) => onChange(target.value)} />
      ) : (
        <textarea className="field" rows={4} value={value} onChange={({ target }) => onChange(target.value)} />
      )}
    </label>
  );
}
