import type { RunStatement } from "../../schema/attestation.ts";
import type { RunEvent } from "../../schema/event.ts";
import { historyLines } from "../history.ts";
import type { Review } from "../../schema/api-history.ts";
import { listReviews } from "../reviews.ts";
import { changesText } from "../changes-text.ts";
import { plainText } from "../plain-text.ts";

export type ReportFile = { readonly name: string; readonly text: string };

export type ReportFacts = {
  readonly title: string;
  readonly predicate: RunStatement["predicate"];
  readonly events: readonly RunEvent[];
  readonly documents: readonly ReportFile[];
  readonly diffs: readonly ReportFile[];
  /** Number of signed statements in git notes. They are not verified here: `isdlc verify` reports who signed. */
  readonly statements: number;
};

/** Renders one page for an auditor: printable, without scripts or external resources. */
export function runReport(facts: ReportFacts): string {
  const { title, predicate, events, documents, diffs } = facts;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}: run ${predicate.run}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <h1>${title}</h1>
        ${renderHead(facts)}
        <h2>Phases</h2>
        ${phasesTable(predicate)}
        <h2>Gates</h2>
        ${gatesTable(predicate)}
        <h2>Overruled</h2>
        ${overruledList(predicate)}
        <h2>Reviews</h2>
        ${reviewSections(listReviews(events))}
        <h2>Documents</h2>
        ${renderFiles(documents)}
        <h2>Changes</h2>
        ${renderFiles(diffs.map(inReviewOrder))}
        <h2>History</h2>
        <pre>${historyLines(events).join("\n")}</pre>
      </body>
    </html> `;
  return page.safe;
}

const STYLE: Html = {
  safe: `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem;border-bottom:1px solid #ccc}h3{font-size:1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .5rem;border-bottom:1px solid #e2e2e2}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f6f6f6;padding:.75rem;font-size:12px}
