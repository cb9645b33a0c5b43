import { count } from '../../../ui/amounts';
import { bytesInWords } from '../screens/setting-words';

const WORDS: Record<string, string> = {
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
  stored_bytes: 'Stored replies and exchanges',
};

/** What is limited. A later release may limit more. */
export const quotaWords = (name: string): string =>
  Object.hasOwn(WORDS, name) ? WORDS[name]! : name.replaceAll('_', ' ');

export const isBytes = (name: string): boolean => name.endsWith('_bytes');

/** "1,000", "4.0 GiB" */
export const quotaFigure = (name: string, n: number): string => (isBytes(name) ? bytesInWords(n) : count(n));

/** From this share of a limit on, it is near. */
const NEAR = 0.8;

export interface Use {
  limit: number;
  /** Null: of no team. */
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
