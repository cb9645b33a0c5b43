import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { GateAnswer, GateTarget } from '#lib/gate/contract';
import type { CompareSearch } from '../../compare/address';
import { comparedItemsQuery } from '../../compare/api';
import { Deltas } from '../../../ui/figures/delta';
import { ChangesTable } from '../../../ui/changes-table';
import { ComparedCase } from '../../compare/parts/compared-case';
import { GateResult } from './gate-result';
import { levelText, lookWords, pointsText } from './gate-words';
import { UserText, UserLine } from '../../../ui/user-text';
import { RunLink } from '../../runs/parts/run-link';
import { count, percent, scoreText } from '../../../ui/amounts';
import { QueryBoundary } from '../../../ui/query-boundary';
import { Notes } from '../../../ui/notices';
import { Table } from '../../../ui/table';
import css from './gates.module.css';

/** A gate's decision on a run, its figures, and the cases to look at. */
export function GateAnswerView({ answer }: { answer: GateAnswer }) {
  const { result, text, gate, look, cases, targets, what_changed: changes } = answer;
  return (
    <>
      <p className="sentence">
        <GateResult result={result} /> <UserText text={text} />
      </p>
      <div className="facts">
        <span>
          <UserText text={gate.measure} max={100} />, margin {pointsText(gate.margin)}, gate version {gate.version}
        </span>
        <span>{lookWords(look)}</span>
        {cases && <CaseCounts cases={cases} />}
        <Runs answer={answer} />
      </div>
      {targets.some(({ difference }) => difference !== null) && (
        <Deltas
          label={`Difference of each model from the baseline in points, with ${levelText(look)} intervals`}
          rows={targets.map((target) => ({
            key: target.target,
            label: <UserLine text={target.target} />,
            difference: target.difference,
            interval: target.ci,
            aside: (
              <>
                <span className="muted small">n {count(target.n_cases)} </span>
                <GateResult result={target.result} />
              </>
            ),
          }))}
        />
      )}
      {targets.length > 0 && <Targets answer={answer} />}
      <Critical targets={targets} />
      <Notes of={answer} />
      <Broken answer={answer} />
      {changes.length > 0 && (
        <>
          <h3>Differences from the baseline</h3>
          <ChangesTable label="Settings that differ" rows={changes} what="Setting" a="The baseline" b="The run" />
        </>
      )}
    </>
  );
}

function CaseCounts({ cases }: { cases: NonNullable<GateAnswer['cases']> }) {
  const others: [number, string][] = [
    [cases.dropped_errored, 'left out because of errors'],
    [cases.changed, 'changed'],
    [cases.only_a, 'only in the baseline'],
    [cases.only_b, 'only in the run'],
  ];
  const words = others.filter(([n]) => n > 0).map(([n, what]) => `${count(n)} ${what}`);
  return <span>{[`${count(cases.common)} cases in common`, ...words].join(', ')}</span>;
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

/** The figures and the gate's decision for each model. */
function Targets({ answer: { targets, text, look } }: { answer: GateAnswer }) {
  return (
    <Table
      label="Figures of each model"
      rows={targets}
      keyOf={({ target }) => target}
      columns={[
        { name: 'Model', className: 'named', cell: ({ target }) => <UserLine text={target} /> },
        { name: 'Result', cell: ({ result }) => <GateResult result={result} /> },
        {
          name: `Passed (${levelText(look)})`,
          cell: ({ pass_rate: mean, pass_rate_ci: ci, n_cases: scored }) => scoreText({ mean, ci, scored }),
        },
        {
          name: 'Samples per case',
          isNumber: true,
          cell: ({ samples }) => samples.map((some) => Number(some.toFixed(2))).join(' and '),
        },
        { name: 'Fixed', isNumber: true, cell: ({ fixed }) => count(fixed) },
        { name: 'Broken', isNumber: true, cell: ({ broken }) => count(broken) },
        { name: 'Errored', cell: ({ errored_shares: shares }) => shares.map(percent).join(' and ') },
        {
          name: 'Explanation',
          className: css.says,
          cell: (target) => (
            <>
              {target.text !== text && <UserText text={target.text} max={500} />}
              {target.cases_needed !== null && ` About ${count(target.cases_needed)} more cases could decide.`}
            </>
          ),
        },
      ]}
    />
  );
}

/** Broken critical cases. */
function Critical({ targets }: { targets: readonly GateTarget[] }) {
  const broken = targets.flatMap(({ target, critical }) => critical.map((one) => ({ ...one, target })));
  if (broken.length === 0) return null;
  return (
    <>
      <h3>Broken critical cases</h3>
      <ul>
        {broken.map((one) => (
          <li key={`${one.target} ${one.case_id}`}>
            <UserText text={one.case_name ?? `case ${one.position + 1}`} max={200} />,{' '}
            <UserText text={one.target} max={100} />, {one.samples.join(' and ')} samples
            {one.confirmed ? '' : ', too few to confirm'}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The first cases of each model that always passed before, and now never do. */
function Broken({ answer }: { answer: GateAnswer }) {
  const { eval_id: run, baseline_eval_id: baseline, targets } = answer;
  if (run === null || baseline === null) return null;
  return targets.map(
    (target) =>
      target.broken > 0 &&
      target.baseline_target !== null && (
        <BrokenOf key={target.target} answer={answer} target={target} runs={[baseline, run]} />
      ),
  );
}

interface BrokenProps {
  answer: GateAnswer;
  target: GateTarget;
  runs: [baseline: string, run: string];
}

function BrokenOf({ answer: { gate, targets }, target, runs }: BrokenProps) {
  const pair = `${target.baseline_target}~${target.target}`;
  const search: CompareSearch = { ...comparisonOf(...runs, gate), pair, outcome: 'broken' };
  return (
    <>
      <h3>
        Broken{targets.length > 1 && <>, {<UserText text={target.target} max={200} />}</>}: {count(target.broken)}
      </h3>
      <QueryBoundary rows={5}>
        <BrokenCases runs={runs} search={search} />
      </QueryBoundary>
    </>
  );
}

function BrokenCases({ runs, search }: { runs: BrokenProps['runs']; search: CompareSearch }) {
  const { items, next_cursor: next } = useSuspenseQuery(comparedItemsQuery(...runs, search)).data;
  return (
    <>
      {items.map((item) => (
        <ComparedCase key={item.case_id} item={item} side="B" hasModels={false} />
      ))}
      {next !== null && (
        <p>
          <Link to="/compare" search={search}>
            All broken cases
          </Link>
        </p>
      )}
    </>
  );
}
