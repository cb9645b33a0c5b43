import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { memo, useEffect, useMemo, useRef } from 'react';
import type { TuneArm } from '#lib/param-tune/contract';
import { statusOf } from '../../../../api/client';
import { POLL_MS, refreshWork } from '../../../../api/refresh';
import { armsQuery, tuneQuery } from '../../api/tunes';
import { LiveTune, type LiveTuneState } from '../../live';
import { useLive } from '../../../../live/use-live';
import { ErrorNotice } from '../../../../ui/error-notice';
import { TuneNotFound } from '../../parts/tune-not-found';
import { Skeleton } from '../../../../ui/skeleton';
import { isUnderWay } from '../../../../ui/status';
import { TuneProgress } from '../../parts/tune-progress';
import { withUpdates } from './arm-list';
import { BestOverModels } from './best-over-models';
import { TuneHead } from './tune-head';
import { TuneModel } from './tune-model';
import './tune.css';

/** Arms refetched per second: large tunes are refetched less often. */
const ARMS_A_SECOND = 200;

const Head = memo(TuneHead);

/** The best settings for each model's tool calls, and whether they can be trusted. */
export function TuneScreen() {
  const { tuneId } = useParams({ from: '/signed-in/tunes/$tuneId' });
  const tune = useQuery({ ...tuneQuery(tuneId), refetchOnMount: 'always' });
  const jobId = tune.data && isUnderWay(tune.data.status) ? tune.data.job_id : undefined;
  const live = useLive(LiveTune, jobId);
  const arms = useArms(tuneId, live);
  if (tune.isPending) return <Skeleton rows={12} />;
  if (!tune.data && statusOf(tune.error) === 404) return <TuneNotFound />;
  if (!tune.data) return <ErrorNotice error={tune.error!} retry={() => tune.refetch()} />;
  const { targets } = tune.data;
  return (
    <>
      <Head tune={tune.data} arms={arms.read} />
      {tune.isError && (
        <ErrorNotice error={tune.error} retry={() => tune.refetch()}>
          <p>Shown as of {new Date(tune.dataUpdatedAt).toLocaleTimeString()}.</p>
        </ErrorNotice>
      )}
      {live && isUnderWay(tune.data.status) && <TuneProgress tune={tune.data} live={live} />}
      {arms.error && <ErrorNotice error={arms.error} retry={arms.retry} />}
      {targets.map((target) => (
        <TuneModel
          key={target.target}
          tune={tune.data}
          target={target}
          arms={arms.shown?.get(target.target)}
          isOpen={targets.length <= 2}
        />
      ))}
      <BestOverModels best={tune.data.best_over_models} />
    </>
  );
}

interface Arms {
  read: readonly TuneArm[] | undefined;
  /** Arms by model, updated with the live news since they were read. */
  shown: ReadonlyMap<string, TuneArm[]> | undefined;
  error: Error | null;
  retry: () => unknown;
}

/** The arms of a tune. Live news of an arm are shown at once; all arms are refetched after a while. */
function useArms(tuneId: string, live: LiveTuneState | undefined): Arms {
  const { data, error, refetch } = useQuery({ ...armsQuery(tuneId), refetchOnMount: 'always' });
  const everyMs = Math.max(POLL_MS, ((data?.length ?? 0) / ARMS_A_SECOND) * 1000);
  const isBehind = live !== undefined && (live.connection !== 'live' || live.isTruncated || live.hasEnded);
  useQuery({ ...tuneQuery(tuneId), refetchInterval: isBehind ? POLL_MS : false });
  useQuery({ ...armsQuery(tuneId), refetchInterval: isBehind ? everyMs : false });
  const { changes = 0, received = 0 } = live ?? {};
  useEffect(() => {
    if (changes > 0) void refreshWork(tuneId);
  }, [changes, tuneId]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (received === 0) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void refetch();
    }, everyMs);
  }, [received, everyMs, refetch]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const news = live?.arms;
  const shown = useMemo(() => {
    if (!data) return undefined;
    return Map.groupBy(news?.size ? data.map((arm) => withUpdates(arm, news)) : data, ({ target }) => target);
  }, [data, news]);
  return { read: data, shown, error, retry: refetch };
}
