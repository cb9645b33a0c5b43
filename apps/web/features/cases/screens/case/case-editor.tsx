import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, type FormEvent } from 'react';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { useAction } from '../../../../api/action';
import { keys } from '../../../../api/keys';
import { useRefusal } from '../../../../api/session';
import { caseQuery, saveCase, type StoredCase, useTryOut } from '../../api';
import { useDraft, type Draft } from '../../../../ui/draft';
import type { Edited } from '../../../../ui/form/edited';
import { JsonField } from '../../../../ui/form/fields';
import { JsonForm } from '../../../../ui/form/json-form';
import { SaveBar } from '../../../../ui/form/save-bar';
import { submitOnCtrlEnter } from '../../../../ui/submit-keys';
import { Warnings } from '../../../../ui/warnings';
import { CaseFields } from './case-fields';
import { inputOf } from './case-value';
import { DeleteCase } from './delete-case';
import { ToolReference } from './tool-reference';
import { TryPanel } from './try-panel';

interface CaseEditorProps {
  suite: Suite;
  /** Undefined for a new case. */
  stored: StoredCase | undefined;
  isJson: boolean;
  showJson: (isJson: boolean) => void;
}

/** One case as fields or as JSON. Both edit the same value, and preserve unknown keys. */
export function CaseEditor({ suite, stored, isJson, showJson }: CaseEditorProps) {
  const refusal = useRefusal('editor');
  const first = useMemo<Edited>(
    () => ({ value: stored ? inputOf(stored) : newCase(suite), unread: {} }),
    [stored, suite],
  );
  const draft = useDraft(`suite.${suite.id}.case.${stored?.id ?? 'new'}`, first);
  const save = useSaveCase(suite.id, stored, draft);
  const tryOut = useTryOut();
  const isUnread = Object.keys(draft.value.unread).length > 0;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isUnread || save.isPending) return;
    if (tryOut.error) tryOut.reset();
    save.mutate(draft.value.value);
  };
  const startTry = (body: string): void => {
    if (save.error) save.reset();
    tryOut.start(body);
  };
  // Fields cannot show invalid JSON.
  const isWhole = isJson || '' in draft.value.unread;
  return (
    <JsonForm
      edited={draft.value}
      change={draft.change}
      error={tryOut.error ?? save.error}
      at={tryOut.error ? TRY_CASE_PATH : undefined}
      refusal={refusal}
    >
      <form className="case-form" onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
        <ViewToggle isJson={isWhole} showJson={showJson} />
        {isWhole ? (
          <JsonField path={[]} label="The case as JSON" isLabelHidden rows={20} />
        ) : (
          <CaseFields suiteTools={suite.tools as unknown as Json} />
        )}
        <SaveBar
          draft={draft}
          save={stored ? 'Save the case' : 'Add the case'}
          refusal={refusal}
          isPending={save.isPending}
          error={save.error}
          saved={save.data && 'Saved.'}
        >
          {stored && refusal === undefined && <DeleteCase suiteId={suite.id} stored={stored} />}
        </SaveBar>
        {save.data && <Warnings warnings={save.data.warnings} />}
        <ToolReference tools={suite.tools as unknown as Json} />
      </form>
      <TryPanel
        suiteId={suite.id}
        input={draft.value.value}
        unread={isUnread}
        {...{ refusal, tryOut }}
        start={startTry}
      />
    </JsonForm>
  );
}

/** Saves the case, and shows a new one at its own address. */
function useSaveCase(suiteId: string, stored: StoredCase | undefined, draft: Draft<Edited>) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useAction(
    (input: Json, options) => saveCase(suiteId, stored?.id, input, options),
    async ({ warnings: _warnings, ...written }, typed) => {
      queries.setQueryData(caseQuery(suiteId, written.id).queryKey, written as StoredCase);
      // Changes made while it was being saved remain a draft.
      if (draft.value.value === typed) draft.clear();
      void queries.invalidateQueries({ queryKey: keys.suites });
      const params = { suiteId, caseId: written.id };
      if (!stored) await navigate({ to: '/suites/$suiteId/cases/$caseId', params });
    },
  );
}

const ViewToggle = ({ isJson, showJson }: Pick<CaseEditorProps, 'isJson' | 'showJson'>) => (
  <div className="actions" role="group" aria-label="Show the case as">
    <button type="button" className="dense" aria-pressed={!isJson} onClick={() => showJson(false)}>
      Fields
    </button>
    <button type="button" className="dense" aria-pressed={isJson} onClick={() => showJson(true)}>
      JSON
    </button>
  </div>
);

/** The path of the case in the try-out's request body. */
const TRY_CASE_PATH = ['case'];

const newCase = ({ tools }: Suite): JsonObject => ({ prompt: '', expected_tool: tools[0]?.function.name ?? '' });
