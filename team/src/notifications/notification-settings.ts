import { givenSecret } from "../verb-values.ts";
import { type Invocation, text } from "../../../src/surfaces/cli/invocation/verb.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { type HookRules, newResolver } from "./hook-address.ts";
import { createMailer, type Mailer, readMailSettings } from "./send-mail.ts";

/** Operator settings for notifications. */
export type NotificationSettings = {
  readonly hooks: HookRules;
  /** Null if the server sends no mail. */
  readonly mailer: Mailer | null;
};

export type GivenSettings = { readonly settings: NotificationSettings; readonly secrets: readonly string[] };

const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/;

/**
 * Reads the settings from the server's options and environment, with the secrets that must never be logged. @throws
 * ProblemError USAGE
 */
export function notificationSettings(invocation: Invocation): GivenSettings {
  const { values, verb } = invocation;
  const allowed = (text(values, "notify-hosts") ?? "")
    .toLowerCase()
    .split(",")
    .filter((host) => host !== "");
  const odd = allowed.find((host) => !HOST.test(host));
  if (odd !== undefined)
    throw new ProblemError({ code: "USAGE", detail: `"${odd}" is not a host name.`, usage: verb.usage });
  const server = givenSecret(invocation, { option: "smtp", variable: "ISDLC_SMTP_URL" });
  const mail = server === undefined ? null : readMailSettings(server, text(values, "mail-sender"), verb.usage);
  return {
    settings: { hooks: { allowed, resolver: newResolver() }, mailer: mail === null ? null : createMailer(mail) },
    secrets: server === undefined || mail === null ? [] : [server, decodeURIComponent(mail.server.password)],
  };
}
