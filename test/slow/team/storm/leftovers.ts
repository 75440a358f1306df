import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { StormPlace } from "./storm-place.ts";

/** Processes, locks, working trees and folders that exist although all workers and servers have stopped. */
export function findLeftovers({ team, data, disks, workers, killedServers }: StormPlace): readonly string[] {
  const outside = (path: string): string => disks?.outside(path) ?? path;
  const perWorker = workers.flatMap(({ name }) => {
    const folder = outside(join(data, name));
    return [...leftTrees(join(folder, "trees")), ...leftFiles(folder)];
  });
  const isUnexpected = (path: string): boolean =>
    !killedServers.some((pid) => path.includes(`/refs/fetched/${pid}-`) || path.includes(`/incoming/${pid}-`));
  return [
    ...leftProcesses(team.ada.env["HOME"] ?? ""),
    ...perWorker,
    ...leftFiles(team.ada.state).filter(isUnexpected),
  ];
}

/** Spare trees are kept on purpose. */
function leftTrees(folder: string): readonly string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name !== "spare").map((name) => join(folder, name));
}

const LEFT_FILE = /(?:\.lock|\/probe|\/plain-[^/]+|\/refs\/fetched\/.*)$/;

const leftFiles = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true, encoding: "utf8" })
        .filter((entry) => entry.isFile() || entry.name.startsWith("plain-"))
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => LEFT_FILE.test(path))
    : [];

/** Processes are recognized by the home folder in their environment. */
function leftProcesses(home: string): readonly string[] {
  const mark = `HOME=${home}\0`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const isOurs = readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        return isOurs && command !== "" ? [`process ${pid} ${command}`] : []; // a zombie has no command
      } catch {
        return []; // ended meanwhile, or of another user
      }
    });
}
