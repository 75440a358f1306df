import { shipping, subtotal, total } from "./cart.js";
import { formatCents } from "./money.js";

const WIDTH = 32;

/** The receipt as text, one line per position. */
export function receipt(cart) {
  const positions = cart.lines.map((line) => row(`${line.quantity} x ${line.name}`, line.unitCents * line.quantity));
  return [
    ...positions,
    "-".repeat(WIDTH),
    row("Subtotal", subtotal(cart)),
    row("Shipping", shipping(cart)),
    row("Total", total(cart)),
  ].join("\n");
}

function row(label, cents) {
  const amount = formatCents(cents);
  return label.padEnd(WIDTH - amount.length) + amount;
}
