import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { runQuery, runsQuery } from '../../api/runs';
import { ErrorNotice } from '../../../../ui/error-notice';
import { Skeleton } from '../../../../ui/skeleton';
import { emptyRun, fromRun } from './new-run';
import { RunForm } from './run-form';

/** A new run, with its estimate before it starts. */
export function RunNewScreen() {
  const { suite = '', prompt = '', from, tool_choice: toolChoice } = useSearch({ from: '/signed-in/runs/new' });
  const earlier = useQuery({ ...runQuery(from ?? ''), enabled: from !== undefined });
  // A suite is usually run again with the same models.
  const newest = useQuery({ ...runsQuery({ suite, limit: 1 }), enabled: from === undefined && suite !== '' });
  const [before] = newest.data?.items ?? [];
  const empty = { ...emptyRun(suite, prompt), ...(before && { models: fromRun(before).models }) };
  const key = `new run ${suite} ${prompt} ${from ?? ''} ${toolChoice ?? ''}`;
  return (
    <>
      <h1>New run</h1>
      {from === undefined && !newest.isLoading && <RunForm key={key} draftKey={key} initial={empty} />}
      {(newest.isLoading || (from !== undefined && earlier.isPending)) && <Skeleton rows={12} />}
      {from !== undefined && earlier.isError && !earlier.data && (
        <ErrorNotice error={earlier.error} retry={() => earlier.refetch()} />
      )}
      {earlier.data && (
        <RunForm key={key} draftKey={key} initial={{ ...fromRun(earlier.data), ...(toolChoice && { toolChoice }) }} />
      )}
    </>
  );
}
