// Does its work and nothing else.
import { play } from "./rogue.mjs";

await play({ work: () => ({}) });
