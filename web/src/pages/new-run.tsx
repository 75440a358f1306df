import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Choice, StartRequest } from "../../../src/schema/api-project.ts";
import { api } from "../api.ts";
import { announce } from "../parts/announce.tsx";
import { Trouble } from "../parts/trouble.tsx";

type Wish = Omit<StartRequest, "choices" | "mode">;
type Chosen = StartRequest["choices"];

const FIRST: Wish = { what: "run", workflow: "change", title: "", isSupervised: true };

/** Starts a run, or puts an item on record; what the program would ask in a terminal, it asks here. */
export function NewRun() {
  const [wish, setWish] = useState(FIRST);
  const [chosen, setChosen] = useState<Chosen>([]);
  const [choice, setChoice] = useState<Choice | null>(null);
  const client = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (choices: Chosen) => api.start({ ...wish, title: wish.title.trim(), choices }),
    onSuccess: async (started) => {
      setChoice(started.choice);
      if (started.choice !== null) return;
      await client.invalidateQueries();
      announce(wish.what === "add" ? "Put on record." : "Started.");
      if (started.run === null) await navigate({ to: wish.what === "add" ? "/items" : "/" });
      else await navigate({ to: "/runs/$run", params: { run: started.run } });
    },
  });
  const choose = (option: string): void => {
    const flag = choice?.flag.split(" ", 1)[0] as Chosen[number]["flag"]; // the server knows which there are
    const all = [...chosen, { flag, option }];
    setChosen(all);
    mutate(all);
  };
  return (
    <div className="page">
      <div className="page-head">
        <h1>New run</h1>
      </div>
      {error === null ? null : <Trouble error={error} />}
      {choice === null ? null : <Asked choice={choice} isPending={isPending} onChoose={choose} />}
      <WishForm wish={wish} isPending={isPending} onChange={setWish} onStart={() => mutate(chosen)} />
    </div>
  );
}

type AskedProps = { readonly choice: Choice; readonly isPending: boolean; readonly onChoose: (option: string) => void };

const Asked = ({ choice: { about = [], options }, isPending, onChoose }: AskedProps) => (
  <section className="wait" aria-label="A question before it starts">
    {about.map((line) => (
      <p key={line}>{line}</p>
    ))}
    <div className="wait-foot">
      {options.map((option) => (
        <button key={option} type="button" className="button" disabled={isPending} onClick={() => onChoose(option)}>
          {option}
        </button>
      ))}
    </div>
  </section>
);

type FormProps = {
  readonly wish: Wish;
  readonly isPending: boolean;
  readonly onChange: (wish: Wish) => void;
  readonly onStart: () => void;
};

function WishForm({ wish, isPending, onChange, onStart }: FormProps) {
  const choose = (name: string): void =>
    onChange(name === "add" ? { ...wish, what: "add" } : { ...wish, what: "run", workflow: name });
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        onStart();
      }}
    >
      <label className="stacked">
        <span>What is to be done?</span>
        <textarea
          className="field"
          rows={3}
          required
          value={wish.title}
          onChange={({ target }) => onChange({ ...wish, title: target.value })}
        />
      </label>
      <Ways chosen={wish.what === "add" ? "add" : wish.workflow} onChoose={choose} />
      <label className="check">
        <input
          type="checkbox"
          checked={wish.isSupervised}
          disabled={wish.what === "add"}
          onChange={({ target }) => onChange({ ...wish, isSupervised: target.checked })}
        />
        Ask me after every phase
      </label>
      <div>
        <button type="submit" className="button button-primary" disabled={isPending || wish.title.trim() === ""}>
          {isPending ? "Starting …" : "Start"}
        </button>
      </div>
    </form>
  );
}

type WaysProps = { readonly chosen: string; readonly onChoose: (name: string) => void };

const RECORD = {
  name: "add",
  label: "Only put it on record",
  description: "An item in the backlog; nothing is started.",
};

function Ways({ chosen, onChoose }: WaysProps) {
  const { data: project } = useQuery({ queryKey: ["project"], queryFn: api.project });
  return (
    <fieldset className="question">
      <legend>How?</legend>
      {[...(project?.workflows ?? []), RECORD].map(({ name, label, description }) => (
        <Way key={name} {...{ name, label, description }} isChosen={chosen === name} onChoose={onChoose} />
      ))}
    </fieldset>
  );
}

type WayProps = {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly isChosen: boolean;
  readonly onChoose: (name: string) => void;
};

const Way = ({ name, label, description, isChosen, onChoose }: WayProps) => (
  <label className="choice">
    <input type="radio" name="way" checked={isChosen} onChange={() => onChoose(name)} />
    <span>
      <strong>{label}</strong> <span className="subtle">{description}</span>
    </span>
  </label>
);
