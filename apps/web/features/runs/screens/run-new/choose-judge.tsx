import { useQuery } from '@tanstack/react-query';
import { providersQuery } from '../../../providers/api';
import { visible } from '../../../../ui/user-text';
import { LabelledField, type FormPart } from '../../../../ui/form/labelled-field';
import type { NewRun } from './new-run';

/** Whether a judge reviews the results that did not pass. */
export function ChooseJudge({ form: run, change, faultsAt }: FormPart<NewRun>) {
  const { judgeWhen = '' } = run;
  const isNested = (path: string): boolean => path.startsWith('/judge/') && path !== '/judge/when';
  return (
    <>
      <LabelledField
        label="Judge"
        help="A model judges whether failed replies serve the user. It changes no score."
        faults={faultsAt('/judge').filter(({ path }) => !isNested(path))}
      >
        {(attributes) => (
          <select {...attributes} value={judgeWhen} onChange={({ target }) => change({ judgeWhen: target.value })}>
            <option value="">none</option>
            <option value="after">after the run</option>
            <option value="inline">inline: during the run</option>
          </select>
        )}
      </LabelledField>
      {judgeWhen !== '' && (
        <div className="in-row">
          <WhichJudge {...{ form: run, change, faultsAt }} />
          <LabelledField
            label="Below"
            help="Only results that score below this, from 0 to 1."
            faults={faultsAt('/judge/below')}
          >
            {(attributes) => (
              <input
                {...attributes}
                inputMode="decimal"
                size={6}
                value={run.judgeBelow ?? ''}
                onChange={({ target }) => change({ judgeBelow: target.value })}
              />
            )}
          </LabelledField>
        </div>
      )}
    </>
  );
}

function WhichJudge({ form: { judge = '' }, change, faultsAt }: FormPart<NewRun>) {
  const { data } = useQuery(providersQuery);
  const names = (data?.items ?? []).flatMap(({ key, models }) => models.map(({ id }) => `${key}::${id}`));
  return (
    <LabelledField label="Judge model" faults={faultsAt('/judge/judge')}>
      {(attributes) => (
        <select
          {...attributes}
          className="bounded"
          value={judge}
          onChange={({ target }) => change({ judge: target.value })}
        >
          <option value="">the default judge</option>
          {[...new Set(judge === '' ? names : [...names, judge])].map((name) => (
            <option key={name} value={name}>
              {visible(name.slice(0, 300))}
            </option>
          ))}
        </select>
      )}
    </LabelledField>
  );
}
