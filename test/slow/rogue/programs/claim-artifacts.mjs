// Claims artifacts that it did not write.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { note, play } from "./rogue.mjs";

const due = (task) => task.expects.artifacts[0];
const claim = (deed, artifacts) => {
  note(deed, { artifacts });
  return { artifacts };
};

await play({
  missing: ({ item }) => claim("missing", [`${item}/never-written.md`]),
  outside: () => {
    writeFileSync("../outside.md", "real, but not here\n");
    return claim("outside", ["../outside.md", "/etc/passwd"]);
  },
  link: (task) => {
    rmSync(due(task));
    symlinkSync("/etc/passwd", due(task));
    return claim("link", [due(task)]);
  },
  empty: (task) => {
    writeFileSync(due(task), "");
    return claim("empty", [due(task)]);
  },
  unseen: (task) => {
    writeFileSync(due(task), "\u200b\u2060 \n\ufeff");
    return claim("unseen", [due(task)]);
  },
  folder: (task) => {
    rmSync(due(task));
    mkdirSync(due(task));
    return claim("folder", [due(task)]);
  },
  nothing: (task) => {
    rmSync(due(task));
    return claim("nothing", []);
  },
});
