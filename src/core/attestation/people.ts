import type { Signer } from "./signed-statement.ts";

/** Groups signers by person. Signers that share a name or a key, directly or through others, are one person. */
export function groupPeople(signers: readonly Signer[], known: readonly Signer[] = signers): Signer[][] {
  const groups = new Map<string, string>();
  const rootOf = (name: string): string => {
    const parent = groups.get(name);
    return parent === undefined || parent === name ? name : rootOf(parent);
  };
  for (const { signer, keyid } of [...known, ...signers]) groups.set(rootOf(`name ${signer}`), rootOf(`key ${keyid}`));
  const people = new Map<string, Signer[]>();
  for (const signer of signers) {
    const root = rootOf(`key ${signer.keyid}`);
    people.set(root, [...(people.get(root) ?? []), signer]);
  }
  return [...people.values()];
}
