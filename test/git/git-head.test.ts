import { describe, expect, test } from "vitest";
import { readRef } from "../../src/adapters/git/read/git-head.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const REF = "refs/isdlc/run/one";

describe("readRef", () => {
  const rows: readonly { what: string; put: (commit: string) => void; is: "none" | "commit" | "for git to say" }[] = [
    { what: "a missing ref", put: () => undefined, is: "none" },
    { what: "a loose ref", put: (commit) => fixture.git("update-ref", REF, commit), is: "commit" },
    {
      what: "a packed ref",
      put: (commit) => {
        fixture.git("update-ref", REF, commit);
        fixture.git("pack-refs", "--all");
      },
      is: "commit",
    },
    {
      what: "a packed name that only ends like the ref",
      put: (commit) => {
        fixture.git("update-ref", `${REF}/${REF}`, commit);
        fixture.git("pack-refs", "--all");
      },
      is: "none",
    },
    { what: "a symbolic ref", put: () => fixture.git("symbolic-ref", REF, "refs/heads/main"), is: "for git to say" },
    {
      what: "a folder of refs",
      put: (commit) => fixture.git("update-ref", `${REF}/two`, commit),
      is: "for git to say",
    },
  ];
  test.each(rows)("returns for $what: $is", ({ put, is }) => {
    fixture.write("a", "1\n");
    const commit = fixture.commitAll("one");
    put(commit);
    expect(readRef(fixture.repo, REF)).toBe({ none: null, commit, "for git to say": undefined }[is]);
  });

  test("leaves a repository without commits to git", () => {
    expect(readRef(fixture.repo, REF)).toBeUndefined();
  });
});
