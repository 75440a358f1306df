import { expect, test } from "vitest";
import { createSandbox, parsed } from "../support/cli.ts";

const FILE = "docs/isdlc/constitution.md";

test.concurrent("writes a starter constitution once, only with init --constitution", async () => {
  const sandbox = await createSandbox();
  expect(parsed(await sandbox.script("init", "--json")).wrote).toEqual([".isdlc/.gitignore"]);
  expect(parsed(await sandbox.script("init", "--constitution", "--json")).wrote).toEqual([FILE]);
  expect(sandbox.read(FILE)).toContain("## Article XV: Tool Preference");
  sandbox.write(FILE, "ours\n");
  const again = await sandbox.script("init", "--constitution");
  expect([again.code, again.stdout]).toMatchObject([0, expect.stringContaining("already exists and stays as it is")]);
  expect(sandbox.read(FILE)).toBe("ours\n");
});

test.concurrent("passes the articles of a phase to its reviewer, but not to its agent", async () => {
  const text = "# Ours\n## Article III: Safety\nNo shell.\n## Article XII: Elsewhere\nNot for this phase.\n";
  const sandbox = await createSandbox({ files: { [FILE]: text } });
  sandbox.plan({ turns: { implement: [{ writes: { [FILE]: "## Article III: Safety\nAnything goes.\n" } }] } });
  await sandbox.script("add a greeting", "--json", ...sandbox.agent);
  const [agent] = sandbox.log().filter(({ key }) => key === "implement");
  const [reviewer] = sandbox.log().filter(({ key }) => key === "implement reviewer");
  expect(reviewer?.prompt).toContain("Articles to judge by:\nI, II, III");
  expect(reviewer?.prompt).toContain("> ## Article III: Safety\n> No shell.");
  const [said = ""] = (reviewer?.prompt ?? "").split("The material to review is between");
  expect(said).not.toContain("Not for this phase");
  expect(said).not.toContain("Anything goes");
  expect(agent?.prompt).not.toContain("No shell");
});

test.concurrent("adds no article to any prompt without a constitution", async () => {
  const sandbox = await createSandbox();
  await sandbox.script("add a greeting", "--json", ...sandbox.agent);
  const prompts = sandbox.log().map(({ prompt }) => prompt);
  expect(sandbox.log().map(({ key }) => key)).toContain("implement reviewer");
  for (const prompt of prompts) expect(prompt).not.toMatch(/article|constitution|\bI, II\b/i);
});
