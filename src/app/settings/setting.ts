import { isRecord, ownValue } from "../../core/own-value.ts";
import { ProblemError } from "../../core/problem.ts";
import { settingsUnreadable } from "../authorize/authorize.ts";
import type { Project } from "../project/project.ts";

/**
 * Source of a value: default, the user's settings, the user's settings for this project, or the project's own block.
 */
export type Origin = "default" | "user" | "here" | "project";

/**
 * Target of a change: the user's settings for all projects or for this one. The project's block is stored elsewhere.
 */
export type Scope = "user" | "here";

export type SettingValue = { readonly value: unknown; readonly from: Origin };

export type Setting = {
  /** Parses the text from the command line; undefined if invalid, null for an empty value. */
  readonly parse: (value: string, project: Project) => unknown;
  readonly valid: string;
  /** Returns the stored value; null if not set. */
  readonly read: (project: Project) => SettingValue;
  /** Describes the default. */
  readonly fallback: (project: Project) => string;
  /** True if it can be set for a single project. */
  readonly isByProject: boolean;
  /** True if it exists only per project: it is always set for the current one. */
  readonly isProjectOnly?: boolean;
  /** Stores the value; null removes it. Returns a warning for the user, if any. */
  readonly write: (project: Project, value: unknown, scope: Scope) => string | null;
};

const UNSET: SettingValue = { value: null, from: "default" };

type Kind = Pick<Setting, "parse" | "valid"> & {
  readonly fallback?: string | Setting["fallback"];
  readonly isByProject?: boolean;
  readonly isProjectOnly?: boolean;
};

const readFallback = ({ fallback = "not set" }: Kind): Setting["fallback"] =>
  typeof fallback === "string" ? () => fallback : fallback;

/** Setting in the `supervised_mode` block of this project's state.json. */
export const blockSetting = (name: string, kind: Kind): Setting => ({
  ...kind,
  fallback: readFallback(kind),
  isByProject: false,
  read(project) {
    const value = ownValue(ownValue(project.projections.stateFile(), "supervised_mode"), name);
    return value === undefined || value === null ? UNSET : { value, from: "project" };
  },
  write(project, value) {
    project.projections.setUp();
    return project.projections.writeSettings((user) => {
      const block = ownValue(user, "supervised_mode");
      const { [name]: _old, ...others } = isRecord(block) ? block : {};
      return { ...user, supervised_mode: value === null ? others : { ...others, [name]: value } };
    });
  },
});

/** User setting, for all projects or for one. */
export const ownSetting = (name: string, kind: Kind): Setting => ({
  ...kind,
  fallback: readFallback(kind),
  isByProject: kind.isByProject === true,
  read({ settings }) {
    const { here, general } = settings.read();
    const ofHere = ownValue(here, name);
    if (ofHere !== undefined) return { value: ofHere, from: "here" };
    if (kind.isProjectOnly === true) return UNSET;
    const value = ownValue(general, name);
    return value === undefined ? UNSET : { value, from: "user" };
  },
  write(project, value, scope) {
    const { settings } = project;
    const { found } = settings.read();
    if (found === null) throw new ProblemError(settingsUnreadable(project));
    const isGeneral = scope === "user" && kind.isProjectOnly !== true;
    settings.write(isGeneral ? withValue(found, name, value) : withHere(found, settings.project, [name, value]));
    return null;
  },
});

type Values = Readonly<Record<string, unknown>>;

function withValue(values: Values, name: string, value: unknown): Values {
  const { [name]: _old, ...others } = values;
  return value === null ? others : { ...others, [name]: value };
}

function withHere(found: Values, project: string, [name, value]: [string, unknown]): Values {
  const projects = ownValue(found, "projects");
  const others = isRecord(projects) ? projects : {};
  const before = ownValue(others, project);
  const after = withValue(isRecord(before) ? before : {}, name, value);
  const changed = withValue(others, project, Object.keys(after).length === 0 ? null : after);
  return withValue(found, "projects", Object.keys(changed).length === 0 ? null : changed);
}
