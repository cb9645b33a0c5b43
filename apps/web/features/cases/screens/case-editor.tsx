import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { useAction } from '../../../api/action';
import { queryClient } from '../../../api/query-client';
import { DeleteDialog } from '../../../ui/dialog';
import { JsonField } from '../../../ui/form/fields';
import { SaveBar, useFormState } from '../../../ui/form/form';
import { JsonForm } from '../../../ui/form/json-form';
import { submitOnCtrlEnter } from '../../../ui/keys';
import { UserText } from '../../../ui/user-text';
import { Warnings } from '../../../ui/notices';
import { refreshSuites } from '../../suites/api';
import { ToolReference } from '../../suites/parts/tool-arguments';
import { caseQuery, deleteCase, saveCase, useTryOut, type StoredCase } from '../api';
import css from './case.module.css';
import { CaseFields } from './case-fields';
import { inputOf } from './case-value';
import { TryPanel } from './try-panel';

interface CaseEditorProps {
  suite: Suite;
  /** Undefined for a new case. */
  stored: StoredCase | undefined;
}

/** One case as fields or as JSON. Both edit the same value, and preserve unknown keys. */
export function CaseEditor({ suite, stored }: CaseEditorProps) {
  const tools = suite.tools as unknown as Json;
  const tryOut = useTryOut();
  const { draft, refusal, sending, submit } = useCaseForm(suite, stored, () => tryOut.error && tryOut.reset());
  const { as } = useSearch({ strict: false });
  const startTry = (body: string): void => {
    if (sending.error) sending.reset();
    tryOut.start(body);
  };
  // Fields cannot show invalid JSON.
  const isWhole = as === 'json' || '' in draft.value.unread;
  return (
    <JsonForm
      edited={draft.value}
      change={draft.change}
      error={tryOut.error ?? sending.error}
      at={tryOut.error ? TRY_CASE_PATH : undefined}
      refusal={refusal}
    >
      <form className={css.form} onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
        <ViewToggle isJson={isWhole} />
        {isWhole ? (
          <JsonField path={[]} label="The case as JSON" isLabelHidden rows={20} />
        ) : (
          <CaseFields suiteTools={tools} />
        )}
        <SaveBar
          {...{ draft, refusal, sending }}
          save={stored ? 'Save the case' : 'Add the case'}
          saved={sending.data && 'Saved.'}
          buttons={stored && refusal === undefined && <DeleteCase suiteId={suite.id} stored={stored} />}
        />
        {sending.data && <Warnings warnings={sending.data.warnings} />}
        <ToolReference tools={tools} />
      </form>
      <TryPanel
        suiteId={suite.id}
        input={draft.value.value}
        isUnread={Object.keys(draft.value.unread).length > 0}
        {...{ refusal, tryOut }}
        start={startTry}
      />
    </JsonForm>
  );
}

/** The path of the case in the try-out's request body. */
const TRY_CASE_PATH = ['case'];

/** The draft of a case, and saving it, which shows a new one at its own address. */
function useCaseForm(suite: Suite, stored: StoredCase | undefined, beforeSend: () => void) {
  const navigate = useNavigate();
  const suiteId = suite.id;
  return useFormState({
    name: `suite.${suiteId}.case.${stored?.id ?? 'new'}`,
    initial: useMemo(() => (stored ? inputOf(stored) : newCase(suite)), [stored, suite]),
    send: (input: Json, options) => {
      beforeSend();
      return saveCase(suiteId, stored?.id, input, options);
    },
    onDone: ({ warnings: _warnings, ...written }) => {
      queryClient.setQueryData(caseQuery(suiteId, written.id).queryKey, written as StoredCase);
      void refreshSuites();
      const params = { suiteId, caseId: written.id };
      return stored || navigate({ to: '/suites/$suiteId/cases/$caseId', params });
    },
  });
}

const newCase = ({ tools }: Suite): JsonObject => ({ prompt: '', expected_tool: tools[0]?.function.name ?? '' });

function ViewToggle({ isJson }: { isJson: boolean }) {
  const navigate = useNavigate();
  const show = (as: 'json' | undefined) => void navigate({ to: '.', search: as ? { as } : {}, replace: true });
  return (
    <div className="actions" role="group" aria-label="Show the case as">
      <button type="button" className="dense" aria-pressed={!isJson} onClick={() => show(undefined)}>
        Fields
      </button>
      <button type="button" className="dense" aria-pressed={isJson} onClick={() => show('json')}>
        JSON
      </button>
    </div>
  );
}

/** A button that deletes the case, after a confirmation. */
function DeleteCase({ suiteId, stored: { id, name, position } }: { suiteId: string; stored: StoredCase }) {
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const { isPending, error, mutate } = useAction(
    (caseId: string, options) => deleteCase(suiteId, caseId, options),
    async () => {
      await navigate({ to: '/suites/$suiteId', params: { suiteId } });
      queryClient.removeQueries({ queryKey: caseQuery(suiteId, id).queryKey });
      void refreshSuites();
    },
  );
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Delete
      </button>
      {isAsking && (
        <DeleteDialog
          title="Delete the case?"
          action="Delete the case"
          act={() => mutate(id)}
          close={() => setAsking(false)}
          {...{ isPending, error }}
        >
          <p>
            <UserText text={toText(name ?? '') || `Case ${position + 1}`} max={200} /> will be deleted. Other cases keep
            their numbers, and past runs keep their results.
          </p>
        </DeleteDialog>
      )}
    </>
  );
}
