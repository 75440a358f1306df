import type { RunDetail } from "../../schema/api.ts";
import { readRunDetail } from "./look-at-run.ts";
import { type FoundRun, isDriven } from "./repository.ts";
import { toRunSource } from "./run-source.ts";
import type { ServerContext } from "./served.ts";

/** Returns a run. If a driver started here failed, its error is added as a warning. */
export async function readToldRun({ drivers }: Pick<ServerContext, "drivers">, found: FoundRun): Promise<RunDetail> {
  const detail = await readRunDetail(toRunSource(found), { place: found.place, isDriven: isDriven(found) });
  const trouble = drivers.troubleOf(found.run.run.run);
  return trouble === null ? detail : { ...detail, warnings: [...detail.warnings, trouble] };
}
