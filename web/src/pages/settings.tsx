import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { SettingList } from "../../../src/schema/api-project.ts";
import { api, ApiError } from "../api.ts";
import { announce } from "../parts/announce.tsx";
import { Appearance } from "../parts/appearance.tsx";
import { useTitle } from "../title.ts";
import { Loading, Trouble } from "../parts/trouble.tsx";

type ListedSetting = SettingList["settings"][number];

export function Settings() {
  useTitle("Settings");
  const { data, error, isPending } = useQuery({ queryKey: ["settings"], queryFn: api.settings });
  return (
    <div className="page">
      <div className="page-head">
        <h1>Settings</h1>
      </div>
      <Appearance />
      {error === null ? null : <Trouble error={error} />}
      {isPending ? <Loading what="the settings" /> : null}
      {[...new Set(data?.settings.map(({ file }) => file))].map((file) => (
        <SettingGroup key={file} file={file} settings={data?.settings.filter((one) => one.file === file) ?? []} />
      ))}
    </div>
  );
}

type GroupProps = { readonly file: string; readonly settings: readonly ListedSetting[] };

const SettingGroup = ({ file, settings }: GroupProps) => (
  <section aria-label={file}>
    <h2 className="section-title">
      {file.endsWith("/.isdlc/state.json") ? "This project" : "Your settings (all projects)"}{" "}
      <span className="path setting-file">{file}</span>
    </h2>
    <ul className="settings">
      {settings.map((setting) => (
        <li key={setting.key} className="setting">
          <OneSetting key={setting.value} setting={setting} />
        </li>
      ))}
    </ul>
  </section>
);

const FROM = {
  project: "project setting",
  user: "set by you, for every project",
  here: "set by you, for this project",
  default: "not set",
} as const;

/** Returns the words to choose from, or an empty list for free text. */
const parseChoices = (valid: string): readonly string[] =>
  /^[a-z-]+(?:, [a-z-]+)+$/.test(valid) ? valid.split(", ") : [];

function OneSetting({ setting }: { readonly setting: ListedSetting }) {
  const { key, value, from, valid, isChangeable } = setting;
  return (
    <>
      <span className="setting-key">
        {key}
        <span className="subtle setting-from">{FROM[from]}</span>
      </span>
      {isChangeable ? (
        <Editing setting={setting} />
      ) : (
        <span className="mono">
          {value ?? <span className="subtle">{valid}</span>}
          <span className="subtle setting-from">changed in a terminal: isdlc config set {key}</span>
        </span>
      )}
    </>
  );
}

function Editing({ setting: { key, value, valid } }: { readonly setting: ListedSetting }) {
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
  const choices = parseChoices(valid);
  const field = { "aria-label": key, value: text, className: "field mono" };
  return (
    <>
      {choices.length === 0 ? (
        <input {...field} placeholder={valid} onChange={({ target }) => setText(target.value)} />
      ) : (
        <select {...field} onChange={({ target }) => setText(target.value)}>
          {value === null ? <option value="">not set</option> : null}
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      )}
      <button
        type="button"
        className="button"
        aria-label={`Save ${key}`}
        disabled={isPending || text === (value ?? "")}
        onClick={() => mutate()}
      >
        Save
      </button>
    </>
  );
}
