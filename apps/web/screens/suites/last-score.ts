import type { SuiteHead } from '#lib/contracts/suite';

const percent = (share: number): string => (share * 100).toFixed(1);

/** "89.1 % (80.4-95.9, n 55), 2 errored": never without its interval and the number of scored results. */
export function lastScore({ last_run: run }: Pick<SuiteHead, 'last_run'>): string {
  if (!run) return 'not run yet';
  if (!run.top) return run.status;
  const { overall, overall_ci: interval, scored, errored } = run.top;
  const errors = errored > 0 ? `, ${errored} errored` : '';
  if (overall === null) return `no score${errors}`;
  const range = interval ? `${percent(interval[0])}-${percent(interval[1])}, ` : '';
  return `${percent(overall)} % (${range}n ${scored})${errors}`;
}
