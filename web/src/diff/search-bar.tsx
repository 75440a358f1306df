import { useState } from "react";
import { type Match, type Search } from "./search.ts";

type BarProps = {
  readonly search: Search;
  readonly matches: readonly Match[] | "invalid";
  readonly onSearch: (search: Search) => void;
  readonly onGo: (match: Match) => void;
};

/** Searches the whole diff: the browser's own search finds only rendered rows. */
export function SearchBar({ search, matches, onSearch, onGo }: BarProps) {
  const [at, setAt] = useState(-1);
  const count = matches === "invalid" ? 0 : matches.length;
  const go = (step: 1 | -1): void => {
    const next = count === 0 ? -1 : (at + step + count) % count;
    const match = matches === "invalid" ? undefined : matches[next];
    setAt(next);
    if (match !== undefined) onGo(match);
  };
  const change = (next: Partial<Search>): void => {
    setAt(-1);
    onSearch({ ...search, ...next });
  };
  const onKeyDown = ({ key, shiftKey }: React.KeyboardEvent): void => {
    if (key === "Enter") go(shiftKey ? -1 : 1);
    if (key === "Escape") change({ text: "" });
  };
  return (
    <div className="diff-search" role="search">
      <input
        type="search"
        className="field"
        data-search
        aria-label="Search the diff"
        placeholder="Search the diff  /"
        value={search.text}
        onChange={({ target }) => change({ text: target.value })}
        onKeyDown={onKeyDown}
      />
      {search.text === "" ? null : (
        <>
          <span className="subtle" role="status">
            {matches === "invalid" ? "Invalid expression" : at === -1 ? `${count} found` : `${at + 1} of ${count}`}
          </span>
          <Tool label="Previous match" sign="↑" onPress={() => go(-1)} />
          <Tool label="Next match" sign="↓" onPress={() => go(1)} />
          <Tool label="Match case" sign="Aa" isOn={search.isCase} onPress={() => change({ isCase: !search.isCase })} />
          <Tool
            label="Regular expression"
            sign=".*"
            isOn={search.isExpression}
            onPress={() => change({ isExpression: !search.isExpression })}
          />
        </>
      )}
    </div>
  );
}

type ToolProps = {
  readonly label: string;
  readonly sign: string;
  readonly isOn?: boolean;
  readonly onPress: () => void;
};

const Tool = ({ label, sign, isOn, onPress }: ToolProps) => (
  <button type="button" className="quiet" aria-label={label} aria-pressed={isOn} onClick={onPress}>
    {sign}
  </button>
);
