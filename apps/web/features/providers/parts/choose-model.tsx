import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Json } from '#lib/contracts/json/json';
import { ChoiceField } from '../../../ui/form/fields';
import type { At } from '../../../ui/form/json-form';
import { providersQuery } from '../api';

interface Props {
  path: At;
  label: string;
  help?: ReactNode;
  /** The label and the value of no choice. */
  none?: string;
  whenEmpty?: Json;
}

/** One of the providers' models. */
export function ChooseModel({ none = 'choose', whenEmpty = '', ...labelled }: Props) {
  const { data } = useQuery(providersQuery);
  return (
    <ChoiceField
      {...{ none, whenEmpty, ...labelled }}
      options={(data?.items ?? []).map(({ key, name, models }) => ({
        group: name,
        options: models.map(({ id }) => [`${key}::${id}`, id] as const),
      }))}
    />
  );
}
