import { fresh, isPerson, type Readers, ruleAtHand, unless } from "./journal-reading.ts";

export const sizing: Readers = {
  "sizing.decided": (reading, { by, effective, drop }) => {
    const asked = reading.wait === "sizing.asked";
    if (typeof by === "object") reading.wait = null;
    const { light, sizing: policy } = reading.options;
    const open = typeof by === "object" ? asked || reading.unmeasured : !asked;
    const agreed = { flag: light, options: !light && policy === "accept", engine: false };
    const later = reading.plan.slice(reading.index + 1);
    const droppable = later.filter((rule) => rule.whenLight === "drop").map((rule) => rule.key);
    const broken = [
      ...unless(
        open && (typeof by === "object" ? isPerson(by) : agreed[by]),
        "sizing always asks or follows an option",
      ),
      ...unless(reading.sizedAt === null, "the work is sized once"),
      ...unless(
        drop.every((key) => droppable.includes(key)) && (effective === "light" || drop.length === 0),
        "light drops only later phases marked for it, and standard none",
      ),
      ...unless(drop.length === 0 || reading.plan.length - drop.length >= 3, "at least three phases remain"),
    ];
    reading.unmeasured = false;
    reading.sizedAt = reading.index;
    for (const key of drop) reading.dropped.add(key);
    return broken;
  },
  "step.skipped": (reading, { from }) => {
    reading.unmeasured = from === "measure";
    return [];
  },
  "phase.left": (reading) =>
    unless(
      reading.sizedAt !== null || !ruleAtHand(reading).after.includes("sizing"),
      "the sizing phase ends only after the size is decided",
    ),
};

const REFINED_ONCE = "tasks are refined once for an accepted design";

export const refinement: Readers = {
  "after.started": (reading, { step }) => {
    reading.rejected = 0;
    return step === "refinement" ? unless(!reading.refined, REFINED_ONCE) : [];
  },
  "tasks.rejected": (reading, _event, following) => {
    reading.rejected += 1;
    const escalated = following?.type === "step.escalated" && following.reason === "invalid_tasks";
    return unless(escalated === reading.rejected >= 3, "the third invalid task list escalates, and none before");
  },
  "step.retried": (reading) => {
    reading.rejected = 0;
    return [];
  },
  "tasks.refined": (reading) => {
    const again = reading.refined;
    reading.refined = true;
    return unless(!again, REFINED_ONCE);
  },
  "phase.skipped": (reading) => {
    reading.skipped = true;
    return [];
  },
  "phase.left": (reading) => {
    const due = ruleAtHand(reading).after.includes("refinement") && !reading.skipped;
    return unless(reading.refined || !due, REFINED_ONCE);
  },
};

export const goingBack: Readers = {
  "phase.restarted": (reading) => {
    reading.attempt = { ...fresh };
    return [];
  },
  "run.wentBack": (reading, { to, by, tree }) => {
    const index = reading.plan.findIndex((rule) => rule.key === to);
    const reached = index !== -1 && index <= reading.index && !reading.dropped.has(to) && !reading.rewinding;
    Object.assign(reading, { index, attempt: { ...fresh }, due: false, continued: false, skipped: false });
    reading.rewinding = tree === "restore";
    if (reading.sizedAt !== null && reading.sizedAt >= index) {
      reading.sizedAt = null;
      reading.dropped.clear();
    }
    if (reading.plan.slice(index).some((rule) => rule.after.includes("refinement"))) reading.refined = false;
    return unless(reached && isPerson(by), "users return only to earlier phases of the run");
  },
  "run.rewound": (reading) => {
    const was = reading.rewinding;
    reading.rewinding = false;
    return unless(was, "files are restored only after a return");
  },
  "attempt.started": (reading) => unless(!reading.rewinding, "a phase starts only after the files are restored"),
  "phase.left": (reading) => {
    reading.skipped = false;
    return [];
  },
};
