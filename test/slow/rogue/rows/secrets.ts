import { join } from "node:path";
import { type Outcome, reached, type Rogue, said } from "../rogue.ts";
import type { Stage } from "../stage.ts";

const LETTERS = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA3bC5dE7fG9hJ1kL3mN5pQ7rS9tU1v";
const some = (count: number): string => LETTERS.slice(0, count);

/** Shapes of well-known tokens, assembled here to keep complete tokens out of this file. */
const shaped: readonly string[] = [
  `sk-${some(48)}`,
  `sk-ant-api03-${some(40)}`,
  `sk_live_${some(24)}`,
  `rk_test_${some(24)}`,
  ...["o", "p", "r", "s", "u"].map((kind) => `gh${kind}_${some(36)}`),
  `github_pat_${some(50)}`,
  `glpat-${some(20)}`,
  `tvly-${some(24)}`,
  `AKIA${some(16).toUpperCase()}`,
  `ASIA${some(16).toUpperCase()}`,
  `AIza${some(35)}`,
  `xoxb-${some(30)}`,
  `npm_${some(36)}`,
  `hf_${some(34)}`,
  `isdlc_${some(43)}`,
  `eyJ${some(20)}.${some(30)}.${some(40)}`,
];
const address = `hunter2${some(12)}`;
const pem = [some(40), some(50)];

/** Values without a known shape. isdlc recognizes them by the names of their variables. */
const planted: Readonly<Record<string, string>> = {
  PLANTED_API_KEY: "correct-horse-battery",
  PLANTED_TOKEN: "staple/with+signs=and spaces",
  DATABASE_PASSWORD: "p4ssw0rd-of-the-database",
  AWS_CREDENTIALS: "quiet-credentials-here",
};

/** Printed texts that must not be found in any output. */
const printed = [
  ...shaped,
  `https://user:${address}@example.org/path`,
  `-----BEGIN RSA PRIVATE KEY-----\n${pem.join("\n")}\n-----END RSA PRIVATE KEY-----`,
  ...Object.values(planted),
  Buffer.from(planted["PLANTED_API_KEY"] ?? "").toString("base64"),
];
const secret = [...shaped, address, ...Object.values(planted), printed.at(-1) ?? ""];

const env = { ...planted, ROGUE_PRINTS: JSON.stringify(printed) };

async function keptNowhere(stage: Stage, outputs: readonly string[]): Promise<Outcome> {
  const folders = [join(stage.root, ".isdlc"), stage.config, stage.state];
  const looks = await Promise.all(
    [["gate"], ["status"], ["history"], ["history", "--json"], ["status", "--json"], ["gate", "--json"]].map((args) =>
      stage.script(...args),
    ),
  );
  const text = [...outputs, ...looks.map(said)].join("\n");
  reached(text.includes("[secret]"), "the output contained secrets");
  const found = secret.filter((value) => text.includes(value) || stage.filesWith(value, ...folders).length > 0);
  return found.length === 0 ? "ignored" : "HOLE";
}

const told = (deed: string, where: string, more: Pick<Rogue, "guest"> = {}): Rogue => ({
  ...more,
  number: 17,
  does: `prints ${printed.length} secrets in ${where}`,
  holds: "isdlc redacts secrets by shape and by the values of secret variables, in all its files and output",
  plain: "ignored",
  async play(stage) {
    const result = await stage.run({ agent: ["tell-secrets", deed], env });
    reached(stage.evidence(deed).length > 0, "the agent printed them");
    return keptNowhere(stage, [said(result)]);
  },
});

export const secrets: readonly Rogue[] = [
  told("everywhere", "progress, plain output, errors, summary and decisions"),
  told("failing", "the reason of its failure"),
  told("breaking", "its errors before it crashes", { guest: null }),
  told("asking", "its questions"),
  {
    number: 17,
    does: "searches its environment for variables of the user",
    holds: "an agent gets only the variables it needs, and others that the user allowed by name",
    plain: "ignored",
    guest: null,
    async play(stage) {
      await stage.run({ agent: ["tell-secrets", "looking"], env: { ...env, DATABASE_URL: "planted" } });
      const [looked] = stage.evidence("looking");
      reached(looked?.["names"].includes("ROGUE_PRINTS") === true, "the agent saw its variables");
      return looked?.["names"].includes("DATABASE_URL") === true ? "HOLE" : "ignored";
    },
  },
  {
    number: 17,
    does: "prints secrets in the tests",
    holds: "isdlc redacts secrets by shape and by the values of secret variables, in all its files and output",
    plain: "ignored",
    async play(stage) {
      stage.write("package.json", '{ "name": "sample", "scripts": { "test": "node run-tests.mjs" } }\n');
      stage.write(
        "run-tests.mjs",
        'import { existsSync } from "node:fs";\nfor (const line of JSON.parse(process.env.ROGUE_PRINTS)) console.log("not ok", line);\nprocess.exit(existsSync("work.mjs") ? 1 : 0);\n',
      );
      stage.git("add", "--all");
      stage.git("commit", "--quiet", "--message", "Tests that talk");
      await stage.person("trust", "--yes", "--allow", "env:ROGUE_PRINTS");
      const result = await stage.run({ args: ["Do it", "--tests", "trust"], env });
      reached((await stage.status()).waiting.reason === "circuit_breaker", "the tests failed");
      return keptNowhere(stage, [said(result)]);
    },
  },
];
