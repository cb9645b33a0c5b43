import { useId } from 'react';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import { MAX_TRIED_MODELS } from '#lib/contracts/values/runs';
import { AllowedButton } from '../../../ui/buttons';
import { useDraft } from '../../../ui/draft';
import { ErrorNotice } from '../../../ui/notices';
import type { Edited } from '../../../ui/form/edited';
import { textsOf } from '../../../ui/form/form-request';
import { JsonForm } from '../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { ChooseModels } from '../../providers/parts/choose-models';
import { TOOL_CHOICES } from '../../tunes/parts/search-fields';
import type { TryOut } from '../api';
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
export function TryPanel({ suiteId, input, isUnread, refusal, tryOut, start }: Props) {
  const titleId = useId();
  const { value, change } = useDraft(`suite.${suiteId}.tried with`, INITIAL);
  const settings = value.value as JsonObject;
  const models = textsOf(settings.models);
  const body = stringifyInSourceOrder({ case: input, suite_id: suiteId, ...settings });
  const { answer, error, isPending, cancel } = tryOut;
  const missing = missingMessage(models.length, isUnread || Object.keys(value.unread).length > 0);
  return (
    <section className={css.try} aria-labelledby={titleId}>
      <h2 id={titleId}>Try it</h2>
      <p className="muted">Asks now, with unsaved changes.</p>
      <div className="set-up">
        <div className="fields">
          <JsonForm edited={value} change={change} error={error} refusal={refusal}>
            <Fields of={SETTINGS} />
          </JsonForm>
        </div>
        <div className="beside">
          {missing !== undefined && <p className="muted">{missing}</p>}
          {error && !isPending && <ErrorNotice error={error} />}
          <div className="actions">
            <AllowedButton refusal={refusal} disabled={missing !== undefined || isPending} onClick={() => start(body)}>
              {answer || error ? 'Try again' : 'Try'}
            </AllowedButton>
            {isPending && (
              <button type="button" onClick={cancel}>
                Stop
              </button>
            )}
          </div>
          <p role="status" className="muted small">
            {isPending && `Asking ${models.length === 1 ? 'one model' : `${models.length} models`} ...`}
          </p>
        </div>
      </div>
      {answer && !isPending && <TryResults answer={answer} isOfEarlier={tryOut.body !== body} />}
    </section>
  );
}

function missingMessage(models: number, isUnread: boolean): string | undefined {
  if (isUnread) return 'Correct invalid input first.';
  if (models === 0) return 'Choose at least one model.';
  return models > MAX_TRIED_MODELS ? `Choose up to ${MAX_TRIED_MODELS} models.` : undefined;
}

const INITIAL: Edited = { value: { models: [], tool_choice: 'required', temperature: 0 }, unread: {} };

const SETTINGS: FormSchema = [
  <ChooseModels key="models" path="models" />,
  [
    { choice: 'tool_choice', label: 'Tool choice', options: TOOL_CHOICES },
    { number: 'temperature', label: 'Temperature', help: 'Empty: 0.' },
  ],
];
