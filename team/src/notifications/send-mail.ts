import { createTransport } from "nodemailer";
import { ProblemError } from "../../../src/core/problem.ts";
import type { NotificationMessage } from "./notification-message.ts";
import type { DeliveryResult } from "./post-hook.ts";

/** The operator's mail server, and the sender address. */
export type MailSettings = { readonly server: URL; readonly from: string };

export type Mailer = (to: string, message: NotificationMessage) => Promise<DeliveryResult>;

/** ASCII without quotes, comments or display names. Prevents texts that a mail server could read as two addresses. */
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?=.{1,253}$)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/;

export const isMailAddress = (text: string): boolean => ADDRESS.test(text);

const SILENT_FOR = 10_000; // milliseconds for each step of the connection
const SEND_TIMEOUT_MS = 30_000; // milliseconds in total
const MAX_SUBJECT = 150; // characters

/** @throws ProblemError USAGE */
export function readMailSettings(server: string, from: string | undefined, usage: string): MailSettings {
  const detail =
    "Say where mail is sent and from whom: ISDLC_SMTP_URL=smtps://user:password@host and --mail-sender <address>";
  const url = URL.canParse(server) ? new URL(server) : null;
  if (
    url === null ||
    !/^smtps?:$/.test(url.protocol) ||
    url.hostname === "" ||
    from === undefined ||
    !isMailAddress(from)
  )
    throw new ProblemError({ code: "USAGE", detail, usage });
  return { server: url, from };
}

/** Creates a mailer for plain text. TLS is required unless the mail server runs on this machine. */
export function createMailer({ server, from }: MailSettings): Mailer {
  const host = server.hostname.replace(/^\[(.*)\]$/, "$1");
  const isTls = server.protocol === "smtps:";
  const transport = createTransport({
    host,
    port: server.port === "" ? (isTls ? 465 : 587) : Number(server.port),
    secure: isTls,
    requireTLS: !isTls && !["127.0.0.1", "::1", "localhost"].includes(host),
    ...(server.username === "" ? {} : { auth: parseCredentials(server) }),
    connectionTimeout: SILENT_FOR,
    greetingTimeout: SILENT_FOR,
    socketTimeout: SILENT_FOR,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async (to, message) => {
    const mail = {
      from: { name: "isdlc", address: from },
      to: { name: "", address: to },
      subject: message.text.slice(0, MAX_SUBJECT),
      text: messageText(message),
      messageId: `<${message.id}@${from.slice(from.indexOf("@") + 1)}>`,
      headers: { "Auto-Submitted": "auto-generated" },
    };
    try {
      await within(transport.sendMail(mail), SEND_TIMEOUT_MS);
      return { ok: true };
    } catch (error) {
      return toFailedDelivery(error);
    }
  };
}

const parseCredentials = ({ username, password }: URL): { user: string; pass: string } => ({
  user: decodeURIComponent(username),
  pass: decodeURIComponent(password),
});

const messageText = ({ text, link }: NotificationMessage): string =>
  [text, ...(link === null ? [] : ["", link]), "", "-- ", "No more of these: isdlc team notify email off", ""].join(
    "\n",
  );

async function within<T>(work: Promise<T>, most: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("too late")), most);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Status 550 to 559 about a recipient is final. The server's message is not passed on, as it may reveal too much. */
function toFailedDelivery(error: unknown): DeliveryResult {
  const status = error instanceof Error && "responseCode" in error ? Number(error.responseCode) : 0;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const isFinal = status >= 550 && status < 560 && code === "EENVELOPE";
  return { ok: false, why: `the mail server did not take it (${status > 0 ? status : code || "no answer"})`, isFinal };
}
