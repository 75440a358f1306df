// Loaded into a server or worker with --import: adds the hours in the file ISDLC_STORM_CLOCK to the wall clock of the
// process, as after a correction of the machine's clock. The monotonic clock continues.
import { readFileSync } from "node:fs";

const FILE = process.env["ISDLC_STORM_CLOCK"];
const EVERY_MS = 200;
const HOUR_MS = 3_600_000;
let shift = 0;

if (FILE !== undefined) {
  const read = () => {
    try {
      shift = Number(readFileSync(FILE, "utf8")) * HOUR_MS;
    } catch {
      shift = 0; // no file: not shifted
    }
  };
  read();
  setInterval(read, EVERY_MS).unref();
  const Real = Date;
  const now = () => Real.now() + shift;
  globalThis.Date = new Proxy(Real, {
    construct: (target, args, own) => Reflect.construct(target, args.length === 0 ? [now()] : args, own),
    apply: () => new Real(now()).toString(),
    get: (target, key) => (key === "now" ? now : Reflect.get(target, key)),
  });
}
