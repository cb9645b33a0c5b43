import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { calibrationQuery, judgeSettingQuery } from '../api/judge';
import { CalibrationSentence } from '../parts/calibration';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserText } from '../../../ui/user-text';
import { Skeleton } from '../../../ui/skeleton';

/** The team's judge, how well people's labels confirm it, and when it judges automatically. */
export function DefaultJudge() {
  const setting = useQuery(judgeSettingQuery);
  if (setting.isPending) return <Skeleton rows={3} />;
  if (!setting.data) return <ErrorNotice error={setting.error} retry={() => setting.refetch()} />;
  const { judge, auto_below: below } = setting.data;
  return (
    <section aria-labelledby="default-judge" className="section">
      <h2 id="default-judge">Default judge</h2>
      {judge === null ? (
        <p className="muted">The team has no default judge. Each report names its judge.</p>
      ) : (
        <>
          <div className="facts">
            <UserText text={judge} max={300} />
            <span className="muted">
              {below > 0
                ? `automatically judges the failures of runs that score below ${below}`
                : 'judges no runs automatically'}
            </span>
            <Link to="/judge/calibration" search={{ judge }}>
              Calibration
            </Link>
          </div>
          <DefaultJudgeCalibration judge={judge} />
        </>
      )}
      <div className="actions">
        <Link to="/settings/judge" className="button">
          Judge settings
        </Link>
      </div>
    </section>
  );
}

function DefaultJudgeCalibration({ judge }: { judge: string }) {
  const { data, error, isPending, refetch } = useQuery(calibrationQuery({ judge }));
  if (isPending) return <Skeleton rows={1} />;
  if (!data) return <ErrorNotice error={error} retry={refetch} />;
  return <CalibrationSentence calibration={data} />;
}
