// Runs a program in a network namespace with only a loopback device. Connections to 127.0.0.1:<port> are forwarded to
// a Unix socket outside; all others fail.
// Usage: unshare -n node loopback-only.mjs <socket> <port> <program> [arguments]
import { execFileSync, spawn } from "node:child_process";
import { connect, createServer } from "node:net";

const [socket, port, program, ...args] = process.argv.slice(2);
execFileSync("ip", ["link", "set", "lo", "up"]);

const server = createServer((inside) => {
  const outside = connect(socket);
  inside.pipe(outside).pipe(inside);
  inside.on("error", () => undefined).on("close", () => outside.destroy());
  outside.on("error", () => undefined).on("close", () => inside.destroy());
});

server.listen(Number(port), "127.0.0.1", () => {
  const child = spawn(program, args, { stdio: "inherit" });
  child.on("error", (error) => {
    console.error(error.message);
    process.exit(127);
  });
  child.on("exit", (code, signal) => {
    if (signal !== null) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
});
