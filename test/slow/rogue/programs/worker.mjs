// Does its work without an attack.
import { play, write } from "./rogue.mjs";

await play({
  work({ phase, role }) {
    if (role === "phase" && phase === "implement") write("work.mjs", "export const work = 1;\n");
    return {};
  },
});
