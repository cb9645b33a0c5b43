const SMALLEST = 0.0001;

/** "$0.0042", "$12.30": four decimals below a dollar, two above. */
export function money(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < SMALLEST) return `< $${SMALLEST}`;
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

/** An amount; unknown if the model has no prices. */
export function Money({ usd }: { usd: number | null }) {
  if (usd === null) return <span className="muted">no price</span>;
  return <span title={`${usd} US dollars`}>{money(usd)}</span>;
}
