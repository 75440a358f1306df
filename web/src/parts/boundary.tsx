import { CatchBoundary } from "@tanstack/react-router";
import { type ReactNode, useCallback } from "react";

type BoundaryProps = {
  /** A new value renders the content again after an error. */
  readonly resetKey: string;
  readonly instead: ReactNode;
  readonly children: ReactNode;
};

/** Limits an error to one part of the page: the rest stays usable, most importantly the decision. */
export function Boundary({ resetKey, instead, children }: BoundaryProps) {
  const errorComponent = useCallback(() => instead, [instead]);
  return (
    <CatchBoundary getResetKey={() => resetKey} errorComponent={errorComponent}>
      {children}
    </CatchBoundary>
  );
}

/** Limits an error to a panel, which names the missing content. */
export const PanelBoundary = ({ what, children }: { readonly what: string; readonly children: ReactNode }) => (
  <Boundary
    resetKey={what}
    instead={
      <p className="notice notice-bad" role="alert">
        {what} cannot be shown. Reload the page; if that does not help, use the terminal.
      </p>
    }
  >
    {children}
  </Boundary>
);
