/** One task of `tasks.md`. */
export type Task = {
  readonly id: string;
  readonly title: string;
  readonly files: readonly string[];
  readonly needs: readonly string[];
  readonly serves: readonly string[];
};

export type TaskList = { readonly tasks: readonly Task[]; readonly problems: readonly string[] };

const TEXT_LIMIT = 500_000;
const TASK_LINE = /^- \[[ xX]\] (T[0-9]{1,4})\b[:.]?\s*(.*)$/;
const FIELD_LINE = /^\s+- (files|needs|serves):\s*(.*)$/i;

/**
 * Reads `tasks.md`: `- [ ] T1: title` with the indented fields `files`, `needs` and `serves`.
 * Each task has its own id, names at least one file and the requirement it serves, and needs only tasks that exist;
 * no task waits for itself through others.
 */
export function readTaskList(markdown: string): TaskList {
  const tasks = parseTasks(markdown.slice(0, TEXT_LIMIT).split(/\r?\n/));
  return {
    tasks,
    problems: [...emptiness(tasks), ...tasks.flatMap((task) => faultsOf(task, tasks)), ...cycles(tasks)],
  };
}

type Draft = { id: string; title: string; files: string[]; needs: string[]; serves: string[] };

function parseTasks(lines: readonly string[]): Draft[] {
  const tasks: Draft[] = [];
  for (const line of lines) {
    const [, id, title] = TASK_LINE.exec(line) ?? [];
    if (id !== undefined && title !== undefined)
      tasks.push({ id, title: title.trim(), files: [], needs: [], serves: [] });
    const [, name, value] = FIELD_LINE.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fieldOf(tasks.at(-1), name).push(...words(value));
  }
  return tasks;
}

function fieldOf(task: Draft | undefined, name: string): string[] {
  const field = name.toLowerCase();
  return task === undefined ? [] : field === "files" ? task.files : field === "needs" ? task.needs : task.serves;
}

const words = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim().replaceAll("`", ""))
    .filter((word) => word !== "" && !/^(?:none|-|–)$/i.test(word));

const emptiness = (tasks: readonly Task[]): string[] =>
  tasks.length === 0 ? ['There is no task. A task is a line "- [ ] T1: title".'] : [];

function faultsOf(task: Task, tasks: readonly Task[]): string[] {
  const known = new Set(tasks.map(({ id }) => id));
  const twins = tasks.filter(({ id }) => id === task.id).length;
  const missing = task.needs.filter((id) => !known.has(id));
  return [
    ...(task.title === "" ? [`${task.id} has no title.`] : []),
    ...(twins > 1 ? [`${task.id} stands ${twins} times.`] : []),
    ...(task.files.length === 0 ? [`${task.id} names no file (files: …).`] : []),
    ...(task.serves.length === 0 ? [`${task.id} does not say which requirement it serves (serves: …).`] : []),
    ...missing.map((id) => `${task.id} needs ${id}, which does not exist.`),
  ];
}

/** What is left when every task whose needs are met has been taken away goes round in circles. */
function cycles(tasks: readonly Task[]): string[] {
  const known = new Set(tasks.map(({ id }) => id));
  let left = [...tasks];
  for (;;) {
    const waiting = new Set(left.map(({ id }) => id));
    const stuck = left.filter(({ needs }) => needs.some((id) => waiting.has(id) && known.has(id)));
    if (stuck.length === 0) return [];
    if (stuck.length === left.length)
      return [`These tasks wait for each other: ${stuck.map(({ id }) => id).join(", ")}.`];
    left = stuck;
  }
}
