import { Link, useSearch } from '@tanstack/react-router';
import { useRefusal } from '../../../../api/session';
import { Empty } from '../../../../ui/empty';
import { LabelQueue } from './label-queue';
import './judge-labels.css';

/** People label results that a judge has judged, so that the two can be compared. */
export function LabelsScreen() {
  const { eval: run, judge } = useSearch({ from: '/signed-in/judge/labels' });
  const refusal = useRefusal('editor');
  return (
    <>
      <div className="head">
        <h1>Label results</h1>
        <Link to="/judge/calibration" search={{ judge }}>
          Calibration
        </Link>
      </div>
      {refusal === undefined ? (
        <LabelQueue key={`${run} ${judge}`} run={run} judge={judge} />
      ) : (
        <Empty>Results are drawn here for people to label. {refusal}</Empty>
      )}
    </>
  );
}
