import { CatchBoundary } from "@tanstack/react-router";
import { type ReactNode, useCallback } from "react";

type BoundaryProps = {
  /** When it changes, drawing is tried again. */
  readonly resetKey: string;
  readonly instead: ReactNode;
  readonly children: ReactNode;
};

/** Keeps an error in one part of the page from taking the rest down, the decision above all. */
export function Boundary({ resetKey, instead, children }: BoundaryProps) {
  const errorComponent = useCallback(() => instead, [instead]);
  return (
    <CatchBoundary getResetKey={() => resetKey} errorComponent={errorComponent}>
      {children}
    </CatchBoundary>
  );
}

/** The same for a panel, which says what cannot be shown. */
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
