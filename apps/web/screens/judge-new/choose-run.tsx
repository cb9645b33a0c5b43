import { useQuery } from '@tanstack/react-query';
import { toText } from '#lib/contracts/json/json';
import { runQuery, runsQuery } from '../../api/runs';
import { useField } from '../../parts/form/form';
import { visible } from '../../parts/given';
import { runName, unknownRun } from '../../parts/run-link';
import { LabelledField } from '../../parts/set-up/labelled-field';
import { relativeTime } from '../../parts/time';

const ENDED = ['completed', 'failed', 'cancelled', 'budget_exceeded'] as const;
const SHOWN = 100;

/** A run that has ended: one of the newest, or the one that the address names. */
export function ChooseRun({ path, label, help }: { path: [string]; label: string; help?: string }) {
  const { value, errors, refusal, set } = useField(path);
  const chosen = toText(value ?? '');
  const runs = useQuery(runsQuery({ statuses: ENDED, limit: SHOWN }));
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
          onChange={({ target }) => set(target.value)}
        >
          <option value="">choose</option>
          {chosen !== '' && !isListed && (
            <option value={chosen}>{named.data ? words(named.data) : unknownRun(chosen)}</option>
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
