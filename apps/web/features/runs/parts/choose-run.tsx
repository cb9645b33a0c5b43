import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toText, type Json } from '#lib/contracts/json/json';
import type { Run } from '#lib/contracts/run';
import { ENDED_STATUSES } from '#lib/contracts/values/jobs';
import { ChoiceField } from '../../../ui/form/fields';
import { type At, useField } from '../../../ui/form/json-form';
import { relativeTime } from '../../../ui/time';
import { runQuery, runsQuery } from '../api';
import { runName, shortRunName } from './run-link';

const SHOWN = 100;

interface Props {
  path: At;
  label: string;
  help?: ReactNode;
  /** The suite of the run; default: any suite. */
  suite?: string;
  /** The label and the value of no choice. */
  none?: string;
  whenEmpty?: Json;
}

/** An ended run: one of the newest, or the one in the address. */
export function ChooseRun({ suite, none = 'choose', whenEmpty = '', ...labelled }: Props) {
  const chosen = toText(useField(labelled.path).value ?? '');
  const runs = useQuery(runsQuery({ suite, statuses: ENDED_STATUSES, limit: SHOWN }));
  const isListed = runs.data?.items.some(({ id }) => id === chosen) ?? false;
  const named = useQuery({ ...runQuery(chosen), enabled: chosen !== '' && runs.data !== undefined && !isListed });
  const words = (run: Run): string => runName(run).slice(0, 100);
  return (
    <ChoiceField
      {...{ none, whenEmpty, ...labelled }}
      options={(runs.data?.items ?? []).map((run) => [
        run.id,
        `${words(run)}, ${relativeTime(new Date(run.created_at))}`,
      ])}
      unlisted={named.data ? words(named.data) : shortRunName(chosen)}
    />
  );
}
