import { homedir } from "node:os";
import { join, relative } from "node:path";
import { pathDigests } from "../adapters/checks/surroundings-digests.ts";
import { testSurroundings } from "../adapters/checks/test-surroundings.ts";
import { tagIds } from "../adapters/git/read/tag-ids.ts";
import { actingReason } from "../core/changes/acting-files.ts";
import { OWN, ownPath } from "../core/own-folder.ts";
import { plainLine } from "../views/plain-text.ts";
import type { Traces } from "../ports/traces.ts";
import type { Workspace } from "../ports/workspace.ts";
import { digestMemory } from "./digest-memory.ts";
import type { PlacedProject } from "./project.ts";

/** Maximum number of ignored files to compare. */
const MAX_TRACED_FILES = 20_000;

/** Compares tags, ignored files and settings of the user with those that the user knows. */
export function createTraces(project: PlacedProject, run: string, workspace: Pick<Workspace, "ignored">): Traces {
  const known = digestMemory(project, run, "traces");
  const shown = digestMemory(project, run, "traces-shown");
  const current = async (): Promise<TraceState> => readState(project, await workspace.ignored());
  return {
    async accept() {
      known.write(shown.read() ?? known.read() ?? (await current()).digests);
    },
    async left() {
      const before = known.read();
      if (before === null) return [];
      const { digests, isWhole } = await current();
      shown.write(digests);
      const names = [...new Set([...Object.keys(before), ...Object.keys(digests)])];
      const changed = names.filter((name) => before[name] !== digests[name]);
      const lines = changed.map((name) => traceLine(name, { before: before[name], now: digests[name] }));
      const rest = isWhole ? [] : [`Of the files that git ignores, only the first ${MAX_TRACED_FILES} were compared`];
      return [...lines.toSorted(actingFirst).map(({ text }) => text), ...rest];
    },
  };
}

/** Digests by kind and name, as in `ignored .env`. */
type TraceState = { readonly digests: Readonly<Record<string, string>>; readonly isWhole: boolean };

async function readState(project: PlacedProject, ignored: readonly string[]): Promise<TraceState> {
  const { root, env } = project;
  const { others } = testSurroundings(root, ignored);
  const paths = others.toSorted((one, other) => Number(isQuiet(one)) - Number(isQuiet(other)));
  const files = pathDigests(root, paths, MAX_TRACED_FILES);
  const own = pathDigests("/", watchedFiles(project), MAX_TRACED_FILES);
  const home = env["HOME"] ?? homedir();
  return {
    digests: {
      ...prefixed("tag", await tagIds(root, env)),
      ...prefixed("ignored", files.digests),
      ...prefixed("isdlc", pathDigests(root, [ownPath(OWN.workflows)], 1).digests),
      ...Object.fromEntries(
        Object.entries(own.digests).map(([path, digest]) => [`user ${shortPath(path, home)}`, digest]),
      ),
    },
    isWhole: files.isWhole,
  };
}

const prefixed = (kind: string, digests: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(digests).map(([name, digest]) => [`${kind} ${name}`, digest]));

const isQuiet = (path: string): boolean => actingReason(path) === null && actingReason(`${path}/x`) === null;

const shortPath = (path: string, home: string): string => {
  const below = relative(home, `/${path}`);
  return below.startsWith("..") ? `/${path}` : `~/${below}`;
};

/** Lists the settings of isdlc and, if the user allows it, files that start programs at every login. */
function watchedFiles({ folders, env, settings }: PlacedProject): string[] {
  const home = env["HOME"] ?? homedir();
  const startup =
    settings.readNow().settings["watch-startup-files"] === "on" ? STARTUP.map((name) => join(home, name)) : [];
  return [join(folders.config, "config.json"), ...startup].map((path) => relative("/", path));
}

/** Files and folders in the home that shells, desktops and service managers run or read. */
const STARTUP: readonly string[] = [
  ...".profile .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .zshrc .zshenv .zprofile .zlogin".split(
    " ",
  ),
  ...".kshrc .cshrc .tcshrc .login .inputrc .xprofile .xinitrc .xsession .pam_environment .ssh/rc .ssh/config".split(
    " ",
  ),
  ...".config/fish/config.fish .config/fish/conf.d .config/environment.d .config/systemd/user".split(" "),
  ...".local/share/systemd/user .config/autostart Library/LaunchAgents".split(" "),
];

type TraceChange = { readonly before: string | undefined; readonly now: string | undefined };
type TraceLine = { readonly text: string; readonly isActing: boolean };

function traceLine(key: string, { before, now }: TraceChange): TraceLine {
  const kind = key.slice(0, key.indexOf(" "));
  const name = plainLine(key.slice(kind.length + 1));
  const verb = before === undefined ? "was added" : now === undefined ? "was deleted" : "was changed";
  const state = now === undefined ? verb : `${verb} (now ${now.slice(0, 8)})`;
  if (kind === "tag") return { text: `.git/refs/tags/${name} ${state}`, isActing: true };
  if (kind === "isdlc") return { text: `${name} ${state}: isdlc obeys it from the next run on`, isActing: true };
  if (kind === "user") return { text: `${name} ${state}: ${userEffect(name)}`, isActing: true };
  const why = actingReason(name) ?? actingReason(`${name}/x`);
  return { text: `${name}, which git ignores, ${state}${why === null ? "" : `: ${why}`}`, isActing: why !== null };
}

const userEffect = (name: string): string =>
  name.endsWith("/config.json") ? "settings of isdlc, not used by this run" : "runs when you log in or open a shell";

const actingFirst = (one: TraceLine, other: TraceLine): number => Number(other.isActing) - Number(one.isActing);

/** Used by runs without git. */
export const noTraces: Traces = { accept: () => Promise.resolve(), left: () => Promise.resolve([]) };
