import { QUOTAS, type QuotaName } from '#lib/contracts/values/quotas';

const WORDS: Record<QuotaName, string> = {
  suites: 'Suites',
  cases: 'Cases in all suites',
  suite_bytes: 'Size of all suites',
  providers: 'Providers',
  lanes: 'Lanes',
  users: 'People and service accounts',
  tokens: 'Tokens',
  pending_jobs: 'Waiting jobs',
  running_jobs: 'Running jobs',
  items_a_day: 'Items today (UTC)',
  stored_bytes: 'Stored results',
};

/** What is limited, and what counts. A later release may limit more. */
export const quotaWords = (name: QuotaName): string => WORDS[name] ?? name;
export const quotaMeans = (name: QuotaName): string => QUOTAS[name]?.means ?? '';
export const isBytes = (name: QuotaName): boolean => 'isInBytes' in (QUOTAS[name] ?? {});

/** From this share of a limit on, it is near. */
const NEAR = 0.8;

export interface Use {
  limit: number;
  /** Null: of all teams. */
  used: number | null;
}
export type Nearness = 'reached' | 'near' | 'far';
export function nearness({ limit, used }: Use): Nearness {
  if (used === null) return 'far';
  if (used >= limit) return 'reached';
  return used >= NEAR * limit ? 'near' : 'far';
}

const ORDER: readonly Nearness[] = ['reached', 'near', 'far'];
/** What is at its limit first, then what is near it. */
export const nearestFirst = <One extends Use>(quotas: readonly One[]): One[] =>
  quotas.toSorted((a, b) => ORDER.indexOf(nearness(a)) - ORDER.indexOf(nearness(b)));
