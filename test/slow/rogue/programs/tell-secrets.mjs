// Prints every secret to every output that might be stored.
import { note, play, say } from "./rogue.mjs";

const secrets = JSON.parse(process.env.ROGUE_PRINTS);
const all = secrets.join("\n");

await play({
  everywhere: () => {
    for (const secret of secrets) {
      say({ type: "progress", text: `found ${secret}` });
      process.stdout.write(`plain ${secret}\n`);
      process.stderr.write(`error: ${secret}\n`);
    }
    note("everywhere", { count: secrets.length });
    return { summary: all, decisions: secrets };
  },
  looking: () => note("looking", { names: Object.keys(process.env) }),
  failing: () => {
    process.stderr.write(`${all}\n`);
    note("failing");
    return { status: "failed", summary: all };
  },
  breaking: () => {
    process.stderr.write(`${all}\n`);
    note("breaking");
    process.exitCode = 4;
    return null;
  },
  asking: () => {
    note("asking");
    return {
      status: "needs_input",
      questions: secrets.map((text, index) => ({ id: `q${index}`, text, choices: [text] })),
    };
  },
});
