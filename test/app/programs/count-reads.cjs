// Loaded before the program: notes every file that is opened or read whole, one path a line.
const fs = require("node:fs");
const log = process.env.READS_LOG;
for (const name of ["openSync", "readFileSync"]) {
  const real = fs[name];
  fs[name] = (path, ...rest) => {
    if (typeof path === "string" && path !== log) fs.appendFileSync(log, `${name} ${path}\n`);
    return real.call(fs, path, ...rest);
  };
}
