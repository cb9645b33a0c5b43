import type { ApiClient } from '#lib/client/api-client';
import type { ComparedItem } from '#lib/contracts/comparison';
import type { GateAnswer, GateTarget } from '#lib/gate/contract';
import { parseJson } from '#lib/contracts/json/json';
import type { Page } from '#lib/contracts/page';
import type { Result } from '#lib/contracts/result';
import { queryOf } from '../query.js';
import { caseName, shownCase } from '../reports/comparison.js';
import { beginning } from '../output/table.js';
import type { GateCase } from '../reports/gate.js';

const PAGE = 200;
export const MAX_BROKEN = 20;
/** A report leaves out further ones, and says so. */
export const MAX_CASES = 5000;
const MAX_ERRORED = 500;
const MAX_MESSAGE = 300;

interface Compared extends GateAnswer {
  eval_id: string;
  baseline_eval_id: string;
}
type Measured = GateTarget & { baseline_target: string };

/** The first cases that the measured models of an answer broke. */
export async function readBroken(client: ApiClient, answer: GateAnswer): Promise<GateCase[]> {
  const broken = new CaseList(MAX_BROKEN);
  for (const [compared, target] of measuredTargets(answer)) await readItems(client, compared, target, broken, 'broken');
  return broken.cases;
}

/**
 * The cases of the measured models: broken ones, then worse ones, the others, and those that only errored.
 * @returns at most 5,000 cases and 500 errored ones; `cut` says whether there are more
 */
export async function readCases(client: ApiClient, answer: GateAnswer): Promise<{ cases: GateCase[]; cut: boolean }> {
  const targets = measuredTargets(answer);
  const list = new CaseList(MAX_CASES);
  for (const outcome of ['broken', 'worse', undefined])
    for (const [compared, target] of targets) await readItems(client, compared, target, list, outcome);
  const errored = new CaseList(MAX_ERRORED, list);
  for (const [compared, target] of targets) await readErrored(client, compared, target, errored);
  return { cases: [...list.cases, ...errored.cases], cut: list.isFull || errored.isFull };
}

/** Collects each case once, up to a limit. */
class CaseList {
  readonly cases: GateCase[] = [];
  private readonly seen = new Set<string>();
  isFull = false;

  constructor(
    private readonly limit: number,
    private readonly before?: CaseList,
  ) {}

  add(caseId: string, one: GateCase): void {
    const key = `${caseId} ${one.target}`;
    if (this.seen.has(key) || this.before?.seen.has(key)) return;
    if (this.cases.length === this.limit) return void (this.isFull = true);
    this.seen.add(key);
    this.cases.push(one);
  }
}

/** The models that have a counterpart and a scored result, each with the comparison that contains it. */
function measuredTargets(answer: GateAnswer): [compared: Compared, target: Measured][] {
  if (answer.eval_id === null || answer.baseline_eval_id === null) return [];
  return answer.targets
    .filter(({ baseline_target: name, n_cases: cases }) => name !== null && cases > 0)
    .map((target) => [answer as Compared, target as Measured]);
}

async function readItems(
  client: ApiClient,
  { eval_id: b, baseline_eval_id: a, gate }: Compared,
  { target, baseline_target }: Measured,
  list: CaseList,
  outcome?: string,
): Promise<void> {
  const pairs = `${baseline_target}~${target}`;
  const query = queryOf({ a, b, measure: gate.measure, pairs, extended: true, outcome });
  for await (const item of readPages<ComparedItem>(client, `/api/compare/items?${query}`, list)) {
    const { passed_samples: passed, scored_samples: scored } = item.b;
    list.add(item.case_id, {
      ...shownCase(item),
      target,
      state: item.outcome,
      samples: `${passed} of ${scored} passed`,
    });
  }
}

async function readErrored(client: ApiClient, answer: Compared, { target }: Measured, list: CaseList): Promise<void> {
  const query = new URLSearchParams({ model: target, outcome: 'errored' });
  for await (const result of readPages<Result>(
    client,
    `/api/tool-eval/history/${answer.eval_id}/results?${query}`,
    list,
  )) {
    const explanation = [beginning(result.error?.message ?? '', MAX_MESSAGE)];
    const name = caseName(result);
    list.add(result.case_id, { name, target, state: 'errored', samples: '', expected: '', called: '', explanation });
  }
}

/** The items of a list until `list` is full. Numbers in calls are kept as they were written. */
async function* readPages<Item>(client: ApiClient, path: string, list: CaseList): AsyncGenerator<Item> {
  for (let cursor: string | null = ''; cursor !== null && !list.isFull;) {
    const more = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = parseJson(await client.text(`${path}&limit=${PAGE}${more}`)) as unknown as Page<Item>;
    yield* page.items;
    cursor = page.next_cursor;
  }
}
