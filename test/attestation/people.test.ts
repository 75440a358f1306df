import { expect, test } from "vitest";
import { groupPeople } from "../../src/core/attestation/policy.ts";

const ADA = { signer: "ada@example.org", keyid: "SHA256:ada" };
const BEN = { signer: "ben@example.org", keyid: "SHA256:ben" };
const EVE = { signer: "eve@example.org", keyid: "SHA256:eve" };

test("counts signers with a common name or key as one person, also indirectly", () => {
  const both = { signer: ADA.signer, keyid: BEN.keyid };
  expect(groupPeople([ADA, BEN, EVE])).toHaveLength(3);
  expect(groupPeople([ADA, BEN, EVE], [both])).toHaveLength(2);
  expect(groupPeople([ADA, BEN, both, { ...EVE, keyid: ADA.keyid }])).toHaveLength(1);
});
