import { attentionFor, attentionText } from "../core/changes/attention.ts";
import { type ActiveRun, currentPhase, type Wait } from "../core/run.ts";
import { plainLine } from "./plain-text.ts";
import type { WaitNotice } from "../schema/api-notifications.ts";

const SENTENCES: { readonly [K in Wait["kind"]]: string } = {
  gate: "is done and waits for your review",
  questions: "has questions",
  escalation: "could not be done and needs you",
  sizing: "wants to know how large the work is",
  budget: "has spent its budget",
  finish: "is the last one: how should the run end?",
};

/** Builds the notification of an open wait. */
export function waitNotice(run: ActiveRun, wait: Wait, project: string): WaitNotice {
  const phase = currentPhase(run) ?? run.phases.at(-1);
  const { id, kind, openedAt } = wait;
  const name = phase?.rule.name ?? "The run";
  const toRead = kind === "gate" ? ` (to read: ${attentionText(attentionFor(phase?.made ?? null))})` : "";
  return {
    event: "wait.opened",
    project,
    run: run.run.run,
    title: plainLine(run.run.title, 200),
    workflow: run.run.workflow,
    wait: { id, kind, phase: phase?.rule.key ?? null, since: openedAt },
    text: `${project}: ${name} of “${plainLine(run.run.title, 200)}” ${SENTENCES[kind]}${toRead}.`,
  };
}

/** Returns the folder name of a project as its name. */
export const projectName = ({ root }: { readonly root: string }): string =>
  root.slice(Math.max(root.lastIndexOf("/"), root.lastIndexOf("\\")) + 1);

export type WebhookForm = "json" | "slack" | "teams";

/** Builds a webhook body in the receiver's format. */
export function noticeBody(notice: Pick<WaitNotice, "text">, form: WebhookForm): object {
  switch (form) {
    case "json":
      return notice;
    case "slack":
      return { text: escaped(notice.text) };
    case "teams":
      return {
        type: "message",
        attachments: [
          {
            contentType: "application/vnd.microsoft.card.adaptive",
            content: {
              type: "AdaptiveCard",
              version: "1.4",
              body: [{ type: "TextBlock", wrap: true, text: notice.text.replaceAll(/[\\`*_[\]()#~<>]/g, "\\$&") }],
            },
          },
        ],
      };
    default:
      return form satisfies never;
  }
}

/** Escapes Slack markup: a title must not mention a channel or hide a link. */
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
