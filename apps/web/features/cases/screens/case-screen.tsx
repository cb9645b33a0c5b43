import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { isObject, toText } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { Head } from '../../../ui/head';
import { QueryBoundary, Section } from '../../../ui/query-boundary';
import { CaseHistory } from '../../results/parts/case-history';
import { suiteQuery } from '../../suites/api';
import { caseQuery, neighboursQuery, type StoredCase } from '../api';
import { CaseMenu } from '../parts/case-actions';
import { CaseEditor } from './case-editor';

/** A case's expectation, and its results so far. */
export function CaseScreen() {
  const { suiteId, caseId } = useParams({ from: '/signed-in/suites/$suiteId/cases/$caseId' });
  const { data: stored } = useSuspenseQuery(caseQuery(suiteId, caseId));
  const { data: suite } = useSuspenseQuery(suiteQuery(suiteId));
  const navigate = useNavigate();
  return (
    <>
      <Head
        title={`Case ${stored.position + 1}: ${toText(stored.name ?? '') || promptStart(stored)}`}
        trail={trailOf(suite)}
        actions={<Neighbours suiteId={suiteId} caseId={caseId} />}
        menu={
          <CaseMenu
            suiteId={suiteId}
            stored={stored}
            onDelete={() => navigate({ to: '/suites/$suiteId', params: { suiteId } })}
          />
        }
      />
      <CaseEditor key={caseId} suite={suite} stored={stored} />
      <Section id="history" title="Results in runs">
        <CaseHistory suiteId={suiteId} caseId={caseId} />
      </Section>
    </>
  );
}

/** A new case, which may begin as a copy of another one. */
export function NewCaseScreen() {
  const { suiteId } = useParams({ from: '/signed-in/suites/$suiteId/cases/new' });
  const { from } = useSearch({ from: '/signed-in/suites/$suiteId/cases/new' });
  const { data: suite } = useSuspenseQuery(suiteQuery(suiteId));
  return (
    <>
      <Head title="New case" trail={trailOf(suite)} />
      <QueryBoundary rows={16}>
        {from === undefined ? (
          <CaseEditor key={suiteId} suite={suite} stored={undefined} />
        ) : (
          <CopiedCase key={from} suite={suite} from={from} />
        )}
      </QueryBoundary>
    </>
  );
}

function CopiedCase({ suite, from }: { suite: Suite; from: string }) {
  const { data: copied } = useSuspenseQuery(caseQuery(suite.id, from));
  return <CaseEditor suite={suite} stored={undefined} copied={copied} />;
}

const trailOf = ({ id, name }: Suite) => [
  { to: '/suites', label: 'Suites' } as const,
  { to: '/suites/$suiteId', params: { suiteId: id }, label: name } as const,
];

/** Links to the cases before and after. */
function Neighbours({ suiteId, caseId }: { suiteId: string; caseId: string }) {
  const { data } = useQuery(neighboursQuery(suiteId, caseId));
  const link = (to: string | null | undefined, words: string) =>
    to ? (
      <Link to="/suites/$suiteId/cases/$caseId" params={{ suiteId, caseId: to }} className="button">
        {words}
      </Link>
    ) : (
      <button type="button" disabled>
        {words}
      </button>
    );
  return (
    <>
      {link(data?.previous_id, 'Previous')}
      {link(data?.next_id, 'Next')}
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
