import type { RunDetail } from "../../schema/api.ts";
import { detailOf } from "./look-at-run.ts";
import { type FoundRun, isDriven } from "./repository.ts";
import { sourceOf } from "./run-source.ts";
import type { Served } from "./served.ts";

/** A run, with what a driver that was started here ended with where the run did not go on. */
export async function toldOf({ drivers }: Pick<Served, "drivers">, found: FoundRun): Promise<RunDetail> {
  const detail = await detailOf(sourceOf(found), { place: found.place, isDriven: isDriven(found) });
  const trouble = drivers.troubleOf(found.run.run.run);
  return trouble === null ? detail : { ...detail, warnings: [...detail.warnings, trouble] };
}
