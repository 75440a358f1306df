// Prints the unpacked size of a folder's package and its largest files. Fails above the limit.
import { execFileSync } from "node:child_process";

const MOST = 10e6; // bytes
const MOST_NAMED = 5;

const listing = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
  cwd: process.argv[2] ?? ".",
  encoding: "utf8",
  stdio: ["ignore", "pipe", "ignore"],
});
const [{ unpackedSize, files }] = JSON.parse(listing);
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
console.log(`${megabytes(unpackedSize)} unpacked, ${megabytes(MOST)} at most. The largest files:`);
const largest = files.toSorted((one, other) => other.size - one.size).slice(0, MOST_NAMED);
for (const { path, size } of largest) console.log(`  ${megabytes(size)}  ${path}`);
process.exitCode = unpackedSize <= MOST ? 0 : 1;
