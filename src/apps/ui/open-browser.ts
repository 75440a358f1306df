import { spawn } from "node:child_process";

type Opener = { readonly program: string; readonly args: readonly string[] };

const OPENERS: { readonly [P in NodeJS.Platform]?: Opener } = {
  darwin: { program: "open", args: [] },
  win32: { program: "rundll32", args: ["url.dll,FileProtocolHandler"] },
  linux: { program: "xdg-open", args: [] },
};

/** Returns true if this machine can display a browser to the user. */
export function canOpenBrowser(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): boolean {
  if (isRemote(env)) return false;
  if (platform !== "linux") return OPENERS[platform] !== undefined;
  return (env["DISPLAY"] ?? "") !== "" || (env["WAYLAND_DISPLAY"] ?? "") !== "";
}

export const isRemote = (env: NodeJS.ProcessEnv): boolean => (env["SSH_CONNECTION"] ?? "") !== "";

/** Asks the system to open a link, without checking the result. */
export function openBrowser(link: string): void {
  const opener = OPENERS[process.platform];
  if (opener === undefined) return;
  const child = spawn(opener.program, [...opener.args, link], { stdio: "ignore", detached: true });
  child.on("error", () => undefined); // the link is printed, too
  child.unref();
}
