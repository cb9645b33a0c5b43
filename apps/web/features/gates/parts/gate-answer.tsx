import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { GateAnswer, GateTarget } from '#lib/gate/contract';
import type { CompareSearch } from '../../compare/address';
import { ChangesTable } from '../../../ui/changes-table';
import { ComparedCase } from '../../compare/parts/compared-case';
import { GateResult } from './gate-result';
import { GateDrift } from './gate-drift';
import { GateTargets } from './gate-targets';
import { answerWords, lookWords, pointsText } from './gate-words';
import { brokenCasesQuery } from '../api';
import { LazyDetails } from '../../../ui/details';
import { Hint } from '../../../ui/hint';
import { useKeptQuery } from '../../../ui/list';
import { UserText } from '../../../ui/user-text';
import { useModelLabel } from '../../providers/parts/model-name';
import { RunLink } from '../../runs/parts/run-link';
import { count } from '../../../ui/amounts';
import { QueryBoundary } from '../../../ui/query-boundary';
import { Notes } from '../../../ui/notices';

/** A gate's decision on a run, its figures, and the cases to look at. @param children what follows the figures */
export function GateAnswerView({ answer, children }: { answer: GateAnswer; children?: ReactNode }) {
  const { result, gate, look, cases, targets, what_changed: changes } = answer;
  const hasDrifted = targets.some(({ drift }) => drift !== undefined);
  return (
    <>
      <p className="sentence">
        <GateResult result={result} />{' '}
        {!(hasDrifted && targets.length === 1) && <UserText text={answerWords(answer)} />}
      </p>
      <GateDrift targets={targets} />
      <div className="facts">
        <span>
          <Hint term="margin">margin</Hint> {pointsText(gate.margin)}
          {gate.measure !== 'overall' && (
            <>
              {' of '}
              <UserText text={gate.measure} max={100} />
            </>
          )}
        </span>
        <span>
          <Hint term="look">look</Hint> {lookWords(look)}
        </span>
        {cases && <CaseCounts cases={cases} />}
        <Runs answer={answer} />
      </div>
      {targets.length > 0 && <GateTargets answer={answer} />}
      {children}
      <Critical targets={targets} />
      <Notes of={answer} />
      <Broken answer={answer} />
      {changes.length > 0 && (
        <>
          <h3>What changed</h3>
          <ChangesTable label="Settings that differ" rows={changes} what="Setting" a="Baseline" b="Run" />
        </>
      )}
    </>
  );
}

function CaseCounts({ cases }: { cases: NonNullable<GateAnswer['cases']> }) {
  const others: [number, string][] = [
    [cases.dropped_errored, 'errored'],
    [cases.changed, 'changed'],
    [cases.only_a, 'only in the baseline'],
    [cases.only_b, 'only in the run'],
  ];
  const words = others.filter(([n]) => n > 0).map(([n, what]) => `${count(n)} ${what}`);
  return <span>{[`${count(cases.common)} ${cases.common === 1 ? 'case' : 'cases'}`, ...words].join(', ')}</span>;
}

function Runs({ answer: { eval_id: run, baseline_eval_id: baseline, gate } }: { answer: GateAnswer }) {
  if (run === null) return null;
  return (
    <>
      <span>
        Run: <RunLink runId={run} />
      </span>
      {baseline !== null && (
        <>
          <span>
            Baseline: <RunLink runId={baseline} />
          </span>
          {baseline !== run && (
            <Link to="/compare" search={comparisonOf(baseline, run, gate)}>
              Comparison
            </Link>
          )}
        </>
      )}
    </>
  );
}

/** Includes the samples that the gate added: the same data that it looked at. */
const comparisonOf = (a: string, b: string, { measure, margin }: GateAnswer['gate']): CompareSearch => ({
  runs: [a, b],
  measure: measure === 'overall' ? undefined : measure,
  margin: String(margin),
  extended: true,
});

/** Broken critical cases. */
function Critical({ targets }: { targets: readonly GateTarget[] }) {
  const broken = targets.flatMap(({ target, critical }) => critical.map((one) => ({ ...one, target })));
  const labelOf = useModelLabel();
  if (broken.length === 0) return null;
  return (
    <>
      <h3>Broken critical cases</h3>
      <ul>
        {broken.map((one) => (
          <li key={`${one.target} ${one.case_id}`}>
            <UserText text={one.case_name ?? `case ${one.position + 1}`} max={200} />,{' '}
            <UserText text={labelOf(one.target)} max={200} />, {one.samples.join(' and ')} samples
            {one.confirmed ? '' : ', too few to confirm'}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The first cases of each model that always passed before, and now never do; those of one model are open. */
function Broken({ answer }: { answer: GateAnswer }) {
  const { eval_id: run, baseline_eval_id: baseline, targets } = answer;
  if (run === null || baseline === null) return null;
  return targets
    .filter(({ broken, baseline_target: compared }) => broken > 0 && compared !== null)
    .map((target, n) => (
      <BrokenOf key={target.target} isOpen={n === 0} answer={answer} target={target} runs={[baseline, run]} />
    ));
}

interface BrokenProps {
  isOpen: boolean;
  answer: GateAnswer;
  target: GateTarget;
  runs: [baseline: string, run: string];
}

function BrokenOf({ answer, target, runs, isOpen }: BrokenProps) {
  const { gate, targets } = answer;
  const labelOf = useModelLabel();
  const pair = `${target.baseline_target}~${target.target}`;
  const search: CompareSearch = { ...comparisonOf(...runs, gate), pair, outcome: 'broken' };
  const name = (
    <>
      Broken
      {targets.length > 1 && (
        <>
          , <UserText text={labelOf(target.target)} max={200} />
        </>
      )}
      : {count(target.broken)}
    </>
  );
  const cases = (
    <QueryBoundary rows={5}>
      <BrokenCases answer={answer} runs={runs} search={search} />
    </QueryBoundary>
  );
  if (!isOpen) return <LazyDetails summary={name}>{() => cases}</LazyDetails>;
  return (
    <>
      <h3>{name}</h3>
      {cases}
    </>
  );
}

/** Cases that are shown; the comparison has all. */
const MAX_BROKEN = 3;

function BrokenCases({ answer, runs, search }: Pick<BrokenProps, 'answer' | 'runs'> & { search: CompareSearch }) {
  const { items, next_cursor: next } = useKeptQuery(brokenCasesQuery(answer, runs, search)).data;
  return (
    <>
      {items.slice(0, MAX_BROKEN).map((item) => (
        <ComparedCase key={item.case_id} item={item} side="B" />
      ))}
      {(next !== null || items.length > MAX_BROKEN) && (
        <p>
          <Link to="/compare" search={search}>
            All broken cases
          </Link>
        </p>
      )}
    </>
  );
}
