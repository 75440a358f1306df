import assert from "node:assert/strict";
import { test } from "node:test";
import { shipping, subtotal, total } from "../src/cart.js";

const cartOf = (...prices) => ({ lines: prices.map((unitCents) => ({ name: "Tea", unitCents, quantity: 1 })) });

test("the subtotal counts every line as often as it was bought", () => {
  const lines = [
    { name: "Tea", unitCents: 450, quantity: 2 },
    { name: "Cup", unitCents: 1200, quantity: 1 },
  ];
  assert.equal(subtotal({ lines }), 2100);
});

for (const [goods, expected] of [
  [0, 0],
  [1, 490],
  [4999, 490],
  [5000, 0],
]) {
  test(`shipping for goods of ${goods} is ${expected}`, () => assert.equal(shipping(cartOf(goods)), expected));
}

test("the total is goods and shipping", () => assert.equal(total(cartOf(900)), 1390));
