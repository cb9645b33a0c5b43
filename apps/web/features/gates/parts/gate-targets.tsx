import type { GateAnswer, GateTarget } from '#lib/gate/contract';
import { floorWord } from '#lib/contracts/values/floors';
import { count, percent, scoreText } from '../../../ui/amounts';
import { LazyDetails } from '../../../ui/details';
import { deltaText, scaleEndOf, points } from '../../../ui/figures/delta';
import { Mark } from '../../../ui/status';
import { Table, type Column } from '../../../ui/table';
import { UserText } from '../../../ui/user-text';
import { ModelName } from '../../providers/parts/model-name';
import { GateResult } from './gate-result';
import { levelText } from './gate-words';
import css from './gates.module.css';
import { byGravity } from './look-values';

/** Each model with its difference from the baseline, those that decide first. */
export function GateTargets({ answer: { targets, look, gate } }: { answer: GateAnswer }) {
  const rows = targets.toSorted(byGravity);
  const isDrawn = rows.some(({ difference }) => difference !== null);
  const end = scaleEndOf([gate.margin, ...rows.flatMap(({ difference, ci }) => ci ?? difference ?? [])]);
  const name = `Difference (${levelText(look)})`;
  const drawn: Column<GateTarget> = {
    name,
    head: (
      <>
        <span className="unseen">{name}</span>
        <StripHead end={end} margin={gate.margin} />
      </>
    ),
    onPhone: 'line',
    cell: (target) => <Strip target={target} end={end} margin={gate.margin} />,
  };
  return (
    <>
      <Table
        label="Figures of each model"
        className={css.targets}
        hasCards
        rows={rows}
        keyOf={({ target }) => target}
        columns={[
          { name: 'Model', className: 'named', cell: ({ target }) => <ModelName target={target} /> },
          ...(isDrawn ? [drawn] : []),
          {
            name: 'Points',
            cell: ({ difference, ci }) =>
              difference === null ? '–' : deltaText({ difference, interval: ci }).replace(' points', ''),
          },
          { name: 'Result', cell: ({ result }) => <GateResult result={result} /> },
          { name: 'Fixed', isNumber: true, cell: ({ fixed }) => count(fixed) },
          { name: 'Broken', isNumber: true, cell: ({ broken }) => count(broken) },
        ]}
      />
      <Floors targets={rows} level={levelText(look)} />
      <LazyDetails className="numbers" summary="More figures">
        {() => (
          <Table
            label="Further figures of each model"
            rows={rows}
            keyOf={({ target }) => target}
            columns={[...FURTHER, ...(targets.length > 1 ? [IN_WORDS] : [])]}
          />
        )}
      </LazyDetails>
    </>
  );
}

const FLOORS = {
  reached: ['●', 'passed'],
  missed: ['○', 'failed'],
  undecided: ['?', 'partial'],
} as const;

/** Each floor of a metric with what was measured, whichever rule decided; nothing for a gate without one. */
function Floors({ targets, level }: { targets: readonly GateTarget[]; level: string }) {
  const rows = targets.flatMap(({ target, floors = [] }) => floors.map((floor) => ({ target, floor })));
  if (rows.length === 0) return null;
  return (
    <Table
      label="Floors"
      hasCards
      rows={rows}
      keyOf={({ target, floor }) => `${floor.name} ${target}`}
      columns={[
        ...(targets.length > 1
          ? [{ name: 'Model', className: 'named', cell: ({ target }: Row) => <ModelName target={target} /> }]
          : []),
        { name: 'Metric', cell: ({ floor }: Row) => <UserText text={floor.name} max={100} /> },
        { name: 'Floor', isNumber: true, cell: ({ floor }: Row) => percent(floor.minimum) },
        {
          name: `Now (${level})`,
          cell: ({ floor: { mean, ci } }: Row) =>
            mean === null || ci === null ? 'no case' : `${percent(mean)} (${ci.map(percent).join(' to ')})`,
        },
        {
          name: 'Reached',
          cell: ({ floor }: Row) => {
            const word = floorWord(floor);
            const [shape, look] = FLOORS[word];
            return <Mark {...{ shape, look }}>{word}</Mark>;
          },
        },
      ]}
    />
  );
}

interface Row {
  target: string;
  floor: NonNullable<GateTarget['floors']>[number];
}

const FURTHER: Column<GateTarget>[] = [
  { name: 'Model', className: 'named', cell: ({ target }) => <ModelName target={target} /> },
  {
    name: 'Passed',
    cell: ({ pass_rate: mean, pass_rate_ci: ci, n_cases: scored }) => scoreText({ mean, ci, scored }),
  },
  {
    name: 'Samples',
    title: 'Of each case',
    cell: ({ samples: [before, now] }) => `${Number(before.toFixed(1))} before, ${Number(now.toFixed(1))} now`,
  },
  {
    name: 'Errored',
    isNumber: true,
    title: 'Baseline, run',
    cell: ({ errored_shares: shares }) => (shares.some((share) => share > 0) ? shares.map(percent).join(', ') : '–'),
  },
  {
    name: 'Cases needed',
    isNumber: true,
    title: 'More samples cannot decide; about as many more cases could',
    cell: ({ cases_needed: more }) => (more === null ? '–' : `+${count(more)}`),
  },
];

const IN_WORDS: Column<GateTarget> = {
  name: 'In words',
  className: css.says,
  cell: ({ text }) => <UserText text={text} max={500} />,
};

interface StripScale {
  end: number;
  margin: number;
}

const SIDE = 6;
const positionOn =
  (end: number) =>
  (share: number): string =>
    `${50 + (Math.max(-end, Math.min(end, share)) / end) * (50 - SIDE)}%`;

/** The scale of the strips: the margin that a run has to stay above, and zero. */
function StripHead({ end, margin }: StripScale) {
  const at = positionOn(end);
  const isApart = margin / end > 0.3;
  return (
    <>
      <span className="unseen">Difference</span>
      <svg className={css.strip} aria-hidden="true">
        <text x={at(0)} y="16" textAnchor="middle">
          0
        </text>
        <text x={at(isApart ? -margin : -end)} y="16" textAnchor="middle">
          {points(isApart ? -margin : -end).replace('.0', '')}
        </text>
        <text x={at(end)} y="16" textAnchor="middle">
          {points(end).replace('.0', '')}
        </text>
      </svg>
    </>
  );
}

/** The difference with its interval; it is filled only if the interval excludes zero. */
function Strip({ target: { difference, ci }, end, margin }: StripScale & { target: GateTarget }) {
  const at = positionOn(end);
  const [low, high] = ci ?? [difference ?? 0, difference ?? 0];
  const isHollow = low <= 0 && high >= 0;
  return (
    <svg className={css.strip} aria-hidden="true">
      <line className={css.zero} x1={at(0)} x2={at(0)} y1="0" y2="24" />
      {margin > 0 && <line className={css.margin} x1={at(-margin)} x2={at(-margin)} y1="0" y2="24" />}
      {difference !== null && (
        <>
          <line className={css.bar} x1={at(low)} x2={at(high)} y1="12" y2="12" />
          <circle className={isHollow ? css.hollow : css.dot} cx={at(difference)} cy="12" r="5" />
        </>
      )}
    </svg>
  );
}
