import { bySeverity, type Finding, isOpen, type Ledger } from "../core/findings/ledger.ts";
import { plainLine } from "./plain-text.ts";

/** Formats one line per finding, by severity: open findings first, then resolved ones. */
export function renderFindings({ findings }: Ledger): string[] {
  const open = findings.filter(isOpen).sort(bySeverity);
  const resolved = findings.filter((finding) => !isOpen(finding)).sort(bySeverity);
  return [...open, ...resolved].map(findingLine);
}

function findingLine(finding: Finding): string {
  const place = plainLine(placeText(finding), 120);
  const parts = [finding.id, finding.severity, ...(place === "" ? [] : [place]), STATES[finding.state]];
  return `${parts.join("  ")}  ${plainLine(finding.description, 200)}`;
}

const STATES: Readonly<Record<Finding["state"], string>> = {
  new: "new",
  caused: "caused by the last fix",
  recurring: "recurring",
  returned: "came back",
  resolved: "resolved",
};

const placeText = ({ file, line, location }: Finding): string =>
  file === null ? (location ?? "") : line === null ? file : `${file}:${line}`;
