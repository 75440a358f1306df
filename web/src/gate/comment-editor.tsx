import { useId, useState } from "react";
import type { ReviewComment } from "../../../src/schema/comments.ts";

export type Written = { readonly text: string; readonly suggestion: string | null };

type EditorProps = {
  readonly quote: string;
  readonly before?: ReviewComment;
  readonly onSave: (written: Written) => void;
  readonly onCancel: () => void;
};

/** Where a comment is written, with the wording that should stand there instead where the person has one. */
export function CommentEditor({ quote, before, onSave, onCancel }: EditorProps) {
  const [text, setText] = useState(before?.text ?? "");
  const [suggestion, setSuggestion] = useState<string | null>(before?.suggestion ?? null);
  const id = useId();
  const isEmpty = text.trim() === "" && (suggestion === null || suggestion === quote);
  const save = (): void => {
    if (!isEmpty)
      onSave({
        text: text.trim() === "" ? "Please change this as suggested." : text.trim(),
        suggestion: suggestion === quote ? null : suggestion,
      });
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === "Escape") onCancel();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
  };
  return (
    <div className="editor" role="group" aria-label="Comment" onKeyDown={onKeyDown}>
      <label className="visually-hidden" htmlFor={id}>
        Comment
      </label>
      <textarea
        id={id}
        className="field"
        rows={3}
        value={text}
        autoFocus
        placeholder="What should be different here?"
        onChange={({ target }) => setText(target.value)}
      />
      {suggestion === null ? null : <Suggestion value={suggestion} onChange={setSuggestion} />}
      <div className="editor-foot">
        <button type="button" className="button button-primary" disabled={isEmpty} onClick={save}>
          {before === undefined ? "Add comment" : "Save"}
        </button>
        <button type="button" className="button" onClick={onCancel}>
          Discard
        </button>
        <button
          type="button"
          className="quiet"
          aria-pressed={suggestion !== null}
          onClick={() => setSuggestion(suggestion === null ? quote : null)}
        >
          {suggestion === null ? "Suggest an edit" : "Without an edit"}
        </button>
      </div>
    </div>
  );
}

type SuggestionProps = { readonly value: string; readonly onChange: (text: string) => void };

const Suggestion = ({ value, onChange }: SuggestionProps) => (
  <label className="suggest">
    <span>Instead of this line</span>
    <textarea
      className="field mono"
      rows={Math.min(8, value.split("\n").length + 1)}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  </label>
);
