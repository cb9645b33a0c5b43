const SMALLEST = 0.0001;

/** "$0.0042", "$12.30": four digits below a dollar, two from there. */
export function money(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < SMALLEST) return `< $${SMALLEST}`;
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

/** An amount; without prices of the model nobody knows it. */
export function Money({ usd }: { usd: number | null }) {
  if (usd === null) return <span className="muted">no price</span>;
  return <span title={`${usd} US dollars`}>{money(usd)}</span>;
}
