import { expect, test } from "vitest";
import { passkeyOrigin } from "../../../team/src/passkeys/passkey-origin.ts";

test.each([
  ["https://isdlc.example.org", true],
  ["https://isdlc.example.org:8443", true],
  ["http://localhost:7420", true],
  ["http://isdlc.example.org", false],
  ["https://192.0.2.7", false],
  ["https://[2001:db8::7]", false],
])("offers passkeys at %s: %s", (origin, isOffered) => {
  expect(passkeyOrigin({ origins: () => [origin] })).toBe(isOffered ? origin : null);
});
