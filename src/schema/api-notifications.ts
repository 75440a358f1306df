import * as z from "zod/mini";

/** How a person is told by a team's server, and of what. */
export const CHANNELS = ["webhook", "slack", "teams", "email"] as const;
export const NotificationChannel = z.enum(CHANNELS);
export type NotificationChannel = z.infer<typeof NotificationChannel>;

/**
 * `gate`: a gate is open that the person may answer; `help` and `ended`: a run of theirs has questions or cannot go on,
 * or has ended; `reviewer`: they were named as reviewer of a phase.
 */
export const OCCASIONS = ["gate", "help", "ended", "reviewer"] as const;
export const Occasion = z.enum(OCCASIONS);
export type Occasion = z.infer<typeof Occasion>;

export const ChannelChange = z.strictObject({
  channel: NotificationChannel,
  /** A web address, or one for e-mail. */
  address: z.string().check(z.minLength(1), z.maxLength(2000)),
  occasions: z.array(Occasion).check(z.minLength(1), z.maxLength(OCCASIONS.length)),
});
export type ChannelChange = z.infer<typeof ChannelChange>;

export const ChannelRow = z.object({
  channel: NotificationChannel,
  /** Of a web address only where it leads: the rest of it lets anybody write there. */
  address: z.string(),
  occasions: z.array(Occasion),
  /** Notifications that are still tried. */
  waiting: z.int(),
  sentAt: z.nullable(z.string()),
  /** The last that was given up, unless something was sent since. */
  givenUp: z.nullable(z.object({ at: z.string(), why: z.string() })),
});
export type ChannelRow = z.infer<typeof ChannelRow>;
export const ChannelList = z.object({ channels: z.array(ChannelRow) });
export type ChannelList = z.infer<typeof ChannelList>;

/** The secret that signs what a webhook is sent, told this once; null for other channels. */
export const ChannelSet = z.object({ secret: z.nullable(z.string()), ...ChannelList.shape });
export type ChannelSet = z.infer<typeof ChannelSet>;

export const ChannelRemoved = z.object({ isRemoved: z.boolean() });
/** False where one was asked for in the same minute. */
export const TestAsked = z.object({ isAsked: z.boolean() });
