import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { memo } from 'react';
import { statusOf } from '../../../../api/client';
import { promptTuneQuery } from '../../api';
import { LivePromptTune, type LivePromptTuneState } from '../../live';
import { useLive } from '../../../../live/use-live';
import { useRefreshOnEvents } from '../../../../live/use-refreshed';
import { ErrorNotice } from '../../../../ui/error-notice';
import { TuneNotFound } from '../../../tunes/parts/tune-not-found';
import { count, percent } from '../../../../ui/score';
import { Skeleton } from '../../../../ui/skeleton';
import { isUnderWay } from '../../../../ui/status';
import { TuneProgress } from '../../../tunes/parts/tune-progress';
import { PromptTuneResult } from './prompt-tune-result';
import { Front } from './front';
import { Lineage } from './lineage';
import { PromptTuneHead } from './prompt-tune-head';
import './prompt-tune.css';

const Head = memo(PromptTuneHead);

/** The best texts for each model's tool calls, their origin, and whether they can be trusted. */
export function PromptTuneScreen() {
  const { tuneId } = useParams({ from: '/signed-in/tunes/prompts/$tuneId' });
  const tune = useQuery({ ...promptTuneQuery(tuneId), refetchOnMount: 'always' });
  const jobId = tune.data && isUnderWay(tune.data.status) ? tune.data.job_id : undefined;
  const live = useLive(LivePromptTune, jobId);
  useRefreshOnEvents(tuneId, live);
  if (tune.isPending) return <Skeleton rows={12} />;
  if (!tune.data && statusOf(tune.error) === 404) return <TuneNotFound />;
  if (!tune.data) return <ErrorNotice error={tune.error!} retry={() => tune.refetch()} />;
  return (
    <>
      <Head tune={tune.data} />
      {tune.isError && (
        <ErrorNotice error={tune.error} retry={() => tune.refetch()}>
          <p>Shown as of {new Date(tune.dataUpdatedAt).toLocaleTimeString()}.</p>
        </ErrorNotice>
      )}
      {live && isUnderWay(tune.data.status) && (
        <TuneProgress tune={tune.data} live={live}>
          <LatestGeneration live={live} />
        </TuneProgress>
      )}
      <PromptTuneResult tune={tune.data} />
      <Front tuneId={tuneId} />
      <Lineage tuneId={tuneId} />
    </>
  );
}

function LatestGeneration({ live: { newest } }: { live: LivePromptTuneState }) {
  if (!newest) return null;
  const { iteration, accepted, rejected, front, best } = newest;
  return (
    <p>
      Iteration {count(iteration)}: {count(accepted.length)} accepted, {count(rejected.length)} rejected;{' '}
      {count(front.length)} on the front. The best so far is candidate {best.id}
      {best.score !== null && `, with ${percent(best.score)} on the selection cases`}.
    </p>
  );
}
