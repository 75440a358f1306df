import { ProblemError } from "../../../src/core/problem.ts";
import type { ChartsView } from "../../../src/schema/api-project.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { toCharts, readFigures, type RunFigures } from "../../../src/views/page/charts.ts";
import type { TeamServer } from "../server/team-server.ts";

/** Charts cover the newest runs only. */
const MAX_RUNS = 100;
/** Maximum number of runs with cached figures. Beyond it, the oldest are dropped. */
const MAX_REMEMBERED = 5000;

/** Charts of the ended runs visible to a user, optionally of one repository. */
export type TeamCharts = (person: string, repository: string | null) => Promise<ChartsView>;

/** Caches the figures of each run, because an ended run does not change. */
export function createTeamCharts({ pool, journal }: Pick<TeamServer, "pool" | "journal">): TeamCharts {
  const known = new Map<RunId, RunFigures | null>();
  /** Returns null for an unreadable journal. `isdlc server doctor` reports the error. */
  const figures = async (run: RunId): Promise<RunFigures | null> => {
    try {
      const { state } = await journal.load(run);
      return state.is === "ended" ? readFigures(state, await journal.events(run)) : null;
    } catch (error) {
      if (error instanceof ProblemError) return null;
      throw error;
    }
  };
  const remember = async (run: RunId): Promise<void> => {
    known.set(run, await figures(run));
    const [oldest] = known.keys();
    if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
  };
  return async (person, repository) => {
    const { rows } = await pool.query<{ run: RunId }>(ENDED, [person, repository, MAX_RUNS]);
    const runs = rows.map(({ run }) => run).toReversed();
    for (const run of runs) if (!known.has(run)) await remember(run);
    return toCharts(runs.flatMap((run) => known.get(run) ?? []));
  };
}

const ENDED = `select r.run from isdlc.run r join isdlc.member m on m.repository = r.repository and m.person = $1
  where r.rests = 'ended' and r.head_seq > 0 and r.moved_place is null and ($2::text is null or r.repository = $2)
  order by r.number desc limit $3`;
