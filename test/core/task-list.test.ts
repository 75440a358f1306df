import { describe, expect, test } from "vitest";
import { readTaskList } from "../../src/core/task-list.ts";

const task = (id: string, needs = "none"): string =>
  `- [ ] ${id}: Do ${id}\n  - files: \`src/${id}.ts\`, test/${id}.ts\n  - needs: ${needs}\n  - serves: REQ-1\n`;
const problemsOf = (text: string): readonly string[] => readTaskList(text).problems;

describe("task list", () => {
  test("reads files, dependencies and served requirements", () => {
    const text = `# Tasks\n\n${task("T1")}\n- [x] T2. Done\n  - Files: a.ts\n  - NEEDS: T1\n  - serves: REQ-1, REQ-2\n`;
    expect(readTaskList(text)).toEqual({
      tasks: [
        { id: "T1", title: "Do T1", files: ["src/T1.ts", "test/T1.ts"], needs: [], serves: ["REQ-1"] },
        { id: "T2", title: "Done", files: ["a.ts"], needs: ["T1"], serves: ["REQ-1", "REQ-2"] },
      ],
      problems: [],
    });
  });

  test("reads the same tasks with Windows line endings", () => {
    const text = task("T1") + task("T2", "T1");
    expect(readTaskList(text.replaceAll("\n", "\r\n"))).toEqual(readTaskList(text));
  });

  test.for<[string, string, string[]]>([
    ["nothing", "", ['There is no task. A task is a line "- [ ] T1: title".']],
    ["prose", "We shall see.\n- a list\n", ['There is no task. A task is a line "- [ ] T1: title".']],
    ["fields without a task", "  - files: a.ts\n", ['There is no task. A task is a line "- [ ] T1: title".']],
    ["a box without an id", `${task("T1")}- [ ] Tidy up\n`, ["This line has no id like T1: - [ ] Tidy up"]],
    [
      "an id that is too long",
      `${task("T1")}${task("T12345")}`,
      ["This line has no id like T1: - [ ] T12345: Do T12345"],
    ],
    ["a duplicate id", task("T1") + task("T1"), ["T1 appears 2 times."]],
    ["a missing title", task("T1").replace(" Do T1", ""), ["T1 has no title."]],
    ["a missing file", task("T1").replace("`src/T1.ts`, test/T1.ts", "none"), ["T1 names no file (files: …)."]],
    [
      "a missing requirement",
      task("T1").replace("REQ-1", "-"),
      ["T1 does not name the requirement it serves (serves: …)."],
    ],
    ["an unknown dependency", task("T1", "T9"), ["T1 needs T9, which does not exist."]],
    ["a task that depends on itself", task("T1", "T1"), ["These tasks wait for each other: T1."]],
    [
      "a cycle",
      task("T1", "T2") + task("T2", "T3") + task("T3", "T1"),
      ["These tasks wait for each other: T1, T2, T3."],
    ],
    [
      "a task that depends on a cycle",
      task("T1") + task("T2", "T1, T3") + task("T3", "T2") + task("T4", "T3"),
      ["These tasks wait for each other: T2, T3, T4."],
    ],
    ["a diamond without a cycle", task("T1", "T2, T3") + task("T2", "T4") + task("T3", "T4") + task("T4"), []],
  ])("is checked with %s", ([, text, problems]) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  test("limits the listed problems to 50 and counts the rest", () => {
    const problems = problemsOf(Array.from({ length: 200 }, (_, index) => `- [ ] T${index}\n`).join(""));
    expect(problems).toHaveLength(51);
    expect(problems.at(-1)).toBe("And 550 more.");
  });

  const many = (line: (index: number) => string, length = 5000): string =>
    Array.from({ length }, (_, index) => line(index)).join("");
  test.for<[string, string]>([
    ["a chain in reverse order", many((index) => task(`T${index}`, `T${index + 1}`), 2500)],
    ["one large cycle", many((index) => task(`T${index}`, `T${(index + 1) % 2500}`), 2500)],
    ["one id for all tasks", many(() => "- [ ] T1\n", 12_000)],
    [
      "dependencies on all other tasks",
      task(
        "T1",
        many((index) => `T${index},`, 15_000),
      ),
    ],
    ["a line of spaces", " ".repeat(100_000)],
    ["a line of boxes", "- [ ] ".repeat(17_000)],
    ["a long title", `- [ ] T1: ${" x".repeat(50_000)}`],
    ["commas", `- [ ] T1: x\n  - files: ${",".repeat(100_000)}`],
    ["five times the limit", many((index) => task(`T${index % 9999}`), 40_000)],
  ])("takes time proportional to its length: %s", ([, text]) => {
    const began = process.cpuUsage();
    readTaskList(text);
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});
