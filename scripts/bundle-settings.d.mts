import type { BuildOptions } from "esbuild";

export declare const bundleSettings: BuildOptions;
export declare const librarySettings: BuildOptions;
export declare const loadedLater: string[];
export declare const teamExternals: string[];
