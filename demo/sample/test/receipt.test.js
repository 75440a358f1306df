import assert from "node:assert/strict";
import { test } from "node:test";
import { receipt } from "../src/receipt.js";

test("the receipt lists positions, subtotal, shipping and total", () => {
  const lines = [{ name: "Tea", unitCents: 450, quantity: 2 }];
  assert.equal(
    receipt({ lines }),
    [
      "2 x Tea                     9.00",
      "--------------------------------",
      "Subtotal                    9.00",
      "Shipping                    4.90",
      "Total                      13.90",
    ].join("\n"),
  );
});
