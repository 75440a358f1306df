import type { ActingFile } from "../core/acting-files.ts";

/** Formats an acting file: `.envrc: your shell runs it`. */
export const actingLine = ({ path, why }: ActingFile): string => `${path}: ${why}`;
