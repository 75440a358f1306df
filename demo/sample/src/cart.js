const SHIPPING_CENTS = 490;
const FREE_SHIPPING_FROM_CENTS = 5000;

/** What the goods cost, without shipping. */
export function subtotal({ lines }) {
  return lines.reduce((sum, line) => sum + line.unitCents * line.quantity, 0);
}

/** Nothing to send costs nothing to send. */
export function shipping(cart) {
  const goods = subtotal(cart);
  return goods === 0 || goods >= FREE_SHIPPING_FROM_CENTS ? 0 : SHIPPING_CENTS;
}

export function total(cart) {
  return subtotal(cart) + shipping(cart);
}
