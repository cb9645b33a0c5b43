import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Provider } from '#lib/contracts/provider';
import { visible } from '../../../ui/user-text';
import { providersQuery } from '../api';
import { halvesOf } from './name-halves';
import { modelLabels, modelNames, providerIn, type ModelNames } from './model-names';
import css from './model-name.module.css';
import { shortNames } from './short-names';

type LabelOf = (target: string) => string;

const UNKNOWN = modelLabels([]);
/** One index for all names of a page, made again when providers change. */
const indexes = new WeakMap<readonly Provider[], LabelOf>();

function indexOf(providers: readonly Provider[]): LabelOf {
  const known = indexes.get(providers) ?? modelLabels(providers);
  indexes.set(providers, known);
  return known;
}

/** The name of each model. A name is the model's id until the providers are known. */
export function useModelLabel(): LabelOf {
  const { data } = useQuery(providersQuery);
  return data ? indexOf(data.items) : UNKNOWN;
}

/** The names of the models of a table, and what all of them begin with. */
export function useModelNames(targets: readonly string[]): ModelNames {
  const labelOf = useModelLabel();
  return useMemo(() => modelNames(targets, labelOf), [targets, labelOf]);
}

/** The same without the folders before names, for the marks of a picture. */
export function useShortNames(targets: readonly string[]): ModelNames {
  const names = useModelNames(targets);
  return useMemo(() => {
    const short = shortNames(targets.map(names.of));
    return { prefix: names.prefix, of: (target) => short(names.of(target)) };
  }, [targets, names]);
}

const MAX_CHARACTERS = 300;

interface Props {
  /** `provider_key::model_id`; its title. */
  target: string;
  /** The names of the table that it is in, whose head has what they begin with. */
  of?: ModelNames;
}

/** The name of a model on one line, cut in the middle where it does not fit. */
export function ModelName({ target, of }: Props) {
  const labelOf = useModelLabel();
  const name = visible((of ? of.of(target) : labelOf(target)).slice(0, MAX_CHARACTERS).replaceAll(/\s+/g, ' '));
  const provider = name.startsWith(providerIn(target)) ? providerIn(target) : '';
  const [start, end] = halvesOf(name.slice(provider.length));
  return (
    <bdi className={css.name} title={visible(target.slice(0, MAX_CHARACTERS))}>
      {provider !== '' && <span className={`${css.provider} muted`}>{provider}</span>}
      {start !== '' && <span className={css.start}>{start}</span>}
      {end !== '' && <span className={css.end}>{end}</span>}
    </bdi>
  );
}
