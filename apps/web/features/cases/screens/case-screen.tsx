import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { isObject, toText, type Json } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { ConfirmDialog } from '../../../ui/dialog';
import { Head } from '../../../ui/head';
import { useKeys } from '../../../ui/keys';
import { QueryBoundary } from '../../../ui/query-boundary';
import { resultQuery } from '../../results/api';
import { runQuery } from '../../runs/api';
import { caseOfVersionQuery, suiteQuery } from '../../suites/api';
import { caseQuery, neighboursQuery, type StoredCase } from '../api';
import { toolNames } from '../parts/argument-rows';
import { CaseMenu } from '../parts/case-actions';
import { CaseEditor } from './case-editor';
import { caseOfResult } from './case-of-result';

/** A case's expectation, and its results so far. */
export function CaseScreen() {
  const { suiteId, caseId } = useParams({ from: '/signed-in/suites/$suiteId/cases/$caseId' });
  const { data: stored } = useSuspenseQuery(caseQuery(suiteId, caseId));
  const { data: suite } = useSuspenseQuery(suiteQuery(suiteId));
  const navigate = useNavigate();
  const head = (isChanged: boolean) => (
    <Head
      title={`Case ${stored.position + 1}: ${toText(stored.name ?? '') || promptStart(stored)}`}
      trail={trailOf(suite)}
      actions={<Neighbours {...{ suiteId, caseId, isChanged }} />}
      menu={
        <CaseMenu
          suiteId={suiteId}
          stored={stored}
          onDelete={() => navigate({ to: '/suites/$suiteId', params: { suiteId } })}
        />
      }
    />
  );
  return <CaseEditor key={caseId} {...{ suite, stored, head }} />;
}

/** A new case, which may begin as a copy of another one. */
export function NewCaseScreen() {
  const { suiteId } = useParams({ from: '/signed-in/suites/$suiteId/cases/new' });
  const { from, run, result } = useSearch({ from: '/signed-in/suites/$suiteId/cases/new' });
  const { data: suite } = useSuspenseQuery(suiteQuery(suiteId));
  if (run !== undefined && result !== undefined)
    return (
      <QueryBoundary rows={16}>
        <CaseOfResult key={`${run} ${result}`} suite={suite} runId={run} resultId={result} />
      </QueryBoundary>
    );
  if (from === undefined) return <CaseEditor key={suiteId} suite={suite} stored={undefined} head={newHead(suite)} />;
  return (
    <QueryBoundary rows={16}>
      <CopiedCase key={from} suite={suite} from={from} />
    </QueryBoundary>
  );
}

function CopiedCase({ suite, from }: { suite: Suite; from: string }) {
  const { data: copied } = useSuspenseQuery(caseQuery(suite.id, from));
  return <CaseEditor {...{ suite, copied }} stored={undefined} head={newHead(suite)} />;
}

const newHead = (suite: Suite) => () => <Head title="New case" trail={trailOf(suite)} />;

/** A new case like that of a result, which expects what the model called. Saving it returns to the result. */
function CaseOfResult({ suite, runId, resultId }: { suite: Suite; runId: string; resultId: string }) {
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const { data: result } = useSuspenseQuery(resultQuery(runId, resultId));
  const { data: asRun } = useSuspenseQuery(caseOfVersionQuery(suite.id, run.suite.version, result.case_id));
  const navigate = useNavigate();
  const copied = useMemo(
    () =>
      caseOfResult(asRun as unknown as StoredCase, result, {
        runName: run.name ?? run.suite.name,
        tools: toolNames(asRun as unknown as StoredCase, suite.tools as unknown as Json),
      }),
    [asRun, result, run, suite],
  );
  return (
    <CaseEditor
      suite={suite}
      stored={undefined}
      copied={copied}
      draftName={`${runId} ${resultId}`}
      head={newHead(suite)}
      onAdded={() => navigate({ to: '/runs/$runId/results/$resultId', params: { runId, resultId } })}
    />
  );
}

const trailOf = ({ id, name }: Suite) => [
  { to: '/suites', label: 'Suites' } as const,
  { to: '/suites/$suiteId', params: { suiteId: id }, label: name } as const,
];

interface NeighboursProps {
  suiteId: string;
  caseId: string;
  isChanged: boolean;
}

/** Links to the cases before and after, which ask first when there are unsaved changes. */
function Neighbours({ suiteId, caseId, isChanged }: NeighboursProps) {
  const { data } = useQuery(neighboursQuery(suiteId, caseId));
  const navigate = useNavigate();
  const [asked, setAsked] = useState<string>();
  const go = (to: string): void =>
    void navigate({ to: '/suites/$suiteId/cases/$caseId', params: { suiteId, caseId: to }, search: (all) => all });
  const leaveFor = (to: string | null | undefined): void => {
    if (to && isChanged) setAsked(to);
    else if (to) go(to);
  };
  useKeys({ k: () => leaveFor(data?.previous_id), j: () => leaveFor(data?.next_id) });
  const link = (to: string | null | undefined, words: string, key: string) =>
    to ? (
      <Link
        to="/suites/$suiteId/cases/$caseId"
        params={{ suiteId, caseId: to }}
        search={(all) => all}
        className="button"
        title={key}
        onClick={(event) => {
          if (!isChanged || event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          setAsked(to);
        }}
      >
        {words}
      </Link>
    ) : (
      <button type="button" disabled>
        {words}
      </button>
    );
  return (
    <>
      {link(data?.previous_id, 'Previous', 'k')}
      {link(data?.next_id, 'Next', 'j')}
      {asked !== undefined && (
        <ConfirmDialog
          title="Leave this case?"
          action="Leave without saving"
          isPending={false}
          error={null}
          act={() => go(asked)}
          close={() => setAsked(undefined)}
        >
          <p>Your changes are not saved. This tab keeps them until you come back.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const MAX_SHOWN = 80;

/** The beginning of the model's prompt. */
function promptStart({ prompt, messages }: StoredCase): string {
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  const text = typeof prompt === 'string' ? prompt : isObject(last) ? toText(last.content) : '';
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)} ...` : text;
}
