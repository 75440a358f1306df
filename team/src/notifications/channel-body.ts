import { noticeBody } from "../../../src/views/wait-notice.ts";
import type { NotificationMessage } from "./notification-message.ts";

/**
 * Builds a Slack message in plain text. Markup, mentions and links other than the link to the web UI have no effect.
 */
export const slackBody = (message: NotificationMessage): object => ({
  ...noticeBody(message, "slack"),
  unfurl_links: false,
  unfurl_media: false,
  blocks: [
    { type: "section", text: { type: "plain_text", text: message.text, emoji: false } },
    ...(message.link === null
      ? []
      : [{ type: "section", text: { type: "mrkdwn", text: `<${message.link}|Open the page>`, verbatim: true } }]),
  ],
});

export const teamsBody = (message: NotificationMessage): object => noticeBody({ text: textWithLink(message) }, "teams");

const textWithLink = ({ text, link }: NotificationMessage): string => (link === null ? text : `${text} ${link}`);
