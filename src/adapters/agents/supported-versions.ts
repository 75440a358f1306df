type VersionRange = {
  readonly oldest: string;
  readonly newest: string;
};

/** Tested versions of each product. The suites install both ends. `isdlc doctor` warns about any other version. */
export const SUPPORTED_VERSIONS = {
  claude: { oldest: "2.1.197", newest: "2.1.327" }, // the oldest is the last one that npm installs on Node 20
  codex: { oldest: "0.169.0", newest: "0.169.0" },
  gemini: { oldest: "0.61.0", newest: "0.61.0" },
  opencode: { oldest: "1.18.33", newest: "1.18.33" },
} as const satisfies Readonly<Record<string, VersionRange>>;

/** Returns how an installed version differs from the tested ones; null if it is one of them, or unknown. */
export function describeUntestedVersion(product: string, reported: string): string | null {
  const ranges: Readonly<Record<string, VersionRange>> = SUPPORTED_VERSIONS;
  const range = Object.hasOwn(ranges, product) ? ranges[product] : undefined;
  const version = /\d+\.\d+\.\d+/.exec(reported)?.[0];
  if (range === undefined || version === undefined) return null;
  const { oldest, newest } = range;
  if (compareVersions(version, oldest) < 0) return `older than ${oldest}, the oldest tested version`;
  return compareVersions(version, newest) > 0 ? `newer than ${newest}, the newest tested version` : null;
}

function compareVersions(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.split(".").map(Number));
  const at = left?.findIndex((part, index) => part !== right?.[index]) ?? -1;
  return at === -1 ? 0 : (left?.[at] ?? 0) - (right?.[at] ?? 0);
}
