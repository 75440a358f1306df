export type Theme = "system" | "light" | "dark";
const STORED = "isdlc.theme";

export function currentTheme(): Theme {
  const found = localStorage.getItem(STORED);
  return found === "light" || found === "dark" ? found : "system";
}

export function applyTheme(theme: Theme = currentTheme()): void {
  localStorage.setItem(STORED, theme);
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
