// Opens a terminal to imitate a person.
import { spawnSync } from "node:child_process";
import { note, play, program, scrubbed } from "./rogue.mjs";

const answer = [process.execPath, program, "continue", "--no-run"];
const python = "import os, pty, sys\nsys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";

function attempt(deed, argv) {
  const [file, ...args] = argv;
  const { stdout, stderr, status } = spawnSync(file, args, { env: scrubbed, encoding: "utf8", input: "" });
  note(deed, { code: status, said: `${stdout}${stderr}` });
}

await play({
  script: () => attempt("script", ["setsid", "--wait", "script", "-qec", answer.join(" "), "/dev/null"]),
  python: () => attempt("python", ["setsid", "--wait", "python3", "-c", python, ...answer]),
  reach: () =>
    attempt("reach", ["setsid", "--wait", "script", "-qec", "test -t 0 && test -t 1 && echo a terminal", "/dev/null"]),
});
