import { type SessionHost, startSession } from "../../support/session-host.ts";
import type { Json, Said } from "./stage.ts";

/** A session whose model runs the rogue as a program, reports its output and takes the next phase. */
export type GuestSession = {
  /** Works while it is the session's turn. Returns the last output. */
  work(): Promise<Said>;
  end(): Promise<void>;
};

type GuestProject = {
  readonly root: string;
  readonly env: Record<string, string>;
  readonly under: readonly string[];
};

export async function startGuest(place: GuestProject, agent: readonly string[]): Promise<GuestSession> {
  const session = await startSession(place, "guest");
  return {
    async work() {
      for (;;) {
        const begun = await session.isdlc("begin", "--json");
        const { turn, task, run }: Json = JSON.parse(begun.stdout === "" ? "{}" : begun.stdout);
        if (turn !== "session") return begun;
        const told = await session.report(task.nonce, await runRogue(session, agent, { task, run }));
        if (told.ok === false) return { code: 1, stdout: JSON.stringify(told), stderr: "" }; // it would repeat the error
      }
    },
    end: () => session.kill(),
  };
}

/** Runs the program like isdlc runs its own agents. */
async function runRogue(session: SessionHost, agent: readonly string[], { task, run }: Json): Promise<Json> {
  const { phase, attempt, iteration, persona, prompt, artifacts } = task;
  const expects = { artifacts, schema: {} };
  const asked = { protocol: 1, role: "phase", phase, attempt, iteration, persona, prompt, item: run.item, expects };
  const { stdout } = await session.run(agent, JSON.stringify(asked));
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  const { type: _, ...result } = lines.map((line): Json => parsedLine(line)).findLast(isResult) ?? FAILED;
  return result;
}

const FAILED: Json = { type: "result", status: "failed", summary: "The program broke down" };
const isResult = (line: Json): boolean => line?.type === "result";

function parsedLine(line: string): Json {
  try {
    return JSON.parse(line);
  } catch {
    return null; // a rogue also prints lines without JSON
  }
}
