/** Bugs in the content of the web UI, and in the access control of its server. */
export const mutantsOfUi = [
  {
    bug: "a file whose patch is cut looks complete",
    file: "src/views/page/diff-files.ts",
    find: "isCut: shown !== hunks,",
    put: "isCut: false,",
    test: "test/views/page.test.ts",
  },
  {
    bug: "a no-break space in a diff looks like a space",
    file: "src/views/visible-change.ts",
    find: ".replaceAll(SPACES, mark)",
    put: "",
    test: "test/views/visible-change.test.ts",
  },
  {
    bug: "two files in an older encoding look the same in a diff",
    file: "src/adapters/git/snapshot/patch-text.ts",
    find: "if (isUtf8(patch)) return",
    put: "if (patch.length > 0) return",
    test: "test/views/visible-change.test.ts",
  },
  {
    bug: "connections of strangers keep a browser from the page",
    file: "src/surfaces/web-ui/listen.ts",
    find: "[...open].find((one) => !withSession.has(one)) ?? socket",
    put: "socket",
    test: "test/ui/connections.test.ts",
  },
  {
    bug: "a comment moves to the nearest equal line instead of the one between the same lines",
    file: "web/src/gate/anchor.ts",
    find: "return (isBefore ? 1 : 0) + (isAfter ? 1 : 0);",
    put: "return 0;",
    test: "test/ui/anchor.test.ts",
  },
  {
    bug: "a failure in the user's settings is an error of the server",
    file: "src/surfaces/web-ui/create-app.ts",
    find: '=== "LOCK_BUSY" ? 409 : 422',
    put: '=== "LOCK_BUSY" ? 409 : 500',
    test: "test/ui/settings.test.ts",
  },
];
