import type { ApiClient } from '#lib/client/api-client';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import type { ParamTune, TuneArm } from '#lib/param-tune/contract';
import type { PromptTune } from '#lib/prompt-tune/contract';
import { NegativeAnswer } from '../exit-codes.js';
import { newestWithPrefix, undefinedIfNotFound } from './find-run.js';
import { isIdPrefix, isWholeId, startsWithId, onlyMatch } from './match.js';
import { readList, type List, type ListOptions, readAll } from './read-list.js';

export const TUNE_ROUTES = {
  param_tune: '/api/tool-eval/param-tune',
  prompt_tune: '/api/tool-eval/prompt-tune',
} as const;
export type TuneType = keyof typeof TUNE_ROUTES;
const TUNE_TYPES = Object.keys(TUNE_ROUTES) as TuneType[];

/** A tune as the API returns it, with the type of its jobs. */
export type AnyTune = ({ type: 'param_tune' } & ParamTune) | ({ type: 'prompt_tune' } & PromptTune);
type TuneOf<Type extends TuneType> = Omit<Extract<AnyTune, { type: Type }>, 'type'>;

export const tunePath = (type: TuneType, id: string): string => `${historyOf(type)}/${id}`;
const historyOf = (type: TuneType): string => `${TUNE_ROUTES[type]}/history`;

export const readTune = <Type extends TuneType>(client: ApiClient, type: Type, id: string): Promise<TuneOf<Type>> =>
  client.call('GET', tunePath(type, id));

const readTyped = async (client: ApiClient, type: TuneType, id: string): Promise<AnyTune> =>
  ({ type, ...(await readTune(client, type, id)) }) as AnyTune;

/** Finds a tune by its id, the id of its job, or a prefix of either. */
export async function findTune(client: ApiClient, wanted: string): Promise<AnyTune> {
  if (isWholeId(wanted)) {
    const tune = await readAny(client, wanted);
    if (tune) return tune;
    const job = await client.job(wanted).catch(undefinedIfNotFound);
    const type = TUNE_TYPES.find((one) => one === job?.type);
    if (type !== undefined && job?.result_ref != null) return readTyped(client, type, job.result_ref);
    throw notFound(wanted);
  }
  if (!isIdPrefix(wanted)) throw notFound(wanted);
  const isMeant = ({ id, job_id: jobId }: ParamTune | PromptTune): boolean =>
    startsWithId(id, wanted) || startsWithId(jobId, wanted);
  const byType = TUNE_TYPES.map(async (type) =>
    (await newestWithPrefix<AnyTune>(client, historyOf(type), wanted, isMeant)).map((tune) => ({ ...tune, type })),
  );
  const { type, id } = onlyMatch((await Promise.all(byType)).flat(), {
    none: () => notFound(wanted).message,
    several: (count) => `${count} tunes begin with "${wanted}". Use a longer prefix:`,
    each: (one) => `${one.id} (${one.suite_name}, ${one.status}, ${one.created_at})`,
  });
  return readTyped(client, type, id);
}

async function readAny(client: ApiClient, id: string): Promise<AnyTune | undefined> {
  for (const type of TUNE_TYPES) {
    const tune = await readTyped(client, type, id).catch(undefinedIfNotFound);
    if (tune) return tune;
  }
  return undefined;
}

const notFound = (id: string): NegativeAnswer =>
  new NegativeAnswer(`No tune has the id "${id}". List them with: toolmark tunes`);

/** @throws NegativeAnswer for a tune of the other type, with the commands that apply to it */
export async function findTuneOf<Type extends TuneType>(
  client: ApiClient,
  type: Type,
  wanted: string,
): Promise<TuneOf<Type>> {
  const tune = await findTune(client, wanted);
  if (tune.type === type) return tune as unknown as TuneOf<Type>;
  throw new NegativeAnswer(
    tune.type === 'prompt_tune'
      ? `Tune ${tune.id} is a prompt tune and has no arms. See: toolmark tunes candidates ${tune.id}`
      : `Tune ${tune.id} is a parameter tune and has no candidates. See: toolmark tunes arms ${tune.id}`,
  );
}

/**
 * Tunes of all types, the newest first. Each list is ordered by id and uses an id as its cursor, so the id of a tune is
 * a valid cursor in all of them.
 */
export async function readTunes(client: ApiClient, options: ListOptions): Promise<List<AnyTune>> {
  const lists = await Promise.all(
    TUNE_TYPES.map(async (type) => {
      const { items, next_cursor: next } = await readList<AnyTune>(client, historyOf(type), options);
      return { items: items.map((tune) => ({ ...tune, type }) as AnyTune), isMore: next !== undefined };
    }),
  );
  const all = lists.flatMap(({ items }) => items).sort((a, b) => (a.id < b.id ? 1 : -1));
  const items = all.slice(0, options.limit);
  const isMore = all.length > items.length || lists.some((list) => list.isMore);
  return { items, ...(isMore && { next_cursor: items.at(-1)!.id }) };
}

/** The full name of a model of a tune, which may be given without its provider. */
export function modelOf({ targets }: Pick<ParamTune, 'targets'>, wanted: string): string {
  const names = targets.map(({ target }) => target);
  const found = names.includes(wanted) ? [wanted] : names.filter((name) => name.endsWith(`::${wanted}`));
  if (found.length === 1) return found[0]!;
  throw new NegativeAnswer(`The tune has no model "${wanted}". ${suggestNames(wanted, names, 'its models')}`);
}

/** Every arm of a tune, of all its models. */
export const readArms = (client: ApiClient, tuneId: string): Promise<TuneArm[]> =>
  readAll(client, `${tunePath('param_tune', tuneId)}/combos`);
