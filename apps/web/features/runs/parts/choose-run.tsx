import { useQuery } from '@tanstack/react-query';
import { toText } from '#lib/contracts/json/json';
import type { Run } from '#lib/contracts/run';
import { ENDED_STATUSES } from '#lib/contracts/values/jobs';
import { percent } from '../../../ui/amounts';
import { useLookup, type Option } from '../../../ui/combobox';
import { useField } from '../../../ui/form/json-form';
import { PickField, type PickProps } from '../../../ui/form/pick-field';
import { relativeTime } from '../../../ui/time';
import { runQuery, runsQuery } from '../api';
import { topModel } from './run-score';
import { runName, shortRunName } from './run-link';

const SHOWN = 100;

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
      lookup={useLookup(() => runsQuery({ suite, statuses: ENDED_STATUSES, limit: SHOWN }), optionOf)}
      nameOf={() => (named.data ? runName(named.data) : shortRunName(chosen))}
    />
  );
}

function optionOf(run: Run): Option {
  const top = topModel(run);
  const score = top ? `best ${percent(top.overall!)}` : run.status;
  const models = run.summaries.length === 1 ? '1 model' : `${run.summaries.length} models`;
  return {
    value: run.id,
    name: runName(run),
    detail: `${score} · ${models} · ${relativeTime(new Date(run.created_at))}`,
  };
}
