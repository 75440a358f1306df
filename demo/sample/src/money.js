/** 1234 becomes "12.34", -800 becomes "-8.00". */
export function formatCents(cents) {
  const sign = cents < 0 ? "-" : "";
  const amount = Math.abs(cents);
  return `${sign}${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, "0")}`;
}