.bad{color:#a40000;font-weight:600}
@media print{body{max-width:none;margin:0}h2{break-after:avoid}tr{break-inside:avoid}pre{background:none;border:1px solid #ccc}}`,
};

function renderHead({ predicate, statements }: ReportFacts): Html {
  const { git, journal, sandbox, startedBy } = predicate;
  const usage = predicate.usage;
  const rows: readonly (readonly [string, string])[] = [
    ["Run", `${predicate.run} (${predicate.workflow}, ${predicate.finish ?? "not finished"})`],
    ["Started", `${moment(predicate.startedAt)} by ${startedBy.name} (${startedBy.channel})`],
    ["Ended", predicate.endedAt === null ? "not yet" : moment(predicate.endedAt)],
    ["Branch", `${git.branch ?? "none"}, from ${git.start.commit.slice(0, 12)} of ${git.base ?? "no branch"}`],
    ["Agents", predicate.agents.map(agentText).join("; ")],
    ["Sandbox", sandbox === null ? "not recorded" : sandbox ? "on" : "off"],
    ["Usage", `${usage.input ?? "?"} tokens in, ${usage.output ?? "?"} out, ${usage.usd ?? "?"} USD`],
    ["Journal", `event ${journal.seq}, ${journal.hash}`],
    ["Statements", statements === 0 ? "none was signed" : `${statements} signed; isdlc verify shows the signers`],
  ];
  return table(
    ["", ""],
    rows.map(([name, text]) => [html`<strong>${name}</strong>`, html`${text}`]),
  );
}

const agentText = ({ role, phase, name, model, version }: RunStatement["predicate"]["agents"][number]): string =>
  [`${role}${phase === null ? "" : ` of ${phase}`}: ${name}`, model ?? "", version ?? ""]
    .filter((part) => part !== "")
    .join(" ");

const moment = (at: string): string => `${at.slice(0, 19).replace("T", " ")} UTC`;

function table(head: readonly string[], rows: readonly (readonly Html[])[]): Html {
  const cells = (row: readonly Html[]): Html[] => row.map((cell) => html`<td>${cell}</td>`);
  const titles = head.some((name) => name !== "")
    ? html`<tr>
        ${head.map((name) => html`<th>${name}</th>`)}
      </tr>`
    : html``;
  return html`<table>
    ${titles}${rows.map(
      (row) =>
        html`<tr>
          ${cells(row)}
        </tr>`,
    )}
  </table>`;
}

function phasesTable({ phases }: RunStatement["predicate"]): Html {
  return table(
    ["Phase", "Status", "Attempts", "Checks", "Accepted"],
    phases.map((phase) => [
      html`${phase.key}`,
      html`${phase.status}`,
      html`${phase.attempts} (${phase.redos} redone)`,
      html`${phase.checks.map(renderCheck)}`,
      html`${acceptedText(phase.accepted)}`,
    ]),
  );
}

function renderCheck({ name, ok, counts }: RunStatement["predicate"]["phases"][number]["checks"][number]): Html {
  const count = counts === null ? "" : ` (${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped)`;
  if (ok === false) return html`<div class="bad">${name}: failed${count}</div>`;
  return html`<div>${name}: ${ok === null ? "not run" : "passed"}${count}</div>`;
}

function acceptedText(accepted: RunStatement["predicate"]["phases"][number]["accepted"]): string {
  if (accepted === null) return "no";
  const { by, at } = accepted;
  return by === "engine" ? `by the rules, ${moment(at)}` : `by ${by.name} (${by.channel}), ${moment(at)}`;
}

function gatesTable({ phases }: RunStatement["predicate"]): Html {
  const rows = phases.flatMap(({ key, gates }) =>
    gates.map(({ by, decision, shown, at, suspicious }) => [
      html`${key}`,
      html`${decision}`,
      suspicious
        ? html`<span class="bad">${by.name} (${by.channel}), suspicious</span>`
        : html`${by.name} (${by.channel})`,
      html`${moment(at)}`,
      html`<code>${shown.slice(0, 16)}</code>`,
    ]),
  );
  if (rows.length === 0) return html`<p>No gate was answered by a person.</p>`;
  return table(["Phase", "Answer", "Person", "When", "Summary digest"], rows);
}

function overruledList({ overruled }: RunStatement["predicate"]): Html {
  if (overruled.length === 0) return html`<p>Nothing.</p>`;
  return html`<ul>
    ${overruled.map(({ what, name, phase, by, at }) => html`<li class="bad">${what} ${name} ${phase === null ? "" : `in ${phase}`}, by ${by.name} (${by.channel}), ${moment(at)}</li>`)}
  </ul>`;
}

function reviewSections(reviews: readonly Review[]): Html {
  if (reviews.length === 0) return html`<p>No reviewer said anything.</p>`;
  const sections = reviews.map(
    ({ phase, iteration, approved, summary, issues }) =>
      html`<h3>${phase}, verdict ${iteration}: ${approved ? "approved" : "not approved"}</h3>
        <p>${summary}</p>
        <ul>
          ${issues.map(({ severity, description, location }) => html`<li>${severity}: ${description} ${location ?? ""}</li>`)}
        </ul>`,
  );
  return html`${sections}`;
}

/** A report shows everything: folded files come last, with their content. */
function inReviewOrder({ name, text }: ReportFile): ReportFile {
  const ordered = changesText({ base: "of this commit", parts: [{ title: null, patch: text }] }, { isComplete: true });
  return { name, text: text.includes("diff --git ") ? ordered : text };
}

function renderFiles(files: readonly ReportFile[]): Html {
  if (files.length === 0) return html`<p>None.</p>`;
  return html`${files.map(
    ({ name, text }) =>
      html`<h3>${name}</h3>
        <pre>${text}</pre>`,
  )}`;
}

/** HTML that is safe to insert into a page. Use `html` to create it. */
type Html = { readonly safe: string };

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text of agents, users and repositories for HTML, and makes invisible characters visible. */
const escaped = (text: string): string => plainText(text).replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? "");

type HtmlPart = string | number | Html | readonly Html[];

/** Escapes all strings in the template, except parts that are HTML already. */
export function html(template: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  const filled = template.map((text, index) => text + (index < parts.length ? render(parts[index] ?? "") : ""));
  return { safe: filled.join("") };
}

function render(part: HtmlPart): string {
  if (typeof part === "string") return escaped(part);
  if (typeof part === "number") return String(part);
  return isList(part) ? part.map(({ safe }) => safe).join("") : part.safe;
}

const isList = (part: Html | readonly Html[]): part is readonly Html[] => Array.isArray(part);
