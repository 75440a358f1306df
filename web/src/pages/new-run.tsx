import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Choice, StartRequest } from "../../../src/schema/api-project.ts";
import { api } from "../api.ts";
import { announce } from "../parts/announce.tsx";
import { Trouble } from "../parts/trouble.tsx";

type Wish = Omit<StartRequest, "choices" | "mode">;
type Chosen = StartRequest["choices"];

/** What is known when the page is opened: an item of the list, and what is to be done with it. */
export type Wanted = { readonly what?: "analyze" | "build"; readonly item?: string };

const FIRST: Wish = { what: "run", workflow: "change", title: "", isSupervised: true };

/** Starts a run, or puts an item on record; what the program would ask in a terminal, it asks here. */
export function NewRun({ what, item = "" }: Wanted) {
  const [wish, setWish] = useState<Wish>(what === undefined ? FIRST : { ...FIRST, what, title: item });
  const [chosen, setChosen] = useState<Chosen>([]);
  const { begin, choice, isPending, error } = useStart();
  const choose = (option: string): void => {
    const next = answered({ wish, chosen }, choice, option);
    setWish(next.wish);
    setChosen(next.chosen);
    begin(next);
  };
  const isOfItem = wish.what === "analyze" || wish.what === "build";
  return (
    <div className="page">
      <div className="page-head">
        <h1>{isOfItem ? `${wish.what === "build" ? "Build" : "Analyze"} ${wish.title}` : "New run"}</h1>
      </div>
      {error === null ? null : <Trouble error={error} />}
      {choice === null ? null : <Asked choice={choice} isPending={isPending} onChoose={choose} />}
      <WishForm wish={wish} isPending={isPending} onChange={setWish} onStart={() => begin({ wish, chosen })} />
    </div>
  );
}

type Start = { readonly wish: Wish; readonly chosen: Chosen };

function useStart() {
  const [choice, setChoice] = useState<Choice | null>(null);
  const client = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ wish, chosen }: Start) => api.start({ ...wish, title: wish.title.trim(), choices: chosen }),
    onSuccess: async (started, { wish }) => {
      setChoice(started.choice);
      if (started.choice !== null) return;
      await client.invalidateQueries();
      announce(wish.what === "add" ? "Put on record." : "Started.");
      if (started.run === null) await navigate({ to: wish.what === "add" ? "/items" : "/" });
      else await navigate({ to: "/runs/$run", params: { run: started.run } });
    },
  });
  return { begin: mutate, choice, isPending, error };
}

/** The same wish with what was just chosen. Which item is meant, and whether gates are wanted, is part of the wish itself. */
function answered({ wish, chosen }: Start, choice: Choice | null, option: string): Start {
  if (choice?.kind === "item") return { wish: { ...wish, title: option }, chosen };
  if (choice?.kind === "supervision") return { wish: { ...wish, isSupervised: true }, chosen };
  const flag = choice?.flag.split(" ", 1)[0] as Chosen[number]["flag"]; // the server knows which there are
  return { wish, chosen: [...chosen, { flag, option }] };
}

type AskedProps = { readonly choice: Choice; readonly isPending: boolean; readonly onChoose: (option: string) => void };

/** Options of the program as they read on a button; one that can only be given in a terminal is not offered. */
const CHOICES: Readonly<Record<string, string | null>> = {
  yes: "Go on",
  trust: "Trust it",
  without: "Go on without it",
  "no-git": "Work without git",
  "allow-dirty": "Start with the uncommitted changes",
  proceed: "Build on it as it is",
  rescan: "Scan the code again",
  reanalyze: "Analyze again",
  resume: "Go on where it stopped",
  skip: "Leave the rest out",
  restart: "Start over",
  supervised: "Ask me after every phase",
  autonomous: null,
};

const Asked = ({ choice: { about = [], options }, isPending, onChoose }: AskedProps) => (
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

type FormProps = {
  readonly wish: Wish;
  readonly isPending: boolean;
  readonly onChange: (wish: Wish) => void;
  readonly onStart: () => void;
};

function WishForm({ wish, isPending, onChange, onStart }: FormProps) {
  const isOfItem = wish.what === "analyze" || wish.what === "build";
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
      {isOfItem ? (
        <p className="subtle">{OF_ITEM[wish.what]}</p>
      ) : (
        <>
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
        </>
      )}
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
          {isPending ? "Starting …" : wish.what === "add" ? "Put it on record" : "Start"}
        </button>
      </div>
    </form>
  );
}

const OF_ITEM: Readonly<Record<string, string>> = {
  analyze: "Writes in the folder of the item only, beside any other run.",
  build: "Implements the item on a branch of its own; what was analyzed is not done again.",
};

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
