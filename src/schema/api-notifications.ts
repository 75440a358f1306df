import * as z from "zod/mini";
import type { WaitKind } from "./api.ts";
import type { RunId } from "./ids.ts";

/** Services through which a team server can notify a user. */
export const CHANNELS = ["webhook", "slack", "teams", "email"] as const;
export const NotificationChannel = z.enum(CHANNELS);
export type NotificationChannel = z.infer<typeof NotificationChannel>;

/**
 * Events of notifications. `gate`: a gate is open and the user may answer it. `help`: a run of theirs has questions or
 * cannot continue. `ended`: a run of theirs ended. `reviewer`: the user was named as reviewer of a phase. `worker`, for
 * admins: a worker takes no runs because of a fault of its machine.
 */
export const OCCASIONS = ["gate", "help", "ended", "reviewer", "worker"] as const;
export const Occasion = z.enum(OCCASIONS);
export type Occasion = z.infer<typeof Occasion>;

export const ChannelChange = z.strictObject({
  channel: NotificationChannel,
  /** URL or e-mail address. */
  address: z.string().check(z.minLength(1), z.maxLength(2000)),
  occasions: z.array(Occasion).check(z.minLength(1), z.maxLength(OCCASIONS.length)),
});
export type ChannelChange = z.infer<typeof ChannelChange>;

export const ChannelRow = z.object({
  channel: NotificationChannel,
  /** For a URL, only its destination: the full URL would allow anyone to post there. */
  address: z.string(),
  occasions: z.array(Occasion),
  /** Number of notifications that are still being retried. */
  waiting: z.int(),
  sentAt: z.nullable(z.string()),
  /** Last notification that was given up. Null if one was sent later. */
  givenUp: z.nullable(z.object({ at: z.string(), why: z.string() })),
});
export type ChannelRow = z.infer<typeof ChannelRow>;
export const ChannelList = z.object({ channels: z.array(ChannelRow) });
export type ChannelList = z.infer<typeof ChannelList>;

/** Secret that signs the requests to a webhook, returned only once. Null for other channels. */
export const ChannelSet = z.object({ secret: z.nullable(z.string()), ...ChannelList.shape });
export type ChannelSet = z.infer<typeof ChannelSet>;

export const ChannelRemoved = z.object({ isRemoved: z.boolean() });
/** False if a test was requested within the same minute. */
export const TestAsked = z.object({ isAsked: z.boolean() });

/** Notification that a run waits, for users who do not watch it. */
export type WaitNotice = {
  readonly event: "wait.opened";
  readonly project: string;
  readonly run: RunId;
  readonly title: string;
  readonly workflow: string;
  readonly wait: {
    readonly id: string;
    readonly kind: WaitKind;
    readonly phase: string | null;
    readonly since: string;
  };
  /** One sentence for users. */
  readonly text: string;
};
