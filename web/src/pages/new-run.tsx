import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api.ts";
import { answered, Asked, type Start, type Wish } from "../parts/asked.tsx";
import { RepositoryField } from "../parts/repository-field.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { isTeam } from "../served-by.ts";
import { usePickedRepository } from "../repositories.ts";
import { useTitle } from "../title.ts";
import { useStart } from "../starting.ts";

/** Parameters of the page: an item, its repository, and the work to start with it. */
export type NewRunSearch = {
  readonly what?: "analyze" | "build";
  readonly item?: string;
  readonly repository?: string;
};

const FIRST: Wish = { what: "run", workflow: "change", title: "", isSupervised: true };

/** Starts a run or adds an item. Asks the same questions as isdlc in a terminal. */
export function NewRun({ what, item = "", repository: given }: NewRunSearch) {
  useTitle("New run");
  const [wish, setWish] = useState<Wish>(what === undefined ? FIRST : { ...FIRST, what, title: item });
  const [chosen, setChosen] = useState<Start["chosen"]>([]);
  const { names, name, pick } = usePickedRepository(({ mayBegin }) => mayBegin);
  const repository = given ?? name;
  const { begin, choice, isPending, error } = useStart(repository);
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
      {repository === null || given !== undefined ? null : (
        <RepositoryField names={names} value={repository} onChange={pick} />
      )}
      <WishForm wish={wish} isPending={isPending} onChange={setWish} onStart={() => begin({ wish, chosen })} />
    </div>
  );
}

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
            <span>What should be done?</span>
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
        Pause for my approval after each phase
      </label>
      <div>
        <button type="submit" className="button button-primary" disabled={isPending || wish.title.trim() === ""}>
          {isPending ? "Starting …" : wish.what === "add" ? "Add" : "Start"}
        </button>
      </div>
    </form>
  );
}

const OF_ITEM: Readonly<Record<string, string>> = {
  analyze: "Writes in the folder of the item only, beside any other run.",
  build: "Implements the item on its own branch; does not repeat the analysis.",
};

type WaysProps = { readonly chosen: string; readonly onChoose: (name: string) => void };

const RECORD = {
  name: "add",
  label: "Add to the backlog only",
  description: "An item in the backlog; nothing is started.",
};

function Ways({ chosen, onChoose }: WaysProps) {
  const { data: project } = useQuery({ queryKey: ["project"], queryFn: api.project });
  return (
    <fieldset className="question">
      <legend>Workflow</legend>
      {[...(project?.workflows ?? []), ...(isTeam ? [] : [RECORD])].map(({ name, label, description }) => (
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
