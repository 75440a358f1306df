const CENT = 0.01;

/** Formats dollars: `$1,234.50`. Less than a cent gets as many digits as needed. */
export function money(usd: number): string {
  if (usd > 0 && usd < CENT) return `$${Number(usd.toPrecision(2)).toFixed(4).replace(/0+$/, "")}`;
  const [whole = "0", cents = "00"] = usd.toFixed(2).split(".");
  return `$${whole.replaceAll(/\B(?=(?:[0-9]{3})+$)/g, ",")}.${cents}`;
}
