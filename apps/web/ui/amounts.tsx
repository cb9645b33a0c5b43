export interface Scored {
  mean: number | null;
  ci: readonly [number, number] | null;
  scored: number;
  errored: number;
}

/** "89.1 %" */
export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const bare = (share: number): string => (share * 100).toFixed(1);
export const count = (n: number): string => n.toLocaleString('en');

/** "89.1 % (80.4-95.9, n 55)": never a mean without its interval and the number of results behind it. */
export function scoreText({ mean, ci, scored }: Omit<Scored, 'errored'>): string {
  if (mean === null) return 'nothing scored';
  return `${percent(mean)} ${rangeText({ ci, scored })}`;
}

/** "(80.4-95.9, n 55)" */
export const rangeText = ({ ci, scored }: Pick<Scored, 'ci' | 'scored'>): string =>
  `(${ci ? `${bare(ci[0])}-${bare(ci[1])}, ` : ''}n ${count(scored)})`;

/** A score with its interval. Errored results are not part of a score; their number is shown next to it. */
export function Score({ errored, ...score }: Scored) {
  return (
    <span className="score">
      <span title="Mean, 95 % interval over cases, and the number of scored results">{scoreText(score)}</span>
      {errored > 0 && <span className="errored-count"> {count(errored)} errored</span>}
    </span>
  );
}

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
