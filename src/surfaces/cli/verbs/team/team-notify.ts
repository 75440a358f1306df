import type { ServerClient } from "../../../../adapters/remote/server-client.ts";
import { ProblemError } from "../../../../core/problem.ts";
import {
  ChannelList,
  ChannelRemoved,
  type ChannelRow,
  ChannelSet,
  NotificationChannel,
  Occasion,
  OCCASIONS,
  TestAsked,
} from "../../../../schema/api-notifications.ts";
import { plainLine } from "../../../../views/plain-text.ts";
import { done, type Invocation, type Result, text } from "../../invocation/verb.ts";

const PATH = "/api/notifications";

/** Shows, sets, removes or tests the user's notifications. */
export async function notify(ask: ServerClient, words: readonly string[], invocation: Invocation): Promise<Result> {
  const [said, what] = words;
  if (said === undefined) return listed(await ask({ method: "GET", path: PATH, answer: ChannelList }));
  const channel = NotificationChannel.safeParse(said);
  if (!channel.success || what === undefined)
    throw usage(invocation, "Name a channel (webhook, slack, teams or email) and an address.");
  const path = `${PATH}/${channel.data}`;
  if (what === "off") {
    const { isRemoved } = await ask({ method: "DELETE", path, answer: ChannelRemoved });
    return done([isRemoved ? `You are not told by ${said} any more.` : `You were not told by ${said}.`], { isRemoved });
  }
  if (what === "test") {
    const { isAsked } = await ask({ method: "POST", path: `${path}/test`, answer: TestAsked });
    if (!isAsked) throw usage(invocation, `There is no ${said} set up, or it was tried in this minute already.`);
    return done(["A message is on its way. Whether it arrived: isdlc team notify"], { isAsked });
  }
  const body = { channel: channel.data, address: what, occasions: readOccasions(invocation) };
  const set = await ask({ method: "POST", path: PATH, body, answer: ChannelSet });
  const secret =
    set.secret === null ? [] : [set.secret, "Messages are signed with this secret. It is shown this once."];
  return done([...secret, ...set.channels.map(channelLine)], set);
}

/** @throws ProblemError USAGE */
function readOccasions(invocation: Invocation): readonly Occasion[] {
  const said = text(invocation.values, "on");
  if (said === undefined) return OCCASIONS;
  return said.split(",").map((word) => {
    const occasion = Occasion.safeParse(word.trim());
    if (occasion.success) return occasion.data;
    throw usage(invocation, `--on takes one or more of ${OCCASIONS.join(",")}.`);
  });
}

const listed = (found: ChannelList): Result =>
  done(found.channels.length === 0 ? ["You are not told of anything."] : found.channels.map(channelLine), found);

function channelLine({ channel, address, occasions, waiting, sentAt, givenUp }: ChannelRow): string {
  const state = [
    sentAt === null ? "nothing sent yet" : `last sent ${sentAt}`,
    ...(waiting === 0 ? [] : [`${waiting} on the way`]),
    ...(givenUp === null ? [] : [`given up ${givenUp.at}: ${plainLine(givenUp.why, 200)}`]),
  ];
  return `${channel}: ${plainLine(address, 200)} on ${occasions.join(", ")}; ${state.join("; ")}`;
}

const usage = ({ verb }: Invocation, detail: string): ProblemError =>
  new ProblemError({ code: "USAGE", detail, usage: verb.usage });
