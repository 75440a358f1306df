import { useEffect, useId, useRef } from "react";
import type { DraftComment } from "./draft-store.ts";
import { isFocusLost } from "../focus.ts";
import { type DraftActions, isEmpty } from "./drafts.ts";
import { useReview } from "./review-context.ts";

/** Editor of a comment and a suggested wording. Each keystroke is saved as a draft. */
export function CommentEditor({ draft }: { readonly draft: DraftComment }) {
  const { drafting, takeFocus } = useReview();
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const { text, suggestion, place } = draft;
  useEffect(() => {
    if (takeFocus(draft.id)) field.current?.focus();
  }, [draft.id, takeFocus]);
  const { save } = closing(draft, drafting);
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === "Escape") save();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
  };
  return (
    <div className="editor" role="group" aria-label="Comment" data-editor={draft.id} onKeyDown={onKeyDown}>
      <label className="visually-hidden" htmlFor={id}>
        Comment
      </label>
      <textarea
        id={id}
        ref={field}
        className="field"
        rows={3}
        value={text}
        placeholder="What should be different here?"
        onChange={({ target }) => drafting.write(draft.id, { text: target.value, suggestion })}
      />
      {suggestion === null ? null : (
        <Suggestion
          label={place?.endLine === undefined ? "Replace this line with" : "Replace these lines with"}
          value={suggestion}
          onChange={(value) => drafting.write(draft.id, { text, suggestion: value })}
        />
      )}
      <LastLine draft={draft} />
      <EditorFoot draft={draft} />
    </div>
  );
}

function EditorFoot({ draft }: { readonly draft: DraftComment }) {
  const { drafting } = useReview();
  const { id, text, suggestion, place, before } = draft;
  const { save, discard } = closing(draft, drafting);
  const suggest = (): void =>
    drafting.write(id, { text, suggestion: suggestion === null ? (place?.quote ?? "") : null });
  return (
    <div className="editor-foot">
      <button type="button" className="button button-primary" disabled={isEmpty(draft)} onClick={save}>
        {before === undefined ? "Add comment" : "Save"}
      </button>
      <button type="button" className="button" onClick={discard}>
        {before === undefined ? "Discard" : "Cancel"}
      </button>
      <button type="button" className="quiet" aria-pressed={suggestion !== null} onClick={suggest}>
        {suggestion === null ? "Suggest a change" : "Remove suggestion"}
      </button>
    </div>
  );
}

/** Moves the focus to the comment or its line, never to the top of the page. */
function closing({ id, place }: DraftComment, drafting: DraftActions) {
  const focusSoon = (selector: string): void =>
    void requestAnimationFrame(() => {
      if (isFocusLost()) document.querySelector<HTMLElement>(selector)?.focus();
    });
  const button = place === null ? "" : CSS.escape(`Comment on line ${place.line} of ${place.path}`);
  return {
    save: () => {
      drafting.close(id);
      focusSoon(`[data-draft="${id}"], [aria-label="${button}"]`);
    },
    discard: () => {
      drafting.revert(id);
      focusSoon(`[data-draft="${id}"], [aria-label="${button}"]`);
    },
  };
}

/** Extends the comment to several lines. */
function LastLine({ draft }: { readonly draft: DraftComment }) {
  const { extend } = useReview();
  const { place } = draft;
  if (place === null) return null;
  const { line, endLine = line } = place;
  return (
    <label className="last-line">
      {endLine === line ? `Line ${line} to` : `Lines ${line} to`}
      <input
        type="number"
        className="field"
        aria-label="Last line of the comment"
        min={line}
        max={line + MAX_COMMENTED_LINES - 1}
        value={endLine}
        onChange={({ target }) => extend(draft, Number(target.value))}
      />
    </label>
  );
}

/** Maximum number of lines in one comment. */
const MAX_COMMENTED_LINES = 200;

type SuggestionProps = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
};

const Suggestion = ({ label, value, onChange }: SuggestionProps) => (
  <label className="suggest">
    <span>{label}</span>
    <textarea
      className="field mono"
      rows={Math.min(8, value.split("\n").length + 1)}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  </label>
);
