import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type FormEvent } from 'react';
import { toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { useAction } from '../../api/action';
import { keys } from '../../api/keys';
import { useRefusal } from '../../api/session';
import { caseQuery, saveCase, type StoredCase } from '../../api/suites';
import { AllowedButton } from '../../parts/allowed-button';
import { useDraft } from '../../parts/draft';
import type { Edited } from '../../parts/form/edited';
import { JsonField } from '../../parts/form/fields';
import { JsonForm } from '../../parts/form/form';
import { SaveBar } from '../../parts/form/save-bar';
import { submitOnCtrlEnter } from '../../parts/submit-keys';
import { Warnings } from '../../parts/warnings';
import { CaseFields } from './case-fields';
import { inputOf } from './case-value';
import { DeleteCase } from './delete-case';
import { ToolsOfCase } from './tools-of-case';

interface Editor {
  suite: Suite;
  /** Undefined for a new case. */
  stored: StoredCase | undefined;
  isJson: boolean;
  showJson: (isJson: boolean) => void;
}

/** One case as fields or as JSON. Both edit the same value, and keep what they do not know. */
export function CaseEditor({ suite, stored, isJson, showJson }: Editor) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const refusal = useRefusal('editor');
  const first = useMemo<Edited>(
    () => ({ value: stored ? inputOf(stored) : newCase(suite), unread: {} }),
    [stored, suite],
  );
  const draft = useDraft(`suite.${suite.id}.case.${stored?.id ?? 'new'}`, first);
  const save = useAction(
    (input: Json, options) => saveCase(suite.id, stored?.id, input, options),
    async ({ warnings: _warnings, ...written }, typed) => {
      queries.setQueryData(caseQuery(suite.id, written.id).queryKey, written as StoredCase);
      // What was typed while it was saved stays a draft.
      if (draft.value.value === typed) draft.clear();
      void queries.invalidateQueries({ queryKey: keys.suites });
      const params = { suiteId: suite.id, caseId: written.id };
      if (!stored) await navigate({ to: '/suites/$suiteId/cases/$caseId', params });
    },
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (Object.keys(draft.value.unread).length === 0 && !save.isPending) save.mutate(draft.value.value);
  };
  // Fields cannot show what is no JSON.
  const isWhole = isJson || '' in draft.value.unread;
  return (
    <JsonForm edited={draft.value} change={draft.change} error={save.error} refusal={refusal}>
      <form className="case-form" onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
        <div className="actions" role="group" aria-label="Show the case as">
          <button type="button" className="dense" aria-pressed={!isWhole} onClick={() => showJson(false)}>
            Fields
          </button>
          <button type="button" className="dense" aria-pressed={isWhole} onClick={() => showJson(true)}>
            JSON
          </button>
        </div>
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
          {stored && <Remove suiteId={suite.id} stored={stored} refusal={refusal} />}
        </SaveBar>
        {save.data && <Warnings warnings={save.data.warnings} />}
        <ToolsOfCase tools={suite.tools as unknown as Json} />
      </form>
    </JsonForm>
  );
}

const newCase = ({ tools }: Suite): JsonObject => ({ prompt: '', expected_tool: tools[0]?.function.name ?? '' });

function Remove({ suiteId, stored, refusal }: { suiteId: string; stored: StoredCase; refusal: string | undefined }) {
  const [isAsking, setAsking] = useState(false);
  if (refusal !== undefined) return null;
  return (
    <>
      <AllowedButton refusal={refusal} onClick={() => setAsking(true)}>
        Delete
      </AllowedButton>
      {isAsking && (
        <DeleteCase
          suiteId={suiteId}
          caseId={stored.id}
          name={toText(stored.name ?? '') || `Case ${stored.position + 1}`}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
