import { ProblemError } from "../../../src/core/problem.ts";

/** Temporary failure of the git host: no answer, or a rejected push. A retry may succeed. */
export class GitHostError extends Error {}

/** Git output for failures that a retry does not fix. */
const PERMANENT =
  /authentication failed|permission denied|access denied|could not read (?:username|password)|(?:repository|project) not found|protected branch|non-fast-forward|fetch first|stale info/i;

const TRANSIENT = [
  /could not resolve|name resolution|connection (?:refused|reset|timed out|closed|was closed)|operation timed out|timed out after/i,
  /unable to connect|failed to connect|couldn't connect|network is (?:down|unreachable)|no route to host/i,
  /remote end hung up|early eof|unexpected disconnect|rpc failed|broken pipe|gnutls_handshake|ssl_error_syscall/i,
  /returned error: (?:429|5\d\d)|http 5\d\d|service unavailable|bad gateway|internal server error/i,
  /read-only|maintenance|temporarily|try again later|too many requests/i,
  /unable to create temporary object directory|unpacker error|remote unpack failed|remote: .*no space left on device/i,
  /no answer within|could not read from remote repository/i,
];

/** Returns true if the output of a fetch or push reports a temporary failure of the network or the host. */
export const isHostFailure = (output: string): boolean =>
  !PERMANENT.test(output) && TRANSIENT.some((pattern) => pattern.test(output));

/** Converts a problem of git with the remote to a GitHostError if it is temporary. Returns other errors unchanged. */
export const toHostError = (error: unknown): unknown =>
  error instanceof ProblemError && error.problem.code === "GIT_FAILED" && isHostFailure(error.problem.detail)
    ? new GitHostError(error.problem.detail, { cause: error })
    : error;
