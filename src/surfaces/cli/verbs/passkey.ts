import { currentRun, record } from "../../../app/project/current-run.ts";
import { settingsUnreadable } from "../../../app/authorize/authorize.ts";
import { sshKeyLine } from "../../../adapters/identity/ssh-form.ts";
import { openProject, type LocalProject } from "../../../compose/project.ts";
import { ProblemError } from "../../../core/problem.ts";
import { localTime } from "../../../views/local-time.ts";
import { done, type Invocation, type Result, type Run, text } from "../invocation/verb.ts";
import { identifyPerson } from "../invocation/caller.ts";

/** Adds, lists and removes the passkeys that sign decisions. */
export const passkey: Run = async (invocation) => {
  const [action = "list", named] = invocation.words;
  if (action === "add") return (require("./ui.cjs") as { addPasskey: Run }).addPasskey(invocation); // built into the same folder
  const project = openProject(invocation.cwd, invocation.env);
  if (action === "list") return list(project);
  if (action !== "remove" || named === undefined)
    throw new ProblemError({
      code: "USAGE",
      detail: "Name an action and a passkey.",
      usage: invocation.verb.usage,
    });
  return remove(invocation, project, named);
};

function list({ passkeys }: LocalProject): Result {
  const known = passkeys.list().map((key) => {
    const { id, name, createdAt } = key;
    return { id, name, createdAt, signer: sshKeyLine(key) };
  });
  const lines = known.flatMap(({ id, name, createdAt, signer }) => [
    `${name}  ${id}  ${localTime(createdAt, "minutes")}`,
    `  ${signer === null ? "its signatures are verified here only: it is not an ES256 key" : `for a list of signers: ${signer}`}`,
  ]);
  return done(lines.length === 0 ? ["No passkey is registered: isdlc passkey add"] : lines, { passkeys: known });
}

/**
 * Removes a passkey, for example a lost one. If the open run requires it, the journal records the removal with its
 * reason.
 */
async function remove(invocation: Invocation, project: LocalProject, named: string): Promise<Result> {
  const reason = readReason(invocation);
  const { state } = await currentRun(project);
  const by = await identifyPerson(invocation, project, state);
  const { id, name } = project.passkeys.list().find((one) => one.id === named || one.name === named) ?? {
    id: named,
    name: null,
  };
  const isDemanded = state.is === "active" && (state.run.passkeys ?? []).some((one) => one.id === id);
  if (name === null && !isDemanded)
    throw new ProblemError({ code: "USAGE", detail: `No passkey is called "${named}".`, usage: "isdlc passkey list" });
  if (isDemanded) await record(project, state.run.run, { do: "removePasskey", passkey: id, reason, by });
  project.passkeys.remove(id);
  return done([...removedLines(name ?? id, isDemanded), ...openApprovals(project)], { removed: id });
}

function readReason({ values, verb }: Invocation): string {
  const reason = text(values, "reason")?.trim() ?? "";
  if (reason !== "") return reason;
  throw new ProblemError({ code: "USAGE", detail: "Give the reason for the removal.", usage: verb.usage });
}

const removedLines = (name: string, isDemanded: boolean): string[] => [
  `Removed "${name}".`,
  ...(isDemanded ? ["The open run no longer requires it; its journal records this."] : []),
];

/** After the last passkey is removed, removes the requirement from the setting too: otherwise no user could answer. */
function openApprovals({ settings, passkeys }: LocalProject): string[] {
  const { settings: own, found } = settings.read();
  if (passkeys.list().length > 0 || own.approvals?.includes("passkey") !== true) return [];
  if (found === null) throw new ProblemError(settingsUnreadable({ settings }));
  const { approvals: _before, ...others } = found;
  const left = own.approvals.filter((channel) => channel !== "passkey");
  settings.write(left.length === 0 ? others : { ...others, approvals: left });
  return [`It was the last one: the setting "approvals" asks for none any more.`];
}
