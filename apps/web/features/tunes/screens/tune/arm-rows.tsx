import { useRef, useState, type CSSProperties } from 'react';
import { DataRows, type Column } from '../../../../ui/data-rows';
import { IntervalBar } from '../../../../ui/figures/intervals';
import { count, Money, scoreText } from '../../../../ui/amounts';
import { duration } from '../../../../ui/time';
import { UserLine } from '../../../../ui/user-text';
import css from '../tunes.module.css';
import type { Arm } from '../../parts/arms';
import { configText } from './arm-settings';

interface ArmRowsProps {
  arms: readonly Arm[];
  label: string;
  opened: number | undefined;
  open: (arm: Arm) => void;
}

/** Arms in a list of any length, which draws only the rows in view. */
export function ArmRows({ arms, label, opened, open }: ArmRowsProps) {
  const gridRef = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const openedAt = arms.findIndex(({ arm }) => arm === opened);
  return (
    <div className={css.arms} style={{ '--count': arms.length } as CSSProperties}>
      <DataRows
        label={label}
        columns={COLUMNS}
        count={arms.length}
        isMore={false}
        rowAt={(index) => arms[index]}
        active={Math.min(active, arms.length - 1)}
        opened={openedAt < 0 ? undefined : openedAt}
        activate={setActive}
        open={open}
        onWindow={() => {}}
        gridRef={gridRef}
      />
    </div>
  );
}

const COLUMNS: Column<Arm>[] = [
  { name: 'No.', track: '48px', isNumber: true, cell: ({ arm }) => arm },
  {
    name: 'Combination',
    track: 'minmax(176px, 3fr)',
    cell: ({ config, adjusted }) => <UserLine text={`${configText(config)}${adjusted ? ' (adjusted)' : ''}`} />,
  },
  { name: 'State', track: '104px', cell: stateOf },
  { name: 'Rung', track: '72px', cell: ({ rung }) => rung && <UserLine text={rung} /> },
  {
    name: '0 to 100 %',
    track: 'minmax(96px, 1fr)',
    cell: ({ mean, ci }) => mean !== null && <IntervalBar mean={mean} interval={ci ?? [mean, mean]} />,
  },
  {
    name: 'Score',
    track: '200px',
    cell: ({ mean, ci, cases }) => mean !== null && scoreText({ mean, ci, scored: cases }),
  },
  { name: 'Cost', track: '64px', isNumber: true, cell: ({ cases, cost_usd: usd }) => cases > 0 && <Money usd={usd} /> },
  {
    name: 'p50',
    track: '56px',
    isNumber: true,
    cell: ({ latency_p50_ms: ms }) => (ms === null ? '' : duration(ms)),
  },
  { name: 'Errored', track: '56px', isNumber: true, cell: ({ errored }) => (errored > 0 ? count(errored) : '') },
];

function stateOf({ state, tied, same_as: sameAs }: Arm): string {
  if (sameAs !== null) return `same as ${sameAs}`;
  return tied && state !== 'recommended' ? `${state}, tied` : state;
}
