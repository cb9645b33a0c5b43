/** What a quota bounds. Words are those of sentences: "the quota for pending jobs". */
interface QuotaEntry {
  /** The limit where nobody has set one. */
  most: number;
  words: string;
  means: string;
  isInBytes?: true;
}

const GIB = 2 ** 30;

/** The quotas of a team, in the order of lists. */
export const QUOTAS = {
  suites: { most: 1000, words: 'suites', means: 'Suites of the team.' },
  cases: { most: 1_000_000, words: 'cases', means: 'Cases of all suites together.' },
  suite_bytes: {
    most: 4 * GIB,
    words: 'bytes of suites',
    means: 'Bytes of cases, tools and texts of all suites together.',
    isInBytes: true,
  },
  providers: { most: 100, words: 'providers', means: 'Providers of the team.' },
  lanes: {
    most: 500,
    words: 'lanes',
    means: 'Lanes in use: one for each key at an origin, and one for each model with limits of its own.',
  },
  users: { most: 500, words: 'users', means: 'Members and service accounts; whoever was removed does not count.' },
  tokens: {
    most: 1000,
    words: 'tokens',
    means: 'Tokens of the team that have not ended, also those that members and `toolmark login` make.',
  },
  pending_jobs: { most: 1000, words: 'pending jobs', means: 'Jobs that wait for their turn.' },
  running_jobs: {
    most: 100,
    words: 'running jobs',
    means: 'Jobs that run at once. Further ones wait as `pending`, whatever the limit for each user.',
  },
  items_a_day: {
    most: 100_000_000,
    words: 'items a day',
    means: 'Items of all runs that were submitted, resumed or made by other jobs since midnight (UTC).',
  },
  stored_bytes: {
    most: 100 * GIB,
    words: 'stored bytes',
    means:
      'Bytes of results, rescores and stored replies of all runs, and of the versions of suites that they use, ' +
      'counted every minute.',
    isInBytes: true,
  },
} as const satisfies Record<string, QuotaEntry>;

export type QuotaName = keyof typeof QUOTAS;
export const QUOTA_NAMES = Object.keys(QUOTAS) as QuotaName[];

/** A limit, or what is used of it, for people: `1,000`, `4 GiB`. */
export function quotaFigure(name: QuotaName, figure: number): string {
  const units: [string, number][] = [['GiB', GIB], ['MiB', 2 ** 20], ['KiB', 2 ** 10]]; // prettier-ignore
  const isInBytes = 'isInBytes' in QUOTAS[name];
  const [unit, size] = (isInBytes && units.find(([, bytes]) => figure >= bytes)) || ['', 1];
  const text = (figure / size).toLocaleString('en-US', { maximumFractionDigits: size === 1 ? 0 : 1 });
  return unit ? `${text} ${unit}` : text;
}
