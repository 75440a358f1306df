import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createOperatorTokens } from "../adapters/identity/operator-token.ts";
import { systemCallers } from "../adapters/identity/system-callers.ts";
import { createCheckRunner } from "../adapters/checks/create-check-runner.ts";
import { systemLockProcesses } from "../adapters/journal/lock-files.ts";
import { ensureFolder, type FileSystem, nodeFiles } from "../adapters/files/file-system.ts";
import { createCodeHistory } from "../adapters/git/snapshot/git-distance.ts";
import { gitFolders } from "../adapters/git/process/working-trees.ts";
import { createGitRead } from "../adapters/git/read/git-read.ts";
import { createWorktrees } from "../adapters/git/create-worktrees.ts";
import { createGitWrite } from "../adapters/git/git-write.ts";
import { createReservedIds } from "../adapters/git/write/reserve-id.ts";
import { createItems } from "../adapters/project-files/create-items.ts";
import { createFileJournal } from "../adapters/journal/create-file-journal.ts";
import { createProjections } from "../adapters/files/create-projections.ts";
import { createPasskeyStore } from "../adapters/files/passkey-store.ts";
import { createTrustStore } from "../adapters/files/trust-store.ts";
import { createSettingsStore, type SettingsPlace } from "../adapters/files/user-settings.ts";
import { createWebhook } from "../adapters/remote/create-webhook.ts";
import type { Project } from "../app/project/project.ts";
import { decide } from "../core/decide/decide.ts";
import { OWN, OWN_FOLDER } from "../core/own-folder.ts";
import { ProblemError } from "../core/problem.ts";
import { createRedactor, listSecrets } from "../core/redact.ts";
import type { Journal, LocalJournal } from "../ports/journal.ts";
import { isSafeName } from "../schema/ids.ts";
import { noticeBody } from "../views/wait-notice.ts";
import { attestFinished } from "./attest-run.ts";
import { createWorkspace } from "./checks-of.ts";
import { composeEngine } from "./compose-engine.ts";
import { createDriverLock } from "../adapters/journal/file-lock.ts";
import {
  analysedItems,
  findProject,
  journalOptions,
  type ProjectLocation,
  systemClock,
  newRunId,
} from "./project-location.ts";
import { endProcesses } from "./see-project.ts";
import { createGitCaller, trustedGitPrograms } from "./trusted-git-programs.ts";
import { createWorkflows } from "./workflows.ts";
import type { Notifier } from "../ports/progress.ts";
import { systemAgents } from "./known-agents.ts";

/** A project with a working tree on this machine. Its journal may be elsewhere. */
export type PlacedProject<J extends Journal = Journal> = Omit<Project, "journal"> &
  ProjectLocation & { readonly journal: J };

/** A project with all of its files on this machine. */
export type LocalProject = PlacedProject<LocalJournal>;

/** Opens the working tree of a directory and connects each port to its adapter. */
export function openProject(cwd: string, env: NodeJS.ProcessEnv, files: FileSystem = nodeFiles): LocalProject {
  const place = findProject(cwd, env, files);
  return compose(place, null, openJournal(place, place.root));
}

/** Opens the same working tree for the analysis of one item, with a separate journal. */
export function itemProject({ root, files, folders, env }: ProjectLocation, folder: string): LocalProject {
  if (!isSafeName(folder))
    throw new ProblemError({ code: "UNSAFE_PATH", path: folder, detail: "it is not the name of an item" });
  const own = join(root, OWN_FOLDER, OWN.items, folder);
  for (const parent of [join(root, OWN_FOLDER), join(root, OWN_FOLDER, OWN.items), own]) ensureFolder(files, parent);
  const place = { root, own, files, folders, env };
  return compose(place, folder, openJournal(place, own));
}

/** Opens the working tree of a directory, for a run with its journal elsewhere. */
export const projectWith = (cwd: string, env: NodeJS.ProcessEnv, journal: Journal): PlacedProject =>
  compose(findProject(cwd, env), null, journal);

function openJournal(place: ProjectLocation, anchored: string): LocalJournal {
  return createFileJournal({ ...journalOptions(place, anchored), decide, processes: systemLockProcesses() });
}

