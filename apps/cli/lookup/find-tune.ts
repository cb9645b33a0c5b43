import type { ApiClient } from '#lib/client/api-client';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import type { ParamTune, TuneArm } from '#lib/contracts/param-tune';
import { NegativeAnswer } from '../exit-codes.js';
import { newestWithPrefix, orAbsent } from './find-run.js';
import { isIdPrefix, isWholeId, startsWithId } from './ids.js';

export const TUNE_ROUTE = '/api/tool-eval/param-tune';
export const TUNES_ROUTE = `${TUNE_ROUTE}/history`;

export const readTune = (client: ApiClient, id: string): Promise<ParamTune> =>
  client.call('GET', `${TUNES_ROUTE}/${id}`);

/** The tune that the id of a tune, the id of its job, or the beginning of either means. */
export async function findTune(client: ApiClient, wanted: string): Promise<ParamTune> {
  if (isWholeId(wanted)) {
    const tune = await readTune(client, wanted).catch(orAbsent);
    if (tune) return tune;
    const job = await client.job(wanted).catch(orAbsent);
    if (job?.type === 'param_tune' && job.result_ref !== null) return readTune(client, job.result_ref);
    throw nothingFound(wanted);
  }
  if (!isIdPrefix(wanted)) throw nothingFound(wanted);
  const isMeant = ({ id, job_id: jobId }: ParamTune): boolean =>
    startsWithId(id, wanted) || startsWithId(jobId, wanted);
  const [found, ...others] = await newestWithPrefix<ParamTune>(client, TUNES_ROUTE, wanted, isMeant);
  if (!found) throw nothingFound(wanted);
  if (others.length === 0) return readTune(client, found.id);
  const each = [found, ...others].map(
    ({ id, suite_name: suite, status, created_at: at }) => `${id} (${suite}, ${status}, ${at})`,
  );
  throw new NegativeAnswer(`${each.length} tunes begin with "${wanted}". Give more of the id:`, each);
}

const nothingFound = (id: string): NegativeAnswer =>
  new NegativeAnswer(`No tune has the id "${id}". List them with: toolmark tunes`);

/** The name of a model of a tune, which may be given without its provider. */
export function modelOf({ targets }: ParamTune, wanted: string): string {
  const names = targets.map(({ target }) => target);
  const found = names.includes(wanted) ? [wanted] : names.filter((name) => name.endsWith(`::${wanted}`));
  if (found.length === 1) return found[0]!;
  throw new NegativeAnswer(`The tune has no model "${wanted}". ${suggestNames(wanted, names, 'its models')}`);
}

/** Every arm of a tune, of all its models. */
export async function readArms(client: ApiClient, tuneId: string): Promise<TuneArm[]> {
  const arms: TuneArm[] = [];
  for await (const arm of client.all<TuneArm>(`${TUNES_ROUTE}/${tuneId}/combos`)) arms.push(arm);
  return arms;
}
