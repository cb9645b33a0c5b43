import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Experiment } from '#lib/contracts/experiment';
import { statusOf } from '../../../../api/client';
import { experimentQuery, timelineQuery } from '../../api';
import { Empty } from '../../../../ui/empty';
import { ErrorNotice } from '../../../../ui/error-notice';
import { PageLinks } from '../../../../ui/page-links';
import { Skeleton } from '../../../../ui/skeleton';
import { BestConfiguration } from './best-configuration';
import { TimelineTable } from './timeline-table';
import { ExperimentHead } from './experiment-head';
import { ScoreTimeline } from './score-timeline';
import './experiment.css';

/** Whether scores have improved, and since when. */
export function ExperimentScreen() {
  const { experimentId } = useParams({ from: '/signed-in/experiments/$experimentId' });
  const experiment = useQuery({ ...experimentQuery(experimentId), refetchOnMount: 'always' });
  if (experiment.isPending) return <Skeleton rows={12} />;
  if (!experiment.data && statusOf(experiment.error) === 404) return <NoExperiment />;
  if (!experiment.data) return <ErrorNotice error={experiment.error!} retry={() => experiment.refetch()} />;
  return (
    <>
      <ExperimentHead key={experimentId} experiment={experiment.data} />
      <BestConfiguration experiment={experiment.data} />
      <ExperimentTimeline experiment={experiment.data} />
    </>
  );
}

function ExperimentTimeline({ experiment }: { experiment: Experiment }) {
  const { after } = useSearch({ from: '/signed-in/experiments/$experimentId' });
  const { data, error, isPending, refetch } = useQuery({
    ...timelineQuery(experiment.id, after),
    refetchOnMount: 'always',
  });
  // Refetches once the comparisons have been recomputed, for the new deltas and verdicts.
  useEffect(() => {
    if (!experiment.refreshing) void refetch();
  }, [experiment.refreshing, experiment.baseline_eval_id, experiment.best?.eval_id, refetch]);
  const { items = [], next_cursor: next = null } = data ?? {};
  return (
    <section aria-labelledby="timeline" className="section">
      <h2 id="timeline">Timeline</h2>
      {error && <ErrorNotice error={error} retry={refetch} />}
      {isPending && <Skeleton rows={8} />}
      {data && items.length === 0 && <NoEntries experiment={experiment} />}
      {items.length > 0 && (
        <>
          <ScoreTimeline experiment={experiment} entries={items} />
          <TimelineTable experiment={experiment} entries={items} />
        </>
      )}
      <PageLinks of="the timeline" after={after} next={next} words={['From the beginning', 'Later']} />
    </section>
  );
}

const NoEntries = ({ experiment: { suite_id: suite } }: { experiment: Experiment }) => (
  <Empty
    action={
      <Link to="/runs/new" search={{ suite }} className="button">
        New run
      </Link>
    }
  >
    No entries yet. Finished runs, tunes and judge reports of this experiment appear here, compared with the baseline.
  </Empty>
);

const NoExperiment = () => (
  <Empty
    action={
      <Link to="/experiments" className="button">
        All experiments
      </Link>
    }
  >
    There is no such experiment in your team. It may have been deleted.
  </Empty>
);
