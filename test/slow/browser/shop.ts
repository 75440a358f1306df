import { createSandbox, type Sandbox } from "../../support/cli.ts";

const CART = `export type Item = { name: string; price: number; count: number };

export function subtotal(items: readonly Item[]): number {
  let sum = 0;
  for (const item of items) sum += item.price * item.count;
  return sum;
}

export function total(items: readonly Item[], shipping: number): number {
  return subtotal(items) + shipping;
}
`;

const DISCOUNTED = `${CART.replace("subtotal(items) + shipping", "subtotal(items) - discount(items) + shipping")}
/** Percentage discount with a cap, both in cents. */
export function discount(items: readonly Item[], percent = 10, cap = 5000): number {
  const wanted = Math.round((subtotal(items) * percent) / 100);
  return Math.min(wanted, cap);
}
`;

const PLAN = `# Plan: percentage discount with a cap

A discount of a percentage is taken off the subtotal, up to a cap. Shipping is not discounted.

## Acceptance

- A subtotal of 100.00 with 10 % gives 90.00
- A subtotal of 2000.00 with 10 % gives 1950.00, as the cap is 50.00
- An empty cart costs only its shipping

## How

\`\`\`mermaid
flowchart LR
  cart[Cart] --> subtotal --> discount --> total
  shipping --> total
\`\`\`

| step | file | lines |
|---|---|---|
| compute | \`src/cart.ts\` | 6 |
| test | \`test/cart.test.ts\` | 20 |
`;

const tests = Array.from(
  { length: 30 },
  (_, at) => `test("a cart of ${at} items", () => {\n  expect(total(cart(${at}), 0)).toBe(${at * 90});\n});\n`,
).join("\n");

const finding = {
  severity: "note",
  description: "Say in the name that the cap is in cents.",
  location: "src/cart.ts:15",
};

/** Cost of each agent execution in dollars. */
export const USD_EACH = 0.15;

/** A small shop whose agent plans and builds a discount, and replies to comments. */
export async function createShop(): Promise<Sandbox> {
  const shop = await createSandbox({ files: { "src/cart.ts": CART } });
  shop.plan({
    always: {
      says: ["Reading src/cart.ts", "Looking for how totals are tested"],
      usage: { input: 12_000, output: 3_400, usd: USD_EACH },
    },
    turns: {
      plan: [
        {
          writes: { "{item}/plan.md": PLAN },
          result: { summary: "A capped discount", decisions: ["Shipping is not discounted"] },
        },
        {
          writes: { "{item}/plan.md": PLAN.replace("costs only its shipping", "costs nothing") },
          result: {
            summary: "A capped discount, with the empty cart settled",
            replies: [
              { id: "C1", did: "applied", text: "An empty cart costs nothing now." },
              { id: "C2", did: "kept", text: "The cap stays in cents, like all prices." },
            ],
          },
        },
      ],
      implement: [
        {
          writes: {
            "src/cart.ts": DISCOUNTED,
            "test/cart.test.ts": `import { expect, test } from "vitest";\n\n${tests}`,
          },
          result: { artifacts: ["src/cart.ts"] },
        },
        { writes: { "src/cart.ts": DISCOUNTED.replaceAll("cap", "limit") }, result: { artifacts: ["src/cart.ts"] } },
      ],
      "implement reviewer": [{ verdict: { approved: true, summary: "Good work", issues: [finding] } }],
    },
  });
  return shop;
}

export const TITLE = "Percentage discount with a cap";

/** The shop with a run at its first gate. */
export async function shopAtGate(): Promise<Sandbox> {
  const shop = await createShop();
  const { code, stderr } = await shop.script(TITLE, "--supervised", ...shop.agent);
  if (code !== 3) throw new Error(`the run is not at its gate: ${stderr}`);
  return shop;
}
