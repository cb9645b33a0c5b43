import type { Json } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { Sent } from '../../../api/action';
import { queryClient } from '../../../api/query-client';
import { rescoreRun } from '../../runs/api';
import { refreshSuites, suiteQuery } from '../../suites/api';
import { caseQuery, saveCase } from '../api';
import { inputOf } from './case-value';

/** A rescore of a run with the version of the suite in which a case was corrected. */
export interface Mended {
  rescoreId: string;
  jobId: string;
  version: number;
}

interface ToMend {
  suiteId: string;
  caseId: string;
  runId: string;
  /** The case when the correction began. */
  before: Json;
}

/**
 * Saves a case, and scores the stored replies of a run with the version of the suite that this makes. Sent again after
 * an error, it goes on where it stopped.
 * @throws Error when somebody else changed the case meanwhile
 */
export async function mendCase(
  { suiteId, caseId, runId, before }: ToMend,
  input: Json,
  { idempotencyKey }: Sent,
): Promise<Mended> {
  const query = caseQuery(suiteId, caseId);
  const now = stringifyInSourceOrder(inputOf(await queryClient.fetchQuery({ ...query, staleTime: 0 })));
  const wanted = stringifyInSourceOrder(input);
  if (now !== wanted) {
    if (now !== stringifyInSourceOrder(before))
      throw new Error('Somebody else changed this case meanwhile. Cancel to drop your change and begin with theirs.');
    await saveCase(suiteId, caseId, input, { idempotencyKey });
  }
  const { version } = await queryClient.fetchQuery({ ...suiteQuery(suiteId), staleTime: 0 });
  const sent = await rescoreRun(runId, { suite_version: version }, { idempotencyKey: `${idempotencyKey}-rescore` });
  void refreshSuites();
  return { rescoreId: sent.rescore_id, jobId: sent.job_id, version };
}
