import { useSuspenseQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import type { Estimate } from '#lib/contracts/estimate';
import type { JsonObject } from '#lib/contracts/json/json';
import { refreshWork } from '../../../api/query-client';
import type { Edited } from '../../../ui/form/edited';
import { TextField } from '../../../ui/form/fields';
import { EstimatedForm } from '../../../ui/form/estimated-form';
import type { FormRequest } from '../../../ui/form/form-request';
import { Head } from '../../../ui/head';
import { Notes, type Noted } from '../../../ui/notices';
import { EstimateFigures } from '../../runs/parts/estimate-figures';
import type { tunesAt } from '../api';

const TUNES = [{ to: '/tunes', label: 'Tunes' }] as const;

interface Props<Tune, Estimated> {
  title: string;
  /** What its draft is called. */
  draft: string;
  /** The suite to begin with, or the earlier tune whose settings to repeat. */
  address: { suite?: string; from?: string };
  tunes: ReturnType<typeof tunesAt<Tune, Estimated>>;
  /** The first value of the form. */
  empty: (suite: string) => JsonObject;
  again: (earlier: Tune) => JsonObject;
  requestOf: (edited: Edited) => FormRequest;
  /** What its kind estimates beside requests, cost and time. */
  figures: (estimate: Estimated) => ReactNode;
  to: '/tunes/$tuneId' | '/tunes/prompts/$tuneId';
  /** The fields. */
  children: ReactNode;
}

/** A new tune, with its estimate before it starts. */
export function NewTune<Tune, Estimated extends Estimate & Noted>(props: Props<Tune, Estimated>) {
  const { title, draft, address, tunes, empty, again, requestOf, figures, to, children } = props;
  const { suite = '', from } = address;
  const navigate = useNavigate();
  const [earlier] = useSuspenseQueries({
    queries: (from === undefined ? [] : [from]).map(tunes.query),
    combine: (read) => read.map(({ data }) => data),
  });
  // A name belongs to one tune.
  const initial = useMemo(
    () => ({ ...(earlier ? again(earlier) : empty(suite)), name: null }),
    [earlier, again, empty, suite],
  );
  const name = `${draft} ${suite} ${from ?? ''}`;
  return (
    <>
      <Head title={title} trail={TUNES} />
      <EstimatedForm
        key={name}
        name={name}
        initial={initial}
        requestOf={requestOf}
        estimateOf={tunes.estimateQuery}
        figures={(estimate, missing) => (
          <>
            <EstimateFigures estimate={estimate} missing={missing} />
            {missing.length === 0 && !estimate.error && estimate.data && (
              <>
                {figures(estimate.data)}
                <Notes of={estimate.data} />
              </>
            )}
          </>
        )}
        send={tunes.submit}
        onDone={({ tune_id: tuneId }) => {
          void refreshWork();
          return navigate({ to, params: { tuneId } });
        }}
        action="Tune"
      >
        {children}
        <TextField path="name" label="Name" maxLength={200} placeholder="What it varies" whenEmpty={null} />
      </EstimatedForm>
    </>
  );
}
