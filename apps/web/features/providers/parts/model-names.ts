import type { Provider } from '#lib/contracts/provider';

type Providers = readonly Pick<Provider, 'key' | 'models'>[];

/** A target's provider, with the colons after it. */
export const providerIn = (target: string): string => /^.*?::/s.exec(target)?.[0] ?? '';

const countOf = (values: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
};

/**
 * What people call a target, `provider_key::model_id`: the display name of its model, or else the model's id. The
 * provider is part of it only where another model of the team has the same name.
 */
export function modelLabels(providers: Providers): (target: string) => string {
  const labels = new Map<string, string>(
    providers.flatMap(({ key, models }) => models.map(({ id, name }) => [`${key}::${id}`, name || id] as const)),
  );
  const uses = countOf([...labels.values()]);
  return (target) => {
    const known = labels.get(target);
    const label = known ?? target.slice(providerIn(target).length);
    const others = (uses.get(label) ?? 0) - (known === undefined ? 0 : 1);
    return others > 0 ? `${providerIn(target)}${label}` : label;
  };
}

/** The names of the models of one table. */
export interface ModelNames {
  /** What all of them begin with, for the head of the table; empty if that is little. */
  prefix: string;
  /** The rest of a name. */
  of: (target: string) => string;
}

const WORTH_A_HEAD = 8;
const SEPARATOR = /[/:@._ -]/;

/** Names of the models of a table. Targets that would share a name keep their provider. */
export function modelNames(targets: readonly string[], labelOf: (target: string) => string): ModelNames {
  const unique = [...new Set(targets)];
  const uses = countOf(unique.map(labelOf));
  const whole = (target: string): string => (uses.get(labelOf(target))! > 1 ? target : labelOf(target));
  const names = new Map(unique.map((target) => [target, whole(target)]));
  const prefix = commonPrefix([...names.values()]);
  return {
    prefix,
    of: (target) => (names.get(target) ?? labelOf(target)).slice(names.has(target) ? prefix.length : 0),
  };
}

/** The beginning that several names share, up to a separator. */
function commonPrefix(names: readonly string[]): string {
  const [first = '', ...others] = names;
  if (others.length === 0) return '';
  let length = 0;
  while (length < first.length && others.every((name) => name[length] === first[length])) length++;
  while (length > 0 && !SEPARATOR.test(first[length - 1]!)) length--;
  return length < WORTH_A_HEAD ? '' : first.slice(0, length);
}
