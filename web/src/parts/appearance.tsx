import { useState } from "react";
import { wantNotifications, wantsNotifications } from "../telling.ts";
import { applyTheme, currentTheme, type Theme } from "../theme.ts";

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", "Match system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

/** Settings stored only in this browser. */
export function Appearance() {
  const [theme, setTheme] = useState(currentTheme);
  const [isTold, setTold] = useState(wantsNotifications);
  return (
    <>
      <h2 className="section-title">This browser</h2>
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
    </>
  );
}
