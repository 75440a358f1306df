import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { SettingList } from "../../../src/schema/api-project.ts";
import { api, ApiError } from "../api.ts";
import { announce } from "../parts/announce.tsx";
import { Loading, Trouble } from "../parts/trouble.tsx";
import { wantNotifications, wantsNotifications } from "../telling.ts";
import { applyTheme, currentTheme, type Theme } from "../theme.ts";

type Setting = SettingList["settings"][number];

export function Settings() {
  const { data, error, isPending } = useQuery({ queryKey: ["settings"], queryFn: api.settings });
  return (
    <div className="page">
      <div className="page-head">
        <h1>Settings</h1>
      </div>
      <h2 className="section-title">This browser</h2>
      <Appearance />
      <h2 className="section-title">This project and you</h2>
      {error === null ? null : <Trouble error={error} />}
      {isPending ? <Loading what="the settings" /> : null}
      <ul className="settings">
        {data?.settings.map((setting) => (
          <li key={setting.key} className="setting">
            <OneSetting setting={setting} />
          </li>
        ))}
      </ul>
    </div>
  );
}

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

function Appearance() {
  const [theme, setTheme] = useState(currentTheme);
  const [isTold, setTold] = useState(wantsNotifications);
  return (
    <div className="toolbar">
      <div className="segments" role="group" aria-label="Appearance">
        {THEMES.map(([name, label]) => (
          <button
            key={name}
            type="button"
            aria-pressed={theme === name}
            onClick={() => {
              applyTheme(name);
              setTheme(name);
            }}
          >
            {label}
          </button>
        ))}
      </div>
      <label className="check">
        <input
          type="checkbox"
          checked={isTold}
          onChange={({ target }) => void wantNotifications(target.checked).then(setTold)}
        />
        Notify me when a run waits
      </label>
    </div>
  );
}

const FROM = {
  project: "set in this project",
  user: "set by you, for every project",
  here: "set by you, for this project",
  default: "not set",
} as const;

function OneSetting({ setting: { key, value, from, file, valid, isChangeable } }: { readonly setting: Setting }) {
  const [text, setText] = useState(value ?? "");
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => api.setSetting(key, text),
    onSuccess: (settings) => {
      client.setQueryData(["settings"], settings);
      announce(`${key} is set.`);
    },
    onError: (error) =>
      announce(error instanceof ApiError ? `${error.problem.what} ${error.problem.fix}` : error.message, "bad"),
  });
  return (
    <>
      <span className="setting-key" title={file}>
        {key}
        <span className="subtle setting-from">{FROM[from]}</span>
      </span>
      {isChangeable ? (
        <input
          className="field mono"
          aria-label={key}
          placeholder={valid}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      ) : (
        <span className="mono">{value ?? <span className="subtle">{valid}</span>}</span>
      )}
      {isChangeable ? (
        <button
          type="button"
          className="button"
          disabled={isPending || text === (value ?? "")}
          onClick={() => mutate()}
        >
          Save
        </button>
      ) : (
        <span className="subtle">in a terminal: isdlc config set</span>
      )}
    </>
  );
}
