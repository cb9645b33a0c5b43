import { useQuery } from '@tanstack/react-query';
import { useId, useMemo, useState } from 'react';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import { MAX_TRIED_MODELS } from '#lib/contracts/values/runs';
import { AllowedButton } from '../../../ui/buttons';
import { useDraft } from '../../../ui/draft';
import { ErrorNotice } from '../../../ui/notices';
import { Skeleton } from '../../../ui/query-boundary';
import type { Edited } from '../../../ui/form/edited';
import { textsOf } from '../../../ui/form/form-request';
import { JsonForm } from '../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { providersQuery } from '../../providers/api';
import { ChooseModels, modelsOf } from '../../providers/parts/choose-models';
import { ModelName } from '../../providers/parts/model-name';
import { newestRunQuery } from '../../runs/api';
import { TOOL_CHOICES } from '../../tunes/parts/search-fields';
import type { TryOut } from '../try-out';
import css from './case.module.css';
import { TryResults } from './try-results';

interface Props {
  suiteId: string;
  /** The case with its unsaved changes. */
  input: Json;
  /** It cannot be sent: it is not valid JSON yet. */
  isUnread: boolean;
  refusal: string | undefined;
  tryOut: TryOut;
  start: (body: string) => void;
}

/** Plays the case, with its unsaved changes, with some models at once. The choices apply to all cases of the suite. */
export function TryPanel(props: Props) {
  const titleId = useId();
  const models = useLastModels(props.suiteId);
  return (
    <section className={css.try} aria-labelledby={titleId}>
      <h2 id={titleId}>Try it</h2>
      {models ? <TryForm {...props} models={models} /> : <Skeleton rows={4} />}
    </section>
  );
}

/** The models of the suite's newest run, as far as they can be asked; undefined while it is looked up. */
function useLastModels(suiteId: string): string[] | undefined {
  const run = useQuery(newestRunQuery(suiteId));
  const providers = useQuery(providersQuery);
  return useMemo(() => {
    if (run.isPending || providers.isPending) return undefined;
    const known = new Set(
      (providers.data?.items ?? []).flatMap(({ key, models }) => models.map(({ id }) => `${key}::${id}`)),
    );
    return modelsOf(run.data?.items[0])
      .filter((name) => known.has(name))
      .slice(0, MAX_TRIED_MODELS);
  }, [run.isPending, run.data, providers.isPending, providers.data]);
}

function TryForm({ suiteId, input, isUnread, refusal, tryOut, start, models: last }: Props & { models: string[] }) {
  const initial = useMemo<Edited>(
    () => ({ value: { models: last, tool_choice: 'required', temperature: 0 }, unread: {} }),
    [last],
  );
  const { value, change } = useDraft(`suite.${suiteId}.tried with`, initial);
  const settings = value.value as JsonObject;
  const models = textsOf(settings.models);
  const [isOpen, setOpen] = useState(models.length === 0);
  const body = stringifyInSourceOrder({ case: input, suite_id: suiteId, ...settings });
  const { answer, error, isPending, cancel } = tryOut;
  const missing = missingMessage(models.length, isUnread || Object.keys(value.unread).length > 0);
  return (
    <>
      <div className="actions">
        <AllowedButton
          refusal={refusal}
          disabled={missing !== undefined || isPending}
          title="Asks now, with unsaved changes"
          onClick={() => start(body)}
        >
          {answer || error ? 'Try again' : 'Try'}
        </AllowedButton>
        {isPending && (
          <button type="button" onClick={cancel}>
            Stop
          </button>
        )}
        <span role="status" className="muted small">
          {isPending ? `Asking ${models.length === 1 ? 'one model' : `${models.length} models`} ...` : missing}
        </span>
      </div>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className={css.tryWith}>
        <summary>
          <span className={css.models}>
            {models.length === 0
              ? 'Models'
              : models.slice(0, MAX_NAMED).map((name) => <ModelName key={name} target={name} />)}
            {models.length > MAX_NAMED && <span>{models.length - MAX_NAMED} more</span>}
          </span>
        </summary>
        <div className="set-up">
          <JsonForm edited={value} change={change} error={error} refusal={refusal}>
            <div className="fields">
              <Fields of={SETTINGS} />
            </div>
          </JsonForm>
        </div>
      </details>
      {error && !isPending && <ErrorNotice error={error} />}
      {answer && !isPending && <TryResults answer={answer} isOfEarlier={tryOut.body !== body} />}
    </>
  );
}

const MAX_NAMED = 3;

function missingMessage(models: number, isUnread: boolean): string | undefined {
  if (isUnread) return 'Correct invalid input first.';
  if (models === 0) return 'Choose at least one model.';
  return models > MAX_TRIED_MODELS ? `Choose up to ${MAX_TRIED_MODELS} models.` : undefined;
}

const SETTINGS: FormSchema = [
  <ChooseModels key="models" path="models" />,
  [
    { choice: 'tool_choice', label: 'Tool choice', options: TOOL_CHOICES },
    { number: 'temperature', label: 'Temperature', help: 'Empty: 0.' },
  ],
];
