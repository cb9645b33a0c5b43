import { useMemo, type FormEvent } from 'react';
import type { JudgeSetting } from '#lib/contracts/judge';
import type { JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import { useAction } from '../../api/action';
import { setJudge } from '../../api/judge';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
import { useRefusal } from '../../api/session';
import { useDraft } from '../../parts/draft';
import type { Edited } from '../../parts/form/edited';
import { LongTextField, NumberField } from '../../parts/form/fields';
import { JsonForm } from '../../parts/form/form';
import { SaveBar } from '../../parts/form/save-bar';
import { ChooseModel } from '../../parts/set-up/choose-model';
import { submitOnCtrlEnter } from '../../parts/submit-keys';

const MAX_INSTRUCTIONS = 10_000;

/** Who judges where nothing else is said, and which runs without being asked. */
export function JudgeSettingForm({ setting }: { setting: JudgeSetting }) {
  const stored = useMemo<Edited>(() => ({ value: setting as unknown as JsonObject, unread: {} }), [setting]);
  const draft = useDraft('judge setting', stored);
  const refusal = useRefusal('owner');
  const save = useAction(setJudge, async () => {
    await queryClient.invalidateQueries({ queryKey: keys.judge });
    draft.clear();
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (refusal === undefined && !save.isPending) save.mutate(requestOf(draft.value));
  };
  return (
    <JsonForm edited={draft.value} change={draft.change} error={save.error} refusal={refusal}>
      <form className="fields" onSubmit={send} onKeyDown={submitOnCtrlEnter}>
        <ChooseModel
          path={['judge']}
          label="Model"
          help="It must be able to call tools."
          whenEmpty={null}
          emptyWords="none"
        />
        <LongTextField
          path={['instructions']}
          label="Instructions"
          help="What a judge minds beside the rules that every judge gets. Others begin a new calibration."
          maxLength={MAX_INSTRUCTIONS}
          whenEmpty=""
        />
        <NumberField
          path={['auto_below']}
          label="Judges runs by itself below"
          help="A score from 0 to 1. 0: never; 1: every run that has something wrong."
        />
        <SaveBar
          draft={draft}
          save="Save the settings"
          refusal={refusal}
          isPending={save.isPending}
          error={save.error}
          saved={save.isSuccess ? 'Saved.' : undefined}
        />
      </form>
    </JsonForm>
  );
}

/** An empty field is never, which the API would take for the default too. */
const requestOf = ({ value }: Edited): string => stringifyInSourceOrder({ auto_below: 0, ...(value as JsonObject) });
