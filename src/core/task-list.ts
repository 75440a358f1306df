/** One task of `tasks.md`. */
export type Task = {
  readonly id: string;
  readonly title: string;
  readonly files: readonly string[];
  readonly needs: readonly string[];
  readonly serves: readonly string[];
};

export type TaskList = { readonly tasks: readonly Task[]; readonly problems: readonly string[] };

const MAX_TASK_LIST_LENGTH = 500_000;
/** Further problems are only counted. */
const MAX_PROBLEMS = 50;
const TASK_LINE = /^- \[[ xX]\] (T[0-9]{1,4})\b[:.]?\s*(.*)$/;
const BOX_LINE = /^- \[[ xX]\]/;
const FIELD_LINE = /^\s+- (files|needs|serves):\s*(.*)$/i;

/**
 * Reads `tasks.md`: `- [ ] T1: title` with indented fields `files`, `needs` and `serves`. Each task has a unique id,
 * names at least one file and the requirement it serves, and needs only existing tasks. The needs have no cycles.
 */
export function readTaskList(markdown: string): TaskList {
  const lines = markdown.slice(0, MAX_TASK_LIST_LENGTH).split(/\r?\n/);
  const tasks = parseTasks(lines);
  const problems = [...emptiness(tasks), ...nameless(lines), ...faults(tasks), ...cycles(tasks)];
  const more = problems.length - MAX_PROBLEMS;
  return { tasks, problems: more > 0 ? [...problems.slice(0, MAX_PROBLEMS), `And ${more} more.`] : problems };
}

type TaskDraft = { id: string; title: string; files: string[]; needs: string[]; serves: string[] };

function parseTasks(lines: readonly string[]): TaskDraft[] {
  const tasks: TaskDraft[] = [];
  for (const line of lines) {
    const [, id, title] = TASK_LINE.exec(line) ?? [];
    if (id !== undefined && title !== undefined)
      tasks.push({ id, title: title.trim(), files: [], needs: [], serves: [] });
    const [, name, value] = FIELD_LINE.exec(line) ?? [];
    if (name !== undefined && value !== undefined) readField(tasks.at(-1), name).push(...words(value));
  }
  return tasks;
}

function readField(task: TaskDraft | undefined, name: string): string[] {
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

const nameless = (lines: readonly string[]): string[] =>
  lines
    .filter((line) => BOX_LINE.test(line) && !TASK_LINE.test(line))
    .map((line) => `This line has no id like T1: ${line.slice(0, 80)}`);

function faults(tasks: readonly Task[]): string[] {
  const times = new Map<string, number>();
  for (const { id } of tasks) times.set(id, (times.get(id) ?? 0) + 1);
  const twins = [...times].filter(([, count]) => count > 1).map(([id, count]) => `${id} appears ${count} times.`);
  return [...twins, ...tasks.flatMap((task) => findFaults(task, times))];
}

function findFaults(task: Task, known: ReadonlyMap<string, number>): string[] {
  const missing = task.needs.filter((id) => !known.has(id));
  return [
    ...(task.title === "" ? [`${task.id} has no title.`] : []),
    ...(task.files.length === 0 ? [`${task.id} names no file (files: …).`] : []),
    ...(task.serves.length === 0 ? [`${task.id} does not name the requirement it serves (serves: …).`] : []),
    ...missing.map((id) => `${task.id} needs ${id.slice(0, 80)}, which does not exist.`),
  ];
}

/** Removes each task whose needs are met, repeatedly. The remaining tasks form cycles. */
function cycles(tasks: readonly Task[]): string[] {
  const needs = needsById(tasks);
  const neededBy = new Map<string, string[]>();
  for (const [id, wanted] of needs) {
    for (const need of wanted) {
      const waiting = neededBy.get(need) ?? [];
      waiting.push(id);
      neededBy.set(need, waiting);
    }
  }
  const free = [...needs].filter(([, wanted]) => wanted.size === 0).map(([id]) => id);
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    needs.delete(id);
    for (const waiting of neededBy.get(id) ?? []) {
      const wanted = needs.get(waiting);
      wanted?.delete(id);
      if (wanted?.size === 0) free.push(waiting);
    }
  }
  return needs.size === 0 ? [] : [`These tasks wait for each other: ${[...needs.keys()].join(", ")}.`];
}

/** Returns existing needs by task; tasks with the same id are combined. */
function needsById(tasks: readonly Task[]): Map<string, Set<string>> {
  const needs = new Map<string, Set<string>>(tasks.map(({ id }) => [id, new Set()]));
  for (const task of tasks) for (const need of task.needs) if (needs.has(need)) needs.get(task.id)?.add(need);
  return needs;
}
