import { useQuery } from '@tanstack/react-query';
import { toText } from '#lib/contracts/json/json';
import type { Run } from '#lib/contracts/run';
import { ENDED_STATUSES } from '#lib/contracts/values/jobs';
import { useLookup, type Option } from '../../../ui/combobox';
import { useField } from '../../../ui/form/json-form';
import { PickField, type PickProps } from '../../../ui/form/pick-field';
import { relativeTime } from '../../../ui/time';
import { runQuery, runsQuery } from '../api';
import { bestOf, bestText } from './run-score';
import { runName, shortRunName } from './run-link';

const SHOWN = 20;

interface Props extends PickProps {
  /** The suite of the run; default: any suite. */
  suite?: string;
}

/** An ended run, the newest first. */
export function ChooseRun({ suite, whenEmpty = '', ...labelled }: Props) {
  const chosen = toText(useField(labelled.path).value ?? '');
  const named = useQuery({ ...runQuery(chosen), enabled: chosen !== '', retry: false });
  return (
    <PickField
      {...{ whenEmpty, ...labelled }}
      lookup={useLookup((q) => runsQuery({ suite, q, statuses: ENDED_STATUSES, limit: SHOWN }), runOption)}
      nameOf={() => (named.data ? runName(named.data) : shortRunName(chosen))}
    />
  );
}

/** A run as an option: its name, best score and age. */
export const runOption = (run: Run): Option => ({
  value: run.id,
  name: runName(run),
  detail: [bestText(bestOf(run)), relativeTime(new Date(run.created_at))].filter(Boolean).join(' · '),
});
