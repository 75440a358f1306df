import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openTranscript } from "../../src/adapters/process/transcript.ts";

const folder = mkdtempSync(join(tmpdir(), "transcript-"));
afterAll(() => rmSync(folder, { recursive: true }));

const redact = (text: string): string => text.replaceAll("hunter22", "[secret]");

describe("transcript", () => {
  test("contains lines without secrets, readable only by its user [S11]", () => {
    const file = join(folder, "runs/one/first.log");
    const transcript = openTranscript(file, { limit: 1000, redact });
    transcript.write("the key is hunter22");
    transcript.write("done");
    transcript.close();
    transcript.write("after the end");
    expect(readFileSync(file, "utf8")).toBe("the key is [secret]\ndone\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(transcript.complete()).toBe(true);
  });

  test("marks where it was cut, even when opened again [S14]", () => {
    const file = join(folder, "long.log");
    for (let round = 0; round < 3; round += 1) {
      const transcript = openTranscript(file, { limit: 100, redact });
      for (let line = 0; line < 1000; line += 1) transcript.write("0123456789");
      expect(transcript.complete()).toBe(false);
      transcript.close();
    }
    const written = readFileSync(file, "utf8");
    expect(written.startsWith("0123456789\n".repeat(9) + "[cut")).toBe(true);
    expect(written.length).toBeLessThan(400);
  });

  test("is not written through a symbolic link", () => {
    const target = join(folder, "target");
    writeFileSync(target, "mine");
    symlinkSync(target, join(folder, "link.log"));
    expect(() => openTranscript(join(folder, "link.log"), { limit: 10, redact })).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ code: "UNSAFE_PATH" }) }),
    );
    expect(readFileSync(target, "utf8")).toBe("mine");
  });

  test("causes a problem at an impossible path", () => {
    expect(() => openTranscript(join(folder, "long.log/x.log"), { limit: 10, redact })).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ code: "UNSAFE_PATH" }) }),
    );
  });

  test("is not written to a device", () => {
    expect(() => openTranscript("/dev/null", { limit: 10, redact })).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ code: "UNSAFE_PATH" }) }),
    );
  });
});
