import { useId } from 'react';
import { ApiError } from '#lib/client/api-client';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { Json } from '#lib/contracts/json/json';
import { MAX_TRIED_MODELS } from '#lib/contracts/values/runs';
import type { TryOut } from '../../api';
import { AllowedButton } from '../../../../ui/allowed-button';
import { useDraft } from '../../../../ui/draft';
import { ErrorNotice } from '../../../../ui/error-notice';
import { ChooseModels } from '../../../providers/parts/choose-models';
import type { FormPart } from '../../../../ui/form/labelled-field';
import { TryResults } from './try-results';
import { SelectField, TypedField } from '../../../../ui/form/typed-field';

interface Settings {
  models: string[];
  toolChoice: string;
  temperature: string;
}
const INITIAL: Settings = { models: [], toolChoice: 'required', temperature: '0' };

interface Props {
  suiteId: string;
  /** The case with its unsaved changes. */
  input: Json;
  /** It cannot be sent: it is not valid JSON yet. */
  unread: boolean;
  refusal: string | undefined;
  tryOut: TryOut;
  start: (body: string) => void;
}

/** Plays the case, with its unsaved changes, with some models at once. The choices apply to all cases of the suite. */
export function TryPanel({ suiteId, input, unread, refusal, tryOut, start }: Props) {
  const titleId = useId();
  const draft = useDraft<Settings>(`suite.${suiteId}.try`, INITIAL);
  const { models, toolChoice, temperature } = draft.value;
  const body = stringifyInSourceOrder({
    case: input,
    suite_id: suiteId,
    models,
    tool_choice: toolChoice,
    temperature: numberOrText(temperature),
  });
  const { answer, error, isPending, cancel } = tryOut;
  const faults = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  const part: FormPart<Settings> = {
    form: draft.value,
    change: (change) => draft.change({ ...draft.value, ...change }),
    faultsAt: (path) => faults.filter((fault) => fault.path === path || fault.path.startsWith(`${path}/`)),
  };
  const missing = missingMessage(models.length, unread);
  return (
    <section className="try" aria-labelledby={titleId}>
      <h2 id={titleId}>Try it</h2>
      <p className="muted">
        Runs the case as shown, including unsaved changes. Only its cost is kept; it belongs to no run.
      </p>
      <div className="set-up">
        <div className="fields">
          <ChooseModels {...part} />
          <SettingsFields {...part} />
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

function missingMessage(models: number, unread: boolean): string | undefined {
  if (unread) return 'Correct invalid input first.';
  if (models === 0) return 'Choose at least one model.';
  return models > MAX_TRIED_MODELS ? `Choose up to ${MAX_TRIED_MODELS} models.` : undefined;
}

/** Input that is not a number is sent unchanged: the API reports the fault. */
const numberOrText = (typed: string): Json =>
  typed.trim() !== '' && Number.isFinite(Number(typed)) ? Number(typed) : typed;

const TOOL_CHOICES = [
  ['required', 'required: must call a tool'],
  ['auto', 'auto: may call a tool'],
  ['none', 'none: must not call a tool'],
] as const;

function SettingsFields({ form, change, faultsAt }: FormPart<Settings>) {
  return (
    <div className="in-row">
      <SelectField
        label="Tool choice"
        faults={faultsAt('/tool_choice')}
        value={form.toolChoice}
        change={(toolChoice) => change({ toolChoice })}
        options={TOOL_CHOICES}
      />
      <TypedField
        label="Temperature"
        faults={faultsAt('/temperature')}
        mode="decimal"
        size={6}
        value={form.temperature}
        change={(temperature) => change({ temperature })}
      />
    </div>
  );
}
