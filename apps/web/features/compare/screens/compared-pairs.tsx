import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Comparison, Outcomes } from '#lib/contracts/comparison';
import { Empty } from '../../../ui/empty';
import { useKeptQuery } from '../../../ui/list';
import { PageLinks } from '../../../ui/navigation';
import { QueryBoundary } from '../../../ui/query-boundary';
import { count } from '../../../ui/amounts';
import { UserText } from '../../../ui/user-text';
import { useShortNames } from '../../providers/parts/model-name';
import { OUTCOME_WORDS, sideIn, withFilter, type CompareSearch, type OutcomeWord } from '../address';
import { comparedItemsQuery } from '../api';
import css from '../parts/compare.module.css';
import { ComparedCase } from '../parts/compared-case';

const OUTCOMES = Object.keys(OUTCOME_WORDS) as OutcomeWord[];

/** The cases that changed, counted by kind of change, and side by side. Broken ones first by default. */
export function ComparedPairs({ comparison, search }: { comparison: Comparison; search: CompareSearch }) {
  const { outcomes, targets } = comparison;
  const ofTarget = targets.find(({ b }) => b === search.target)?.outcomes;
  const shown = search.outcome ?? defaultOutcome(ofTarget ?? outcomes);
  if (targets.length === 0) return null;
  return (
    <section aria-labelledby="pairs" className="section">
      <h2 id="pairs">Cases side by side</h2>
      <OutcomeLinks outcomes={ofTarget ?? outcomes} shown={shown} search={search} />
      <ActiveFilters search={search} />
      <QueryBoundary key={comparison.b.id} rows={10}>
        <PairList comparison={comparison} search={{ ...search, outcome: shown }} />
      </QueryBoundary>
    </section>
  );
}

/** The most interesting outcome that occurs. */
const defaultOutcome = (outcomes: Outcomes): OutcomeWord | 'all' =>
  (['broken', 'fixed', 'worse', 'better'] as const).find((outcome) => outcomes[outcome] > 0) ?? 'all';

interface LinksProps {
  outcomes: Outcomes;
  shown: OutcomeWord | 'all';
  search: CompareSearch;
}

function OutcomeLinks({ outcomes, shown, search }: LinksProps) {
  const all = OUTCOMES.reduce((sum, outcome) => sum + outcomes[outcome], 0);
  const link = (outcome: OutcomeWord | 'all', words: string, n: number) => (
    <Link
      key={outcome}
      to="/compare"
      search={withFilter(search, { outcome })}
      resetScroll={false}
      className="button dense"
      aria-current={outcome === shown ? 'true' : undefined}
    >
      {words} {count(n)}
    </Link>
  );
  return (
    <nav className={`actions ${css.chosen}`} aria-label="Cases by outcome">
      {OUTCOMES.filter((outcome) => outcomes[outcome] > 0 || outcome === shown).map((outcome) =>
        link(outcome, OUTCOME_WORDS[outcome], outcomes[outcome]),
      )}
      {link('all', 'all', all)}
    </nav>
  );
}

function ActiveFilters({ search }: { search: CompareSearch }) {
  const parts = [
    ['category', 'category', search.category],
    ['target', 'model', search.target],
  ] as const;
  return parts.map(
    ([key, words, value]) =>
      value !== undefined && (
        <p key={key}>
          Only the {words} <UserText text={value} max={200} />.{' '}
          <Link to="/compare" search={withFilter(search, { [key]: undefined })} resetScroll={false}>
            Show all
          </Link>
        </p>
      ),
  );
}

function PairList({ comparison: { a, b, targets }, search }: { comparison: Comparison; search: CompareSearch }) {
  const { items, next_cursor: next } = useKeptQuery(comparedItemsQuery(a.id, b.id, search)).data;
  const side = sideIn(search, b.id);
  const names = useShortNames(useMemo(() => targets.map((target) => target.b), [targets]));
  const [isNarrow] = useState(() => matchMedia(NARROW).matches);
  return (
    <>
      {items.length === 0 && <NoCases isDone={next === null} />}
      {items.map((item, index) => (
        <ComparedCase
          key={`${item.case_id} ${item.target_a} ${item.target_b}`}
          item={item}
          side={side}
          names={targets.length > 1 ? names : undefined}
          isFolded={isNarrow && index > 0}
        />
      ))}
      <PageLinks of="cases" after={search.after} next={next} words={['First', 'More cases']} hash="pairs" />
    </>
  );
}

/** Where the sides of a case stand below each other, cases are folded. */
const NARROW = '(width < 640px)';

const NoCases = ({ isDone }: { isDone: boolean }) =>
  isDone ? <Empty>No cases match.</Empty> : <p>No matches among the cases read so far.</p>;
