import { Link, useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { queryClient } from '../../../api/query-client';
import { JsonField } from '../../../ui/form/fields';
import { SaveBar, useFormState } from '../../../ui/form/form';
import { JsonForm } from '../../../ui/form/json-form';
import { RestoredDraft } from '../../../ui/form/restored-draft';
import { submitOnCtrlEnter } from '../../../ui/keys';
import { Warnings } from '../../../ui/notices';
import { QueryBoundary } from '../../../ui/query-boundary';
import { undo } from '../../../ui/undo';
import { newIdempotencyKey } from '../../../api/action';
import { refreshSuites } from '../../suites/api';
import { caseQuery, saveCase, type StoredCase } from '../api';
import { useTryOut } from '../try-out';
import css from './case.module.css';
import { CaseFields } from './case-fields';
import { inputOf } from '../parts/case-value';
import { CaseBefore } from './case-before';
import { TryPanel } from './try-panel';

interface CaseEditorProps {
  suite: Suite;
  /** Undefined for a new case. */
  stored: StoredCase | undefined;
  /** What a new case is a copy of. */
  copied?: StoredCase;
  /** Names the draft of a new case, where the copied case does not. */
  draftName?: string;
  /** Called when a new case was added, instead of showing it. */
  onAdded?: () => unknown;
  /** @param isChanged whether there are unsaved changes */
  head: (isChanged: boolean) => ReactNode;
}

/**
 * One case as fields or as JSON, and beside it what models make of it. Fields and JSON edit the same value, and keep
 * unknown keys.
 */
export function CaseEditor({ head, ...of }: CaseEditorProps) {
  const { suite, stored } = of;
  const tools = suite.tools as unknown as Json;
  const tryOut = useTryOut();
  const { draft, refusal, sending, submit } = useCaseForm(of, () => tryOut.error && tryOut.reset());
  const isAdded = useLocation({ select: ({ state }) => state.isAdded === true });
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
      {head(draft.isChanged)}
      <div className={css.columns}>
        <form className={css.form} onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
          <RestoredDraft draft={draft} />
          <ViewToggle isJson={isWhole} />
          {isWhole ? (
            <JsonField path={[]} label="The case as JSON" isLabelHidden rows={20} />
          ) : (
            <CaseFields suiteTools={tools} />
          )}
          <div className={css.saveBar}>
            <SaveBar
              {...{ draft, refusal, sending }}
              save={stored ? 'Save the case' : 'Add the case'}
              saved={sending.data ? 'Saved.' : isAdded ? 'Added.' : undefined}
              buttons={(sending.data ?? isAdded) && stored && <AddAnother suiteId={suite.id} />}
            />
          </div>
          {sending.data && <Warnings warnings={sending.data.warnings} />}
        </form>
        <div className={css.side}>
          <TryPanel
            suiteId={suite.id}
            input={draft.value.value}
            isUnread={Object.keys(draft.value.unread).length > 0}
            {...{ refusal, tryOut }}
            start={startTry}
          />
          {stored && <Before suiteId={suite.id} caseId={stored.id} />}
        </div>
      </div>
    </JsonForm>
  );
}

const Before = (of: { suiteId: string; caseId: string }) => (
  <section aria-labelledby="before" className="section">
    <h2 id="before">Before</h2>
    <QueryBoundary rows={3}>
      <CaseBefore {...of} />
    </QueryBoundary>
  </section>
);

/** The path of the case in the try-out's request body. */
const TRY_CASE_PATH = ['case'];

/** The draft of a case, and saving it, which shows a new one at its own address. */
function useCaseForm(
  { suite, stored, copied, draftName, onAdded }: Omit<CaseEditorProps, 'head'>,
  beforeSend: () => void,
) {
  const navigate = useNavigate();
  const suiteId = suite.id;
  return useFormState({
    name: `suite.${suiteId}.case.${stored?.id ?? `new ${draftName ?? copied?.id ?? ''}`}`,
    initial: useMemo(() => {
      const first = stored ?? copied;
      return first ? inputOf(first) : newCase(suite);
    }, [stored, copied, suite]),
    send: (input: Json, options) => {
      beforeSend();
      return saveCase(suiteId, stored?.id, input, options);
    },
    onDone: ({ warnings: _warnings, ...written }) => {
      queryClient.setQueryData(caseQuery(suiteId, written.id).queryKey, written as StoredCase);
      void refreshSuites();
      if (stored)
        return undo.offer({ text: `Case ${stored.position + 1} saved.`, undo: () => putBack(suiteId, stored) });
      if (onAdded) return onAdded();
      return navigate({
        to: '/suites/$suiteId/cases/$caseId',
        params: { suiteId, caseId: written.id },
        state: (before) => ({ ...before, isAdded: true }),
      });
    },
  });
}

/** Stores a case as it was before. */
async function putBack(suiteId: string, before: StoredCase): Promise<void> {
  await saveCase(suiteId, before.id, inputOf(before), { idempotencyKey: newIdempotencyKey() });
  queryClient.setQueryData(caseQuery(suiteId, before.id).queryKey, before);
  await refreshSuites();
}

const newCase = ({ tools }: Suite): JsonObject => ({ prompt: '', expected_tool: tools[0]?.function.name ?? '' });

function ViewToggle({ isJson }: { isJson: boolean }) {
  const navigate = useNavigate();
  const show = (as: 'json' | undefined) =>
    void navigate({ to: '.', search: (address) => ({ ...address, as }), replace: true });
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

const AddAnother = ({ suiteId }: { suiteId: string }) => (
  <Link to="/suites/$suiteId/cases/new" params={{ suiteId }} className="button">
    Add another
  </Link>
);

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The case at this address was just added. */
    isAdded?: boolean;
  }
}
