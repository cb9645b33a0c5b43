import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isObject, toText } from '#lib/contracts/json/json';
import { Section } from '../../../ui/query-boundary';
import { UserText } from '../../../ui/user-text';
import { CaseHistory } from '../../results/parts/case-history';
import { suiteQuery } from '../../suites/api';
import { caseQuery, type StoredCase } from '../api';
import { CaseEditor } from './case-editor';

/** A case's expectation, and its results so far. */
export function CaseScreen() {
  const { suiteId, caseId } = useParams({ from: '/signed-in/suites/$suiteId/cases/$caseId' });
  const { data: stored } = useSuspenseQuery(caseQuery(suiteId, caseId));
  return (
    <>
      <CaseFrame key={caseId} suiteId={suiteId} stored={stored}>
        Case {stored.position + 1}: <UserText text={toText(stored.name ?? '') || promptStart(stored)} />
      </CaseFrame>
      <Section id="history" title="Results in runs">
        <CaseHistory suiteId={suiteId} caseId={caseId} />
      </Section>
    </>
  );
}

export function NewCaseScreen() {
  const { suiteId } = useParams({ from: '/signed-in/suites/$suiteId/cases/new' });
  return (
    <CaseFrame key={suiteId} suiteId={suiteId}>
      New case
    </CaseFrame>
  );
}

interface FrameProps {
  suiteId: string;
  /** Undefined for a new case. */
  stored?: StoredCase;
  /** The title. */
  children: ReactNode;
}

/** The heading and the editor of a case. */
function CaseFrame({ suiteId, stored, children }: FrameProps) {
  const { data: suite } = useSuspenseQuery(suiteQuery(suiteId));
  return (
    <>
      <header>
        <p className="small">
          <Link to="/suites/$suiteId" params={{ suiteId }}>
            <UserText text={suite.name} max={200} />
          </Link>
        </p>
        <h1>{children}</h1>
      </header>
      <CaseEditor suite={suite} stored={stored} />
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
