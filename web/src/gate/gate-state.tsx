import type { GateView } from "../../../src/schema/api.ts";

/** Says what the decision bar cannot: that the run is paused, and that all redos are used. */
export function GateState({ gate }: { readonly gate: GateView }) {
  const { isPaused, phase, goBack } = gate;
  const isUsedUp = phase.redos > 0 && phase.redosLeft === 0;
  return (
    <>
      {isPaused ? (
        <div className="notice notice-warn" role="status">
          <strong>The run is paused for your edits</strong>
          <p>
            Edit the files in the working tree. To resume, choose Continue here, or run <code>isdlc continue</code> in a
            terminal. The checks run again before anything is accepted.
          </p>
        </div>
      ) : null}
      {isUsedUp ? (
        <p className="notice">
          All redos of this phase are used ({phase.redos} of {phase.redos}).{" "}
          {goBack === null
            ? "Continue, or pause and edit the files yourself."
            : "To have it changed, go back: your comments are sent with it."}
        </p>
      ) : null}
    </>
  );
}
