import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Calibration } from '#lib/judge/contract';
import { Head } from '../../../ui/head';
import { Hint } from '../../../ui/hint';
import { Intervals } from '../../../ui/figures/intervals';
import { QueryBoundary, Section } from '../../../ui/query-boundary';
import { count } from '../../../ui/amounts';
import { UserBlock, UserText } from '../../../ui/user-text';
import { calibrationQuery, type CalibrationFilter } from '../api';
import { PeopleTable } from '../parts/agreement-table';
import { CalibrationSentence } from '../parts/calibration';
import { WithJudge } from '../parts/with-judge';
import { KappaFigure, kappaText, shareRow } from '../parts/judged-figures';

const TRAIL = [{ to: '/judge', label: 'Judge' }] as const;

/** How well people's labels confirm a judge. */
export function CalibrationScreen() {
  const search = useSearch({ from: '/signed-in/judge/calibration' });
  const navigate = useNavigate();
  const { judge } = search;
  return (
    <>
      <Head
        title="Judge calibration"
        trail={TRAIL}
        actions={
          <Link to="/judge/labels" search={{ judge }} className="button primary">
            Label results
          </Link>
        }
      />
      <QueryBoundary rows={8}>
        <WithJudge
          judge={search.report ?? judge}
          choose={(chosen) => void navigate({ to: '/judge/calibration', search: { judge: chosen } })}
        >
          <CalibrationDetails of={search} />
        </WithJudge>
      </QueryBoundary>
    </>
  );
}

function CalibrationDetails({ of }: { of: CalibrationFilter }) {
  const { data: calibration } = useSuspenseQuery({ ...calibrationQuery(of), staleTime: 0 });
  return (
    <>
      <section aria-label="The judge" className="section">
        <div className="facts">
          <strong>
            <UserText text={calibration.judge} max={300} />
          </strong>
          <span>
            {count(calibration.reports)} {calibration.reports === 1 ? 'report' : 'reports'}
          </span>
          {calibration.report_id !== null && (
            <Link to="/judge/reports/$reportId" params={{ reportId: calibration.report_id }}>
              Newest report
            </Link>
          )}
        </div>
        <CalibrationSentence calibration={calibration} />
        {calibration.left_out > 0 && (
          <p className="muted">
            {count(calibration.left_out)} {calibration.left_out === 1 ? 'label is' : 'labels are'} left out: not drawn
            at random, or undecided.
          </p>
        )}
        <details>
          <summary>Instructions</summary>
          {calibration.instructions === '' ? (
            <p className="muted">None.</p>
          ) : (
            <UserBlock text={calibration.instructions} />
          )}
        </details>
      </section>
      <Agreement calibration={calibration} />
      <ConfirmedShares calibration={calibration} />
    </>
  );
}

function Agreement({ calibration: { kappa, ci, linear, table } }: { calibration: Calibration }) {
  return (
    <Section id="agreement" title="Agreement with people">
      <PeopleTable table={table} />
      <div className="muted">
        <Hint term="kappa">Kappa</Hint>: usable from 0.4, good from 0.6, by the lower end.
      </div>
      {kappa === null ? (
        <p>None yet: people or the judge have given only one verdict.</p>
      ) : (
        <KappaFigure label="Kappa of the judge and people, with its 95 % interval" kappa={kappa} interval={ci} />
      )}
      {linear.kappa !== null && <p>Over three levels: {kappaText(linear.kappa, linear.ci)}</p>}
    </Section>
  );
}

function ConfirmedShares({ calibration: { ok, wrong } }: { calibration: Calibration }) {
  const shares = { 'Judged correct or acceptable': ok, 'Judged wrong': wrong };
  const drawn = Object.entries(shares).flatMap(([key, { share, ci, n }]) =>
    share === null ? [] : shareRow({ key, share, ci, n }),
  );
  return (
    <Section id="confirmed" title="Confirmed by people">
      {drawn.length === 0 && <p>No labels yet.</p>}
      {drawn.length > 0 && <Intervals label="Shares that people confirm, with their 95 % intervals" rows={drawn} />}
    </Section>
  );
}
