type Description = { readonly what: string; readonly fix: string };

/** Problems of signing, exporting and verifying statements about runs. */
export type AttestationProblem =
  | { readonly code: "SIGNING_FAILED"; readonly detail: string }
  | { readonly code: "SIGNING_NOT_SET_UP"; readonly detail: string }
  | { readonly code: "NOTHING_TO_ATTEST"; readonly run: string; readonly detail: string }
  | { readonly code: "NOTHING_TO_COUNTERSIGN"; readonly named: string; readonly why: readonly string[] }
  | { readonly code: "ARCHIVE_INVALID"; readonly file: string; readonly detail: string }
  | { readonly code: "POLICY_INVALID"; readonly file: string; readonly detail: string }
  | { readonly code: "COMMITS_UNKNOWN"; readonly named: string }
  | { readonly code: "COMMITS_AMBIGUOUS"; readonly named: string; readonly refs: readonly string[] }
  | { readonly code: "COMMITS_EMPTY"; readonly named: string }
  | { readonly code: "RANGE_NEEDED"; readonly named: string; readonly detail: string }
  | { readonly code: "ADOPTION_UNCLEAR"; readonly detail: string }
  | { readonly code: "NOTHING_TO_ADOPT" }
  | { readonly code: "HISTORY_INCOMPLETE"; readonly detail: string };

type Descriptions = {
  readonly [C in AttestationProblem["code"]]: (
    problem: Extract<AttestationProblem, { readonly code: C }>,
  ) => Description;
};

export const attestationDescriptions: Descriptions = {
  SIGNING_FAILED: (p) => ({
    what: `No statement was signed: ${p.detail}.`,
    fix: 'Check that the key file exists or that your SSH agent has the key, then run "isdlc attest".',
  }),
  SIGNING_NOT_SET_UP: (p) => ({
    what: `Git is not set up to sign with an SSH key: ${p.detail}.`,
    fix: 'Run "git config --global gpg.format ssh" and "git config --global user.signingkey ~/.ssh/<key>.pub", then "isdlc attest"; or sign with a passkey in the page: isdlc ui.',
  }),
  NOTHING_TO_ATTEST: (p) => ({
    what: `There is no statement to make about run ${p.run}: ${p.detail}.`,
    fix: 'Run "isdlc history --all" to see the runs there are, and name one: isdlc attest <run>.',
  }),
  NOTHING_TO_COUNTERSIGN: (p) => ({
    what: `No trusted statement about ${p.named} was found${p.why.length === 0 ? "" : `: ${p.why.join(", ")}`}.`,
    fix: "Fetch them (git fetch origin refs/notes/isdlc:refs/notes/origin/isdlc), say whose keys count with --signers, and try again.",
  }),
  ARCHIVE_INVALID: (p) => ({
    what: `${p.file} cannot be trusted: ${p.detail}.`,
    fix: "Export it again where the run is: isdlc export <run>. Nothing was imported.",
  }),
  POLICY_INVALID: (p) => ({
    what: `The policy ${p.file} is invalid: ${p.detail}.`,
    fix: "Fix the file; docs/attestation.md has every rule. Nothing was verified.",
  }),
  COMMITS_UNKNOWN: (p) => ({
    what: `Git finds no commits for ${p.named}.`,
    fix: "Name a range (main..topic), a branch or a commit; in a shallow clone, fetch the commits first.",
  }),
  COMMITS_AMBIGUOUS: (p) => ({
    what: `The name ${p.named} is ambiguous: ${p.refs.join(", ")}.`,
    fix: `Use the full name of the ref, such as ${p.refs.find((ref) => ref.startsWith("refs/heads/")) ?? p.refs[0] ?? "refs/heads/main"}, or a commit id. Nothing was verified.`,
  }),
  COMMITS_EMPTY: (p) => ({
    what: `${p.named} contains no commits, so nothing was verified.`,
    fix: "Check the order of the range: <base>..<head>. To accept an empty range: --allow-empty.",
  }),
  RANGE_NEEDED: (p) => ({
    what: `Which commits of ${p.named} to verify is unknown: ${p.detail}.`,
    fix: `Name the range: isdlc verify <base>..${p.named}`,
  }),
  ADOPTION_UNCLEAR: (p) => ({
    what: `Cannot tell which work to adopt: ${p.detail}.`,
    fix: "Name the commit before the work: isdlc adopt <commit>, or a range: isdlc adopt <from>..<to>.",
  }),
  NOTHING_TO_ADOPT: () => ({
    what: "There is nothing to adopt: no commit since the main branch, and no uncommitted change.",
    fix: "Switch to the branch with the work, or name the commit before it: isdlc adopt <commit>.",
  }),
  HISTORY_INCOMPLETE: (p) => ({
    what: `The history here is incomplete: ${p.detail}.`,
    fix: "Fetch all of it: git fetch --unshallow. On a build server, check out with the full depth. Nothing was verified.",
  }),
};
