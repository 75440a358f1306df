import { describe, expect, test } from "vitest";
import { forgeries, studio } from "./forgeries.ts";
import { passkeyForgeries } from "./passkey-forgeries.ts";
import { approved, passkeyEnvelope, signerLine, withGates } from "./passkeys.ts";

const { statement } = studio;
const [, second] = studio.made;

test("accepts the true statement", async () => {
  studio.note("true", await studio.sign(statement), second.commit);
  const { commits, refused } = await studio.verify("true");
  expect(commits.map(({ coverage }) => coverage.by)).toEqual(["state", "state"]);
  expect(refused).toEqual([]);
});

describe("passkey signatures verified with ssh-keygen and the list of signers", () => {
  const run = { run: statement.predicate.run, start: statement.predicate.git.start.commit };
  const signers = (...lines: string[]) =>
    studio.signers(`passkeys-${lines.length}`, `ada@example.org ${studio.keys.ada.public}`, ...lines);

  test("name the signer of each gate", async () => {
    studio.note("approved", await studio.sign(withGates(statement, (gate) => approved(run, gate))), second.commit);
    const { statements, refused } = await studio.verify("approved", {
      signers: signers(signerLine("ada@example.org")),
    });
    expect(refused).toEqual([]);
    expect(statements[0]?.gateSigners).toMatchObject([
      { phase: "plan", gate: 0, signer: "ada@example.org" },
      { phase: "implement", gate: 0, signer: "ada@example.org" },
    ]);
    const stranger = await studio.verify("approved", { signers: signers() });
    expect([stranger.statements.length, stranger.statements[0]?.gateSigners]).toEqual([1, []]);
  });

  test("accept a statement signed with a passkey instead of git's key", async () => {
    studio.note("by-passkey", passkeyEnvelope(statement), second.commit);
    const { commits, statements } = await studio.verify("by-passkey", {
      signers: signers(signerLine("ada@example.org")),
    });
    expect(commits.map(({ coverage }) => coverage.by)).toEqual(["state", "state"]);
    expect(statements[0]?.signers).toMatchObject([{ signer: "ada@example.org" }]);
  });
});

describe("forged statements", () => {
  const all = [...forgeries, ...passkeyForgeries];

  test("include more than 60 cases", () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(60);
  });

  test.for(all.map((forgery, index) => ({ ...forgery, ref: `forgery-${index}` })))(
    "cover nothing and report the reason: $name",
    async ({ line, why, signers, ref }) => {
      studio.note(ref, await line(), second.commit);
      const found = await studio.verify(ref, signers === undefined ? {} : { signers: signers() });
      expect(found.commits.map(({ coverage }) => coverage.by)).toEqual([null, null]);
      const reasons = found.violations.map(({ text }) => text);
      expect([...found.refused.map((refused) => refused.why), ...reasons].join("\n")).toMatch(why);
    },
  );
});
