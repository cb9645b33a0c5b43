import { useQuery } from '@tanstack/react-query';
import { toText, type Json } from '#lib/contracts/json/json';
import { ENDED_STATUSES } from '#lib/contracts/values/jobs';
import { runQuery, runsQuery } from '../api/runs';
import type { Path } from '../../../ui/form/edited';
import { useField } from '../../../ui/form/form';
import { visible } from '../../../ui/user-text';
import { runName, shortRunName } from './run-link';
import { LabelledField } from '../../../ui/form/labelled-field';
import { relativeTime } from '../../../ui/time';

const SHOWN = 100;

interface Props {
  path: Path;
  label: string;
  help?: string;
  /** The suite of the run; default: any suite. */
  suite?: string;
  /** The label and the value of no choice. */
  emptyWords?: string;
  whenEmpty?: Json;
}

/** An ended run: one of the newest, or the one in the address. */
export function ChooseRun({ path, label, help, suite, emptyWords = 'choose', whenEmpty = '' }: Props) {
  const { value, errors, refusal, set } = useField(path);
  const chosen = toText(value ?? '');
  const runs = useQuery(runsQuery({ suite, statuses: ENDED_STATUSES, limit: SHOWN }));
  const isListed = runs.data?.items.some(({ id }) => id === chosen) ?? false;
  const named = useQuery({ ...runQuery(chosen), enabled: chosen !== '' && runs.data !== undefined && !isListed });
  const words = (run: Parameters<typeof runName>[0]): string => visible(runName(run).slice(0, 100));
  return (
    <LabelledField label={label} help={help} faults={errors}>
      {(attributes) => (
        <select
          {...attributes}
          disabled={refusal !== undefined}
          title={refusal}
          value={chosen}
          onChange={({ target }) => set(target.value === '' ? whenEmpty : target.value)}
        >
          <option value="">{emptyWords}</option>
          {chosen !== '' && !isListed && (
            <option value={chosen}>{named.data ? words(named.data) : shortRunName(chosen)}</option>
          )}
          {runs.data?.items.map((run) => (
            <option key={run.id} value={run.id}>
              {words(run)}, {relativeTime(new Date(run.created_at))}
            </option>
          ))}
        </select>
      )}
    </LabelledField>
  );
}
