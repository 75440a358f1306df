import { parseArgs } from "node:util";
import { ALL_CODES as CODES } from "./all-codes.ts";
import { CARRIED, compareVerifiers, generateHistories } from "./run-histories.ts";

const MIN_REACHED = 20;

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "5000" },
    seed: { type: "string", default: "1" },
    reference: { type: "string", default: "test/attestation/forgeries/reference" },
  },
});
const { disagreements, reasons, accepted } = await compareVerifiers(
  generateHistories({ count: Number(values.count), seed: Number(values.seed) }),
  values.reference,
);
for (const [reason, count] of [...reasons].toSorted(([, one], [, other]) => other - one))
  console.log(`${String(count).padStart(6)}  ${reason}`);
const rare = [...CODES, CARRIED]
  .map((code) => [code, reasons.get(code) ?? 0] as const)
  .filter(([, count]) => count < MIN_REACHED);
console.log(`${values.count} histories, ${accepted} accepted, ${disagreements.length} disagreements`);
for (const one of disagreements.slice(0, 3)) console.log(JSON.stringify(one, null, 1));
for (const [reason, count] of rare) console.log(`reached too seldom: ${reason} (${count})`);
process.exitCode = disagreements.length === 0 && rare.length === 0 ? 0 : 1;
