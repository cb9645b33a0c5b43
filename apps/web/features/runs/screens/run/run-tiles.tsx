import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import type { Run } from '#lib/contracts/run';
import { count, money, percent } from '../../../../ui/amounts';
import { Chip } from '../../../../ui/chip';
import { isUnderWay } from '../../../../ui/status';
import { UserText } from '../../../../ui/user-text';
import { ModelName, useShortNames } from '../../../providers/parts/model-name';
import { currentCostQuery } from '../../api';
import { Against } from '../../parts/against';
import { againstDetail } from '../../parts/against-words';
import { costText } from '../../parts/run-cost';
import { ResultsLink } from '../../parts/run-link';
import { bestOf, bestText } from '../../parts/run-score';
import { ResumeRun } from './run-actions';
import { RunTradeOff } from './run-trade-off';
import css from './run.module.css';

/** The answers of a run in four figures: who is best, what changed, what it cost, and what is missing. */
export function RunTiles({ run }: { run: Run }) {
  const hasPicture = run.summaries.filter(({ overall }) => overall !== null).length > 1 && !isUnderWay(run.status);
  return (
    <div className={hasPicture ? css.answer : undefined}>
      <div className={css.tiles}>
        <BestTile run={run} />
        <ChangeTile run={run} />
        <CostTile run={run} />
        <ErroredTile run={run} />
      </div>
      {hasPicture && <RunTradeOff run={run} />}
    </div>
  );
}

interface TileProps {
  label: string;
  figure: ReactNode;
  children?: ReactNode;
}
const Tile = ({ label, figure, children }: TileProps) => (
  <section className={css.tile} aria-label={label}>
    <div className="small muted">{label}</div>
    <div className={css.figure}>{figure}</div>
    <div className="small muted">{children}</div>
  </section>
);

const NAMED = 3;

function BestTile({ run }: { run: Run }) {
  const best = bestOf(run);
  const { status, counts } = run;
  const nothing = !isUnderWay(status) && counts.errored === counts.settled ? 'nothing scored' : 'none yet';
  const names = best.is === 'one' || best.is === 'tie' ? best.targets : [];
  const short = useShortNames(useMemo(() => run.summaries.map(({ target }) => target), [run.summaries]));
  return (
    <Tile label="Best" figure={bestText(best) || nothing}>
      {names.slice(0, NAMED).map((target) => (
        <ModelName key={target} target={target} of={short} />
      ))}
      {names.length > NAMED && `${count(names.length - NAMED)} more`}
    </Tile>
  );
}

function ChangeTile({ run }: { run: Run }) {
  const { against } = run;
  if (!against)
    return (
      <Tile label="Change" figure="none yet">
        Nothing to compare with.
      </Tile>
    );
  return (
    <Tile label="Change" figure={<Against of={run} />}>
      <UserText text={againstDetail(against)} max={200} />
    </Tile>
  );
}

function CostTile({ run }: { run: Run }) {
  const { actual, estimate, counts } = run;
  const { data } = useQuery({ ...currentCostQuery(run.id), enabled: actual !== null, retry: false });
  const known = actual?.cost_usd ?? null;
  const today = data?.current_cost?.cost_usd ?? null;
  const isOther = today !== null && known !== null && Math.abs(today - known) > 0.005 * known;
  return (
    <Tile label="Cost" figure={costText(run) || 'not yet'}>
      {known !== null && known > 0 && counts.passed > 0 && <div>{money(known / counts.passed)} per passed</div>}
      {estimate?.cost_usd != null && <div>estimated {money(estimate.cost_usd)}</div>}
      {isOther && <div>{money(today)} at today&rsquo;s prices</div>}
    </Tile>
  );
}

function ErroredTile({ run }: { run: Run }) {
  const { errored, settled, total } = run.counts;
  const canResume = !isUnderWay(run.status) && (errored > 0 || settled < total);
  return (
    <Tile
      label="Errored"
      figure={
        errored > 0 ? (
          <ResultsLink runId={run.id} search={{ type: ['errored'] }} label={`${errored} errored results`}>
            {count(errored)}
          </ResultsLink>
        ) : (
          '0'
        )
      }
    >
      <span className={css.tileLine}>
        {errored > 0 && <Chip kind="errored">{percent(errored / settled)}</Chip>}
        <span>{settled < total ? `${count(settled)} of ${count(total)} results` : `of ${count(settled)} results`}</span>
        {canResume && <ResumeRun run={run} />}
      </span>
    </Tile>
  );
}
