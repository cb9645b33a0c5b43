import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { Calibration } from '#lib/judge/contract';
import { Bar } from '../../../ui/status';
import { Intervals } from '../../../ui/figures/intervals';
import { QueryBoundary, Section } from '../../../ui/query-boundary';
import { count } from '../../../ui/amounts';
import { UserBlock, UserText } from '../../../ui/user-text';
import { calibrationQuery, type CalibrationFilter } from '../api';
import { CalibrationSentence, Uncalibrated } from '../parts/calibration';
import { KappaFigure, kappaText, shareRow } from '../parts/judged-figures';

/** How well people's labels confirm a judge. */
export function CalibrationScreen() {
  const search = useSearch({ from: '/signed-in/judge/calibration' });
  const { data } = useQuery(calibrationQuery(search));
  return (
    <>
      <div className="head">
        <h1>Judge calibration</h1>
        {data && (
          <Link to="/judge/labels" search={{ judge: data.judge }} className="button primary">
            Label results
          </Link>
        )}
      </div>
      <QueryBoundary rows={8}>
        <CalibrationDetails of={search} />
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
            {count(calibration.labels)} of {count(calibration.asked)} labels
          </span>
          <span>
            {calibration.reports === 1 ? 'one report' : `${count(calibration.reports)} reports`} with these settings
          </span>
          {calibration.report_id !== null && (
            <Link to="/judge/reports/$reportId" params={{ reportId: calibration.report_id }}>
              Newest report
            </Link>
          )}
        </div>
        <Bar done={calibration.labels} total={calibration.asked} label="Labels for the judge" />
        <CalibrationSentence calibration={calibration} />
        {calibration.left_out > 0 && (
          <p className="muted">
            {count(calibration.left_out)} {calibration.left_out === 1 ? 'label is' : 'labels are'} excluded: their
            results were not drawn at random, or the judge could not tell.
          </p>
        )}
        <details>
          <summary>Instructions</summary>
          {calibration.instructions === '' ? (
            <p className="muted">None besides the rules that every judge gets.</p>
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

function Agreement({ calibration: { kappa, ci, linear, status } }: { calibration: Calibration }) {
  return (
    <Section id="agreement" title="Agreement with people">
      <p className="muted">
        Kappa of ok (correct or acceptable) and wrong: 1 is full agreement, 0 is chance level. A judge is usable if the
        lower end of the interval is at least 0.4, and good from 0.6.
      </p>
      {kappa === null ? (
        <p>No kappa yet: people or the judge have given only one verdict, or none.</p>
      ) : (
        <div>
          <KappaFigure label="Kappa of the judge and people, with its 95 % interval" kappa={kappa} interval={ci} />
          <Uncalibrated status={status} />
        </div>
      )}
      {linear.kappa !== null && (
        <p>
          Over the three levels, where a difference of one level counts half: {kappaText(linear.kappa, linear.ci)}
          <Uncalibrated status={status} />
        </p>
      )}
    </Section>
  );
}

function ConfirmedShares({ calibration: { ok, wrong, status } }: { calibration: Calibration }) {
  const shares = { 'Judged correct or acceptable': ok, 'Judged wrong': wrong };
  const drawn = Object.entries(shares).flatMap(([key, { share, ci, n }]) =>
    share === null ? [] : shareRow({ key, share, ci, n, status }),
  );
  return (
    <Section id="confirmed" title="Confirmed by people">
      <p className="muted">The share of labelled judgements that people confirm.</p>
      {drawn.length === 0 && <p>No labels yet.</p>}
      {drawn.length > 0 && <Intervals label="Shares that people confirm, with their 95 % intervals" rows={drawn} />}
    </Section>
  );
}
