import type { WaitView } from "../../../src/schema/api.ts";
import { useAnswer } from "../answering.ts";
import { useStored } from "../stored.ts";

type Wait = Extract<WaitView, { kind: "questions" }>;
type AgentQuestion = Wait["questions"][number];

/** Displays each question with its choices and a text field. The agent decides about unanswered questions. */
export function Questions({ run, wait }: { readonly run: string; readonly wait: Wait }) {
  const { replies, reply, clear } = useReplies(run, wait.id);
  const { answer, isSending } = useAnswer(run);
  const [option] = wait.options;
  const open = wait.questions.filter(({ id }) => (replies[id] ?? "").trim() === "").length;
  const send = (): void => {
    const given = wait.questions.map(({ id }) => ({ id, text: (replies[id] ?? "").trim() || null }));
    void answer({ wait: wait.id, shown: wait.shown, option: "answer", replies: given }, clear);
  };
  return (
    <div className="questions">
      {wait.questions.map((question) => (
        <OneQuestion
          key={question.id}
          question={question}
          value={replies[question.id] ?? ""}
          onChange={(text) => reply(question.id, text)}
        />
      ))}
      <div className="wait-foot">
        <button type="button" className="button button-primary" disabled={isSending} onClick={send}>
          {option?.label ?? "Send"}
        </button>
        <span className="subtle">{open === 0 ? option?.effect : `${open} unanswered: the agent will decide`}</span>
      </div>
    </div>
  );
}

type Replies = Readonly<Record<string, string>>;

/** Keeps replies in this browser until they are sent. */
function useReplies(run: string, wait: string) {
  const [text, setText] = useStored<string>(`isdlc.replies.${run}.${wait}`, "");
  const replies = (text === "" ? {} : JSON.parse(text)) as Replies; // written by the line below
  const reply = (id: string, words: string): void => setText(JSON.stringify({ ...replies, [id]: words }));
  return { replies, reply, clear: () => setText("") };
}

type OneProps = { readonly question: AgentQuestion; readonly value: string; readonly onChange: (text: string) => void };

function OneQuestion({ question: { id, text, choices }, value, onChange }: OneProps) {
  return (
    <fieldset className="question">
      <legend>{text}</legend>
      {choices.map((choice) => (
        <label key={choice} className="choice">
          <input type="radio" name={id} checked={value === choice} onChange={() => onChange(choice)} />
          {choice}
        </label>
      ))}
      <textarea
        className="field"
        rows={2}
        aria-label={`Answer to: ${text}`}
        placeholder={choices.length === 0 ? "Your answer" : "or in your own words"}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </fieldset>
  );
}