/** Connects all adapters to the ports of the application. Each adapter is created on first use. */
function compose<J extends Journal>(place: ProjectLocation, item: string | null, journal: J): PlacedProject<J> {
  const { root, files, folders, env } = place;
  const calls: Pick<PlacedProject, "siblings" | "attest" | "engine" | "notifier"> = {
    notifier: () => createNotifier(project),
    siblings: () => listSiblings(project),
    attest: (ended) => attestFinished(project, ended),
    engine: (run, wanted) => composeEngine(project, run, wanted),
  };
  const tree = { root: item === null ? root : place.own, repository: findRepository(root) };
  const system: Pick<PlacedProject, "callers" | "clock" | "endAll" | "pause" | "newRunId" | "hash"> = {
    callers: systemCallers,
    clock: systemClock,
    endAll: endProcesses,
    pause: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => undefined), // aborted
    newRunId: () => newRunId(systemClock.now(), randomBytes),
    hash: (text) => createHash("sha256").update(text).digest("hex"),
  };
  const workspace: PlacedProject["workspace"] = (run) => createWorkspace(place, run);
  const makeFolder = (path: string): void => project.projections.makeFolder(path);
  const project: PlacedProject<J> = lazily(
    { ...place, item, journal, tree, workspace, ...system, ...calls },
    {
      projections: () => createProjections(root, files, item),
      driver: () => createDriverLock(place),
      tokens: () => createOperatorTokens(folders.config),
      passkeys: () => createPasskeyStore(folders.config, files),
      settings: () => createSettingsStore(settingsPlace(place), files),
      trust: () => createTrustStore(folders.state, root, files),
      gitTrust: () => trustedGitPrograms(project),
      agents: () => systemAgents(place),
      workflows: () => createWorkflows(project),
      history: () => createCodeHistory(root, env),
      items: () => createItems({ root, files, state: folders.state, clock: systemClock, makeFolder }),
      ids: () => createReservedIds(root, env),
      vcs: () => createGitRead(root, env),
      vcsWrite: () => createGitWrite(root, createGitCaller(project)),
      worktrees: () => createWorktrees(root, createGitCaller(project)),
      checks: () => createCheckRunner(root, { env, redact: createRedactor(listSecrets(env)) }),
    },
  );
  return project;
}

/** Creates the notifier from current settings, because a user may set it up with `isdlc config` during a run. */
function createNotifier({ settings }: PlacedProject): Notifier | null {
  const { webhook, "webhook-secret": secret = null, "webhook-form": form = "json" } = settings.readNow().settings;
  if (webhook === undefined) return null;
  return createWebhook({ url: webhook, secret, body: (notice) => noticeBody(notice, form) });
}

function listSiblings(project: PlacedProject): readonly LocalProject[] {
  const tree = project.item === null ? [] : [openProject(project.root, project.env, project.files)];
  const others = analysedItems(project).filter((name) => name !== project.item);
  return [...tree, ...others.map((name) => itemProject(project, name))];
}

const settingsPlace = ({ root, own, folders }: ProjectLocation): SettingsPlace => ({
  folder: folders.config,
  project: projectKey(root),
  ofRun: join(folders.state, `settings-${createHash("sha256").update(own).digest("hex").slice(0, 24)}.json`),
});

/** Key of the project in the user's settings. All working trees of a repository share it. */
const projectKey = (root: string): string => findRepository(root)?.replace(/[/\\]\.git$/, "") ?? root;

/** Returns the git folder shared by all working trees of the repository. Null if it does not exist or is a link. */
function findRepository(root: string): string | null {
  try {
    return gitFolders(root)?.common ?? null;
  } catch {
    return null;
  }
}

type Makers = Readonly<Record<string, () => unknown>>;
type Lazy<M extends Makers> = { readonly [K in keyof M]: ReturnType<M[K]> };

/** Adds properties that are created on first access, because most commands need few of the adapters. */
export function lazily<T extends object, M extends Makers>(target: T, makers: M): T & Lazy<M> {
  for (const [name, make] of Object.entries(makers)) {
    const get = (): unknown => {
      const value = make();
      Object.defineProperty(target, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(target, name, { get, enumerable: true, configurable: true });
  }
  return target as T & Lazy<M>; // every property was just added
}
