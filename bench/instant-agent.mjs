// An agent that writes the expected files and answers at once. Logs its own CPU time and its driver's memory.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const TASKS = "# Tasks\n\n- [ ] T1: do it\n  - files: hours.txt\n  - needs: none\n  - serves: FR-001\n";

const [, , log] = process.argv;
const { role, phase, expects } = JSON.parse(readFileSync(0, "utf8"));
if (role === "phase")
  for (const path of expects.artifacts) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, path.endsWith("/tasks.md") ? TASKS : "# Done\n\nAt once.\n");
  }
if (role === "phase" && ["06-implementation", "implement"].includes(phase)) writeFileSync("hours.txt", "9 to 5\n");
const driver = residentMegabytes(process.ppid);
const result =
  role === "phase"
    ? { status: "done", summary: "Done at once", decisions: [], artifacts: [] }
    : { verdict: { approved: true, issues: [], summary: "fine" } };
process.stdout.write(`${JSON.stringify({ type: "result", ...result })}\n`);
const { user, system } = process.cpuUsage();
appendFileSync(log, `${JSON.stringify({ role, phase, cpu: (user + system) / 1000, driver })}\n`);

function residentMegabytes(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1000;
  } catch {
    return null;
  }
}
