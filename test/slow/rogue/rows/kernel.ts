import { reached, type Rogue } from "../rogue.ts";

export const kernel: readonly Rogue[] = [
  {
    number: 20,
    does: "sets the program that the kernel starts after a crash (/proc/sys/kernel/core_pattern), as root",
    holds: "nothing protects the kernel from root; in a sandbox its settings are read-only, or the sandbox is not used",
    plain: "HOLE",
    strict: "refused",
    hostile: true,
    asRoot: true,
    async play(stage) {
      await stage.run({ agent: ["write-astray", "kernel"] });
      const [tried] = stage.evidence("kernel");
      reached(tried !== undefined, "the agent tried");
      return tried?.["isOpen"] === true ? "HOLE" : "refused";
    },
  },
];
