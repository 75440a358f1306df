import { type PhaseKey, phaseNumber } from "../schema/ids.ts";

const names: ReadonlyMap<PhaseKey, string> = new Map([
  ["00-quick-scan", "Quick Scan"],
  ["01-requirements", "Requirements"],
  ["02-impact-analysis", "Impact Analysis"],
  ["02-tracing", "Root Cause Tracing"],
  ["03-architecture", "Architecture"],
  ["04-design", "Design & Specifications"],
  ["05-test-strategy", "Test Strategy"],
  ["06-implementation", "Implementation"],
  ["07-testing", "Testing"],
  ["08-code-review", "Code Review & QA"],
  ["09-security", "Security & Compliance"],
  ["09-validation", "Security & Compliance"],
  ["10-cicd", "CI/CD Pipeline"],
  ["11-local-testing", "Local Testing"],
  ["12-test-deploy", "Staging Deployment"],
  ["13-production", "Production Deployment"],
  ["14-operations", "Operations & Monitoring"],
  ["15-upgrade-plan", "Upgrade Planning"],
  ["15-upgrade-execute", "Upgrade Execution"],
  ["16-quality-loop", "Quality Loop"],
]);

/** Returns a phase's display name. A key outside the table is converted to title case without its number. */
export function phaseDisplayName(key: PhaseKey): string {
  return names.get(key) ?? titleCase(key.replace(/^[0-9]+-/, ""));
}

/** Finds a phase by its key, number, key without the number, or display name. Undefined if none or several match. */
export function findPhaseKey(keys: readonly PhaseKey[], wanted: string): PhaseKey | undefined {
  if (keys.includes(wanted)) return wanted;
  const name = wanted.trim().toLowerCase();
  const numbered = keys.find((key) => phaseNumber(key) === name);
  if (numbered !== undefined) return numbered;
  const named = keys.filter(
    (key) => key.replace(/^[0-9]+-/, "") === name || phaseDisplayName(key).toLowerCase() === name,
  );
  return named.length === 1 ? named[0] : undefined;
}

function titleCase(words: string): string {
  return words
    .split("-")
    .filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
}
