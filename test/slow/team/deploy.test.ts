import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findVerb } from "../../../src/surfaces/cli/grammar/catalog.ts";

const folder = join(import.meta.dirname, "../../../team/deploy");
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

describe("deployment package", () => {
  test.for<[string, string]>([
    ["isdlc-server.service", "server"],
    ["isdlc-worker@.service", "worker"],
    ["compose.yaml", "server"],
  ])("uses only existing options in %s for isdlc %s", ([file, name]) => {
    const options = [...read(file).matchAll(/--([a-z-]+)(?=[ ",\]])/g)].map(([, option = ""]) => option);
    const known = Object.keys(findVerb(name)?.options ?? {});
    const foreign = new Set(["detach", "username", "now"]); // options of docker, pg_isready and systemctl
    const used = options.filter((option) => !foreign.has(option));
    expect(used.length).toBeGreaterThan(3);
    expect(used.filter((option) => !known.includes(option))).toEqual([]);
  });

  test("puts no secret into command lines", () => {
    for (const file of readdirSync(folder)) {
      const commands = read(file)
        .split("\n")
        .filter((line) => /^(?:ExecStart|ENTRYPOINT|\s+command:)/.test(line));
      expect(commands.join("\n")).not.toMatch(/ISDLC_\w*(?:DATABASE|TOKEN)|--token|--database|password/i);
    }
  });

  test("escapes the password and passes the database URL to the program", () => {
    const script = read("with-database.sh").replace("/run/secrets/database-password", "/dev/fd/3");
    const env = { PATH: process.env["PATH"] ?? "" };
    const shell = ["-c", `exec 3<<'END'\np@ss/word:%\nEND\n${script.split("\n").slice(2).join("\n")}`, "sh"];
    const said = execFileSync("sh", [...shell, "printenv", "ISDLC_DATABASE_URL"], { env, encoding: "utf8" });
    expect(said).toBe("postgresql://isdlc:p%40ss%2Fword%3A%25@database/isdlc\n");
  });
});
