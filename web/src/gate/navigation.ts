import { useCallback, useEffect, useRef, useState } from "react";
import type { DiffFile } from "../../../src/schema/api-diff.ts";
import { type DiffRow, indexOfRow } from "../diff/diff-rows.ts";
import { isFocusLost } from "../focus.ts";
import { isPlain, setRowMover } from "../keyboard.ts";
import { isSameFile, type CommentLine } from "./review-context.ts";
import type { GateChanges } from "./use-changes.ts";

/** Diff row to bring into view, even if it is not rendered yet. */
export type Goal = {
  /** Keys by preference: the first existing row is used. */
  readonly keys: readonly string[];
  /** True to move the focus, too. */
  readonly isFocused: boolean;
  /** Different for each request, to allow going to the same row again. */
  readonly at: number;
};

export type Navigation = {
  readonly goal: Goal | null;
  readonly goToFile: (path: string) => void;
  /** Goes to the notes of a line, or to its file if the diff does not contain the line. */
  readonly goToLine: (place: Pick<CommentLine, "path" | "line"> & { readonly side?: CommentLine["side"] }) => void;
  readonly goToRow: (path: string, key: string) => void;
};

type Stop = { readonly element: HTMLElement } | { readonly key: string };

/** Moves within a gate. Uses the rows of the diff, because the page contains only those on the screen. */
export function useNavigation({ files, rows, open, mark }: GateChanges): Navigation {
  const [goal, setGoal] = useState<Goal | null>(null);
  const last = useRef<string | null>(null);
  const go = useCallback((keys: readonly string[], isFocused: boolean): void => {
    last.current = isFocused ? (keys[0] ?? null) : last.current;
    setGoal({ keys, isFocused, at: performance.now() });
  }, []);
  const visit = useCallback(
    (stop: Stop | undefined): void => {
      if (stop === undefined) return;
      if ("key" in stop) return go([stop.key], true);
      last.current = null;
      stop.element.tabIndex = -1;
      stop.element.focus();
      stop.element.scrollIntoView({ block: "center" });
    },
    [go],
  );
  useGateKeys({ rows, last, visit, mark });
  return {
    goal,
    goToFile: useCallback((path) => go([path], true), [go]),
    goToRow: useCallback(
      (path, key) => {
        open(path);
        go([key], false);
      },
      [go, open],
    ),
    goToLine: useCallback(
      ({ path, line, side = "new" }) => {
        const file = fileNamed(files, path);
        if (file === undefined) return;
        open(file.path);
        go([`${file.path} notes ${side}${line}`, file.path], true);
      },
      [files, go, open],
    ),
  };
}

type Keys = {
  readonly rows: readonly DiffRow[];
  /** Last focused row, which may no longer be rendered. */
  readonly last: { readonly current: string | null };
  readonly visit: (stop: Stop | undefined) => void;
  readonly mark: (path: string) => void;
};

/**
 * Moves through files with j and k, and through notes with n and p; v marks the focused file, d goes to the decision.
 */
function useGateKeys({ rows, last, visit, mark }: Keys): void {
  useEffect(() => {
    const move = (stops: readonly Stop[], step: 1 | -1): void =>
      visit(stops[nextIndex(stops, { rows, last: last.current, step })]);
    setRowMover((event) => move(fileStops(rows), event.key === "j" ? 1 : -1));
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key === "f") return focusSearch(event);
      if (!isPlain(event)) return;
      if (event.key === "v") {
        const path = fileAt(document.activeElement, { rows, last: last.current });
        if (path !== null) mark(path);
      } else if (event.key === "n" || event.key === "p") {
        event.preventDefault();
        move(noteStops(rows), event.key === "n" ? 1 : -1);
      } else if (event.key in KEYS) {
        event.preventDefault(); // c opens an editor, which would get the key as text
        KEYS[event.key]?.();
      }
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
      setRowMover(null);
    };
  }, [rows, last, visit, mark]);
}

/** Comments on the line of the focused row, or on the first rendered line after it. */
function openComment(): void {
  const from = Number(document.activeElement?.closest<HTMLElement>(".diff-item")?.dataset["index"] ?? Number.NaN);
  const buttons = [...document.querySelectorAll<HTMLElement>(".diff-item .add-comment")];
  const indexOf = (button: HTMLElement): number =>
    Number(button.closest<HTMLElement>(".diff-item")?.dataset["index"] ?? -1);
  buttons
    .toSorted((one, other) => indexOf(one) - indexOf(other))
    .find((button) => indexOf(button) >= from)
    ?.click();
}

/** Goes from the focused note to its entry in the overview. */
const backToList = (): void =>
  document.activeElement?.closest("[data-note]")?.querySelector<HTMLElement>("[data-back]")?.click();

/** Focuses the highlighted option. Without one, the user chooses by Tab from the first. */
const focusDecision = (): void =>
  ["[data-decision] .button-primary", "[data-decision] .button"]
    .map((selector) => document.querySelector<HTMLElement>(selector))
    .find((button) => button !== null)
    ?.focus();

const KEYS: Readonly<Record<string, () => void>> = { b: backToList, c: openComment, d: focusDecision };

const fileNamed = (files: readonly DiffFile[], path: string): DiffFile | undefined =>
  files.find((file) => file.path === path) ?? files.find((file) => isSameFile(file.path, path));

/** Opens the diff search. In its field, the same keys open the browser's own search. */
function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>("[data-search]");
  if (field === null || field === document.activeElement) return;
  event.preventDefault();
  field.focus();
  field.select();
}

const elements = (selector: string): Stop[] =>
  [...document.querySelectorAll<HTMLElement>(selector)].map((element) => ({ element }));
const listStops = (rows: readonly DiffRow[], kind: DiffRow["is"]): Stop[] =>
  rows.filter((row) => row.is === kind).map(({ key }) => ({ key }));

const fileStops = (rows: readonly DiffRow[]): Stop[] => [...elements(".document-head h3"), ...listStops(rows, "file")];
const noteStops = (rows: readonly DiffRow[]): Stop[] => [
  ...elements(".gate-main > :not(.changes) [data-note]"),
  ...listStops(rows, "notes"),
];

type Position = { readonly rows: readonly DiffRow[]; readonly last: string | null };

/** Counts from the focus, or from the last focused row if that is no longer rendered. */
function nextIndex(stops: readonly Stop[], { step, ...position }: Position & { readonly step: 1 | -1 }): number {
  const row = rowAt(document.activeElement, position);
  const at =
    row === null
      ? stops.findIndex((stop) => "element" in stop && stop.element.contains(document.activeElement))
      : stops.findLastIndex((stop) => !("key" in stop) || indexOfRow(position.rows, stop.key) <= row);
  const isOn = row === null || indexOfRow(position.rows, stopKey(stops[at])) === row;
  if (step === 1) return Math.min(at + 1, stops.length - 1);
  return Math.max(isOn ? at - 1 : at, 0);
}

const stopKey = (stop: Stop | undefined): string => (stop !== undefined && "key" in stop ? stop.key : "");

function rowAt(active: Element | null, { rows, last }: Position): number | null {
  const drawn = active?.closest<HTMLElement>(".diff-item")?.dataset["index"];
  if (drawn !== undefined) return Number(drawn);
  const index = isFocusLost(active) && last !== null ? indexOfRow(rows, last) : -1;
  return index === -1 ? null : index;
}

function fileAt(active: Element | null, position: Position): string | null {
  const row = rowAt(active, position);
  return row === null ? null : (position.rows[row]?.file.path ?? null);
}
