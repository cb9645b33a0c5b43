import type { LabelName } from '#lib/contracts/label';
import { insertRow } from '#lib/db/connection/insert-row';
import { inTransaction } from '#lib/db/connection/pool';
import { drawForLabels } from '#lib/judge/rows/draw-for-labels';
import { deleteRuns, purgeRun } from '#lib/db/upkeep/delete-run';
import { settleRun, type Outcome } from '#lib/db/testing/settled-run';
import { newId } from '#lib/runtime/ids';
import { joinIdleApi, type SharedApi } from '../../../test/api.js';
import { clientOf, weatherSuite, type Client } from '../../../test/client.js';
import { someoneWaits } from '../../../test/lock-wait.js';
import { calibrationHeads } from './calibration-heads.js';

const NOBODY = '01a1fc11-0570-72f9-b84b-b15294fa812e';
const NDJSON = { 'content-type': 'application/x-ndjson' };
const provider = { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'a' }, { id: 'b' }] };

let api: SharedApi;
/** Ada owns the team. */
let ada: Client;
let grace: Client;
let viewer: Client;
let others: Client;
let team: { id: string; userId: string };

beforeAll(async () => {
  api = await joinIdleApi();
  ada = api.client;
  const tokenOf = async (user: string, role: string): Promise<Client> =>
    clientOf(api.url, (await ada.post('/api/tokens', { name: user, role, user })).body.token);
  [grace, viewer] = [await tokenOf('grace', 'editor'), await tokenOf('reader', 'viewer')];
  others = clientOf(api.url, (await api.anotherTeam()).body.token.token);
  for (const one of [ada, others]) await one.post('/api/providers', provider);
  const me = (await ada.get('/api/me')).body;
  team = { id: me.team.id, userId: me.user.id };
}, 60_000);

const rows = async (text: string, values: unknown[] = []): Promise<any[]> => (await api.pool.query(text, values)).rows;

/** A run of one model with these scores by case. @returns its id */
async function aRun(scores: Outcome[], as: Client = ada): Promise<string> {
  const { suite_id } = (await as.post('/api/tool-eval/import', weatherSuite(scores.length))).body;
  const submitted = await as.post('/api/tool-eval', { suite_id, models: ['sim::a'] });
  expect([submitted.status, submitted.body]).toEqual([202, expect.anything()]);
  const runId = submitted.body.eval_id as string;
  await settleRun(api.pool, runId, scores);
  await rows('UPDATE target SET summary = NULL, finished_at = NULL WHERE run_id = $1', [runId]);
  await rows(`UPDATE run SET status = 'completed', finished_at = now() WHERE id = $1`, [runId]);
  await rows(`UPDATE job SET status = 'completed', finished_at = now() WHERE result_ref = $1`, [runId]);
  return runId;
}

let reports = 0;
/** Stores a judge's verdicts on the cases of a run, in order; null: none. @returns the id of its report */
async function judged(
  runId: string,
  said: (string | null)[],
  { judge = 'sim::judge', instructions = '', more = {} as object, judgement = {} as object } = {},
): Promise<string> {
  const id = newId(Date.now() + reports++); // Later reports have newer ids.
  await insertRow(api.pool, 'orchestration', {
    id,
    team_id: team.id,
    user_id: team.userId,
    type: 'judge',
    subject_id: id,
    job_id: newId(),
    input: JSON.stringify({ asked: { eval_id: runId, instructions }, judge }),
  });
  const fingerprint = `${judge} ${instructions}`;
  const report = { id, team_id: team.id, root_id: id, version: 1, run_id: runId, judge, fingerprint, source: 'user' };
  await insertRow(api.pool, 'judge_report', { ...report, ...more });
  for (const [position, verdict] of said.entries())
    await insertRow(api.pool, 'judgement', {
      report_id: id,
      position,
      run_id: runId,
      target: 0,
      case_position: position,
      sample: 0,
      passed: true,
      state: verdict === null ? 'errored' : 'judged',
      verdict,
      ...judgement,
    });
  return id;
}
const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

let judges = 0;
const aJudge = (): string => `sim::judge ${judges++}`;
const queueOf = async (query: string, as: Client = ada): Promise<any> => {
  const { status, body } = await as.get(`/api/judge/label-queue?${query}`);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
};
const calibrationOf = async (query: string, as: Client = ada): Promise<any> => {
  const { status, body } = await as.get(`/api/judge/calibration?${query}`);
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
};
const pathOf = (runId: string, resultId = '0-0-0') => `/api/tool-eval/history/${runId}/results/${resultId}/label`;
const label = (runId: string, resultId: string, said: LabelName, as: Client = ada) =>
  as.put(pathOf(runId, resultId), { label: said });
const labelsOf = async (runId: string, query = '', as: Client = ada): Promise<any> =>
  (await as.get(`/api/tool-eval/history/${runId}/labels${query}`)).body;
const auditsOf = async (subject: string): Promise<string[]> =>
  (await rows(`SELECT action FROM audit WHERE subject = $1 AND action LIKE 'label.%' ORDER BY id`, [subject])).map(
    ({ action }) => action,
  );
const probabilities = async (reportId: string): Promise<Record<string, number>> =>
  Object.fromEntries(
    (
      await rows(
        `SELECT case_position, draw_probability FROM judgement WHERE report_id = $1 AND draw_probability IS NOT NULL
         ORDER BY 1`,
        [reportId],
      )
    ).map(({ case_position, draw_probability }) => [`0-${case_position}-0`, draw_probability]),
  );
const idsOf = (queue: any): string[] => queue.items.map(({ result }: any) => result.id);

describe('a label', () => {
  it('is the verdict of one user on one result, until that user changes it', async () => {
    const run = await aRun([1, 0]);
    const before = (await ada.get(`/api/tool-eval/history/${run}/results/0-1-0`)).body;
    const first = await ada.put(pathOf(run, '0-1-0'), { label: 'wrong', note: '  Celsius.  ' });
    expect(first).toMatchObject({
      status: 200,
      body: { result_id: '0-1-0', label: 'wrong', note: 'Celsius.', user: 'owner', mine: true },
    });
    const again = (await ada.put(pathOf(run, '0-1-0'), { label: 'wrong', note: 'Celsius.' })).body;
    expect(again).toEqual(first.body);
    const changed = (await ada.put(pathOf(run, '0-1-0'), { label: 'acceptable', note: '' })).body;
    expect(changed).toMatchObject({ label: 'acceptable', note: null, created_at: first.body.created_at });
    expect(Date.parse(changed.updated_at)).toBeGreaterThan(Date.parse(first.body.updated_at));
    await label(run, '0-1-0', 'correct', grace);
    expect((await labelsOf(run, '', viewer)).items).toMatchObject([
      { label: 'acceptable', user: 'owner', mine: false },
      { label: 'correct', user: 'grace', mine: false },
    ]);
    expect((await ada.delete(pathOf(run, '0-1-0'))).status).toBe(204);
    expect(await ada.delete(pathOf(run, '0-1-0'))).toMatchObject({
      status: 404,
      body: { detail: 'You have no label on the result "0-1-0".' },
    });
    expect((await labelsOf(run)).items).toMatchObject([{ label: 'correct', user: 'grace', mine: false }]);
    expect((await ada.get(`/api/tool-eval/history/${run}/results/0-1-0`)).body).toEqual(before);
    expect(await auditsOf(`${run} 0-1-0`)).toEqual([...times(4, 'label.put'), 'label.delete']);
  });

  it('requires a result that has a reply', async () => {
    const run = await aRun([1, null, undefined]);
    expect(await label(run, '0-1-0', 'wrong')).toMatchObject({
      status: 422,
      body: { detail: 'The result "0-1-0" errored: it has no reply to label.' },
    });
    for (const id of ['0-2-0', '0-9-0', '1-0-0', '0-0-1', '99999-0-0', '0-0-99999', '0-0', 'x'])
      for (const method of ['PUT', 'DELETE', 'GET'] as const) {
        const path = method === 'GET' ? pathOf(run, id).replace(/\/label$/, '') : pathOf(run, id);
        const { status } = await ada.send(method, path, method === 'PUT' ? { label: 'wrong' } : undefined);
        expect([method, id, status]).toEqual([method, id, 404]);
      }
    expect((await label(NOBODY, '0-0-0', 'wrong')).body.detail).toBe(`No run with id "${NOBODY}" in this team.`);
    expect(await ada.put(pathOf(run), { label: 'good', note: 5 })).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/label', message: expect.stringMatching(/"acceptable"/) }, { path: '/note' }] },
    });
    expect((await labelsOf(run)).items).toEqual([]);
  });

  it('is given by editors, and read by viewers', async () => {
    const run = await aRun([1]);
    await judged(run, ['correct'], { judge: 'sim::for viewers' });
    const body = { labels: [{ result_id: '0-0-0', label: 'wrong' }] };
    expect((await label(run, '0-0-0', 'wrong', viewer)).status).toBe(403);
    expect((await viewer.delete(pathOf(run))).status).toBe(403);
    expect((await viewer.post(`/api/tool-eval/history/${run}/labels`, body)).status).toBe(403);
    expect((await viewer.get('/api/judge/label-queue?judge=sim::for viewers')).status).toBe(403);
    expect((await viewer.get(`/api/tool-eval/history/${run}/labels`)).status).toBe(200);
    expect((await viewer.get('/api/judge/calibration?judge=sim::for viewers')).status).toBe(200);
    expect((await grace.post(`/api/tool-eval/history/${run}/labels`, body)).status).toBe(200);
  });

  it('is deleted with its run, and none can be added afterwards', async () => {
    const run = await aRun(times(7, 1));
    const [adaSays, graceSays] = [ada, grace].map((as) =>
      Promise.all(times(7, 'wrong' as const).map((said, n) => label(run, `0-${n}-0`, said, as))),
    );
    await Promise.all([adaSays, graceSays]);
    await ada.put(`/api/tool-eval/history/${run}/results/0-1-0/note`, { text: 'Ambiguous.' });
    const deleting = await api.pool.connect();
    try {
      await deleting.query('BEGIN');
      await deleteRuns(deleting, [run]);
      const late = label(run, '0-0-0', 'correct');
      await someoneWaits(api.pool, 'the label to wait for the run');
      await deleting.query('COMMIT');
      expect((await late).status).toBe(404);
    } finally {
      await deleting.query('ROLLBACK');
      deleting.release();
    }
    expect(await rows('SELECT 1 FROM label WHERE run_id = $1', [run])).toHaveLength(14);
    expect(await rows('SELECT 1 FROM result_note WHERE run_id = $1', [run])).toHaveLength(1);
    while (await purgeRun(api.pool, run, 3));
    for (const table of ['label', 'result_note'])
      expect(await rows(`SELECT 1 FROM ${table} WHERE run_id = $1`, [run])).toEqual([]);
  });
});

describe('the labels of a run', () => {
  it('are listed by result and user, page by page, and those of one result alone', async () => {
    const run = await aRun(times(12, 1));
    for (const as of [ada, grace])
      for (const n of [11, 2, 0, 10]) await label(run, `0-${n}-0`, as === ada ? 'wrong' : 'correct', as);
    const seen: any[] = [];
    let cursor: string | null = '';
    do {
      const page: any = await labelsOf(run, `?limit=3${cursor && `&cursor=${cursor}`}`);
      expect(page.items.length).toBeLessThanOrEqual(3);
      seen.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen.map(({ result_id }) => result_id)).toEqual(
      ['0-0-0', '0-2-0', '0-10-0', '0-11-0'].flatMap((id) => [id, id]),
    );
    expect(new Set(seen.map(({ result_id, user }) => `${result_id} ${user}`)).size).toBe(8);
    expect((await labelsOf(run)).items).toEqual(seen);
    expect(await labelsOf(run, '?result_id=0-10-0&limit=1')).toMatchObject({
      items: [{ result_id: '0-10-0' }],
      next_cursor: expect.stringMatching(/^0-10-0\./),
    });
    expect((await labelsOf(run, '?result_id=0-10-0')).items).toHaveLength(2);
    expect((await labelsOf(run, '?result_id=0-3-0')).items).toEqual([]);
    for (const bad of [NOBODY, '0-0-0', `0-0-0.${NOBODY}x`])
      expect((await ada.get(`/api/tool-eval/history/${run}/labels?cursor=${bad}`)).status).toBe(400);
    expect((await ada.get(`/api/tool-eval/history/${NOBODY}/labels`)).status).toBe(404);
  });

  const send = (runId: string, body: unknown, headers: Record<string, string> = {}) =>
    ada.post(`/api/tool-eval/history/${runId}/labels`, body, headers);
  const lines = (...all: unknown[]): string =>
    all.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  const line = (n: number, said: string = 'wrong', more: object = {}) => ({
    result_id: `0-${n}-0`,
    label: said,
    ...more,
  });

  it('are imported as lines or as JSON, in place of those before, and once for an Idempotency-Key', async () => {
    const run = await aRun(times(4, 1));
    await label(run, '0-0-0', 'acceptable');
    await label(run, '0-0-0', 'acceptable', grace);
    const file = `\ufeff${lines(line(0), '', line(3, 'correct', { note: 'Yes.' }), '  ', '')}`;
    const key = { ...NDJSON, 'idempotency-key': `import ${run}` };
    for (const headers of [NDJSON, key, key])
      expect(await send(run, file, headers)).toMatchObject({ status: 200, body: { labels: 2 } });
    expect(await auditsOf(run)).toEqual(['label.import', 'label.import']);
    expect((await send(run, lines(line(1)), key)).status).toBe(409);
    expect(await send(run, { labels: [line(2, 'wrong', { note: null })] })).toMatchObject({ body: { labels: 1 } });
    const mine = (await labelsOf(run)).items.filter(({ mine: isMine }: any) => isMine);
    expect(mine).toMatchObject([
      { result_id: '0-0-0', label: 'wrong', note: null },
      { result_id: '0-2-0', label: 'wrong', note: null },
      { result_id: '0-3-0', label: 'correct', note: 'Yes.' },
    ]);
    expect((await labelsOf(run, '?result_id=0-0-0')).items).toHaveLength(2);
  });

  it('are all refused if any is wrong, and every fault is named with its line', async () => {
    const run = await aRun([1, null, 1]);
    const wrong: [line: unknown, path: string, message: RegExp][] = [
      ['{"result_id": "0-0-0", ', '', /is not JSON/],
      [['0-0-0', 'wrong'], '', /object/],
      [7, '', /object/],
      [{ label: 'wrong' }, '/result_id', /is missing/],
      [line(0, 'good'), '/label', /one of "correct", "acceptable", "wrong"/],
      [line(0, 'wrong', { note: 'x'.repeat(2001) }), '/note', /at most 2000/],
      [line(0, 'wrong', { note: 'a\u0000b' }), '/note', /U\+0000/],
      [line(0, 'wrong', { comment: '' }), '/comment', /not a field/],
    ];
    const refused = await send(run, lines(line(2), ...wrong.map(([one]) => one)), NDJSON);
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      expect.stringMatching(/^The labels have 8 faults, and nothing was stored. Line 2: is not JSON/),
    ]);
    expect(refused.body.errors).toEqual(
      wrong.map(([, path, message], index) => ({
        path: `/labels/${index + 1}${path}`,
        message: expect.stringMatching(new RegExp(`^Line ${index + 2}: .*${message.source}`)),
      })),
    );
    const noResult = 'is not a result of this run';
    const unknown = [line(2), line(9), line(1), { result_id: '0-0-0', label: 'wrong' }];
    for (const answer of [await send(run, lines(...unknown), NDJSON), await send(run, { labels: unknown })])
      expect(answer).toMatchObject({
        status: 422,
        body: {
          errors: [
            { path: '/labels/1/result_id', message: `Line 2: result_id ${noResult}` },
            { path: '/labels/2/result_id', message: 'Line 3: result_id errored: it has no reply to label' },
          ],
        },
      });
    const twice = [
      line(0),
      '',
      line(2),
      { result_id: 'x', label: 'wrong' },
      line(0),
      { result_id: '0-00-0', label: 'wrong' },
    ];
    expect((await send(run, lines(...twice), NDJSON)).body.errors).toEqual([
      { path: '/labels/3/result_id', message: `Line 4: result_id ${noResult}` },
      { path: '/labels/4/result_id', message: 'Line 5: result_id already has a label in line 1' },
      { path: '/labels/5/result_id', message: 'Line 6: result_id already has a label in line 1' },
    ]);
    expect(await send(run, { labels: [line(0), line(2, 'good')] })).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/labels/1/label' }] },
    });
    expect((await labelsOf(run)).items).toEqual([]);
    expect(await auditsOf(run)).toEqual([]);
  });

  it('are bounded: 10,000 of them in 10 MiB, and a hundred faults', async () => {
    const run = await aRun([1]);
    const many = Array.from({ length: 10_001 }, (_, n) => line(n));
    const tooMany = await send(run, lines(...many), NDJSON);
    expect([tooMany.status, tooMany.body.detail]).toEqual([422, expect.stringMatching(/more than 10,000 labels/)]);
    expect((await send(run, { labels: many })).status).toBe(400);
    expect((await send(run, lines(...many.slice(1)), NDJSON)).body.errors).toHaveLength(100);
    const bad = await send(run, lines(...times(300, '{')), NDJSON);
    expect([bad.body.errors.length, bad.body.detail]).toEqual([100, expect.stringMatching(/have at least 100 faults/)]);
    expect((await send(run, '\n'.repeat(10 * 2 ** 20 + 1), NDJSON)).status).toBe(413);
    expect(await send(run, '\n\n', NDJSON)).toMatchObject({
      status: 422,
      body: { detail: 'The lines contain no label.' },
    });
    expect((await send(run, { labels: [] })).status).toBe(400);
    expect((await send(NOBODY, lines(line(0)), NDJSON)).status).toBe(404);
  });
});

describe('the label queue', () => {
  it('draws half from results judged ok and half from those judged wrong, with their probabilities', async () => {
    const judge = aJudge();
    const run = await aRun(times(30, 1));
    const said = [...times(10, 'correct'), ...times(10, 'acceptable'), ...times(10, 'wrong')];
    const report = await judged(run, said, { judge });
    const queue = await queueOf(`judge=${judge}&limit=4`);
    expect(queue).toMatchObject({ judge, labelled: 0, asked: 100, left: 30 });
    const kinds = (ids: string[]): boolean[] => ids.map((id) => said[Number(id.split('-')[1])] !== 'wrong').sort();
    expect(kinds(idsOf(queue))).toEqual([false, false, true, true]);
    for (const { eval_id, report_id, result, conversation } of queue.items) {
      expect([eval_id, report_id]).toEqual([run, report]);
      expect(result).toMatchObject({ target: 'sim::a', outcome: 'scored' });
      expect(conversation).toEqual([{ role: 'user', content: result.prompt }]);
    }
    // No field of an item reveals the judge's verdict.
    expect(new Set(queue.items.flatMap((item: object) => Object.keys(item)))).toEqual(
      new Set(['eval_id', 'report_id', 'result', 'conversation']),
    );
    const drawn = await probabilities(report);
    expect(Object.keys(drawn).sort()).toEqual(idsOf(queue).sort());
    for (const [id, probability] of Object.entries(drawn))
      expect([id, probability]).toEqual([id, Number(id.split('-')[1]) < 20 ? 0.1 : 0.2]);

    // The same limit returns the same results, and a higher limit includes them.
    expect(idsOf(await queueOf(`judge=${judge}&limit=4`, grace))).toEqual(idsOf(queue));
    const more = await queueOf(`judge=${judge}&limit=7`, grace);
    expect(idsOf(more)).toEqual(expect.arrayContaining(idsOf(queue)));
    expect(kinds(idsOf(more))).toEqual([...times(3, false), ...times(4, true)]);
    expect(new Set(Object.values(await probabilities(report)))).toEqual(new Set([4 / 20, 3 / 10]));
  });

  it('gives concurrent callers the same results, with one probability for all', async () => {
    const judge = aJudge();
    const run = await aRun(times(40, 1));
    const report = await judged(run, [...times(20, 'correct'), ...times(20, 'wrong')], { judge });
    const limits = [2, 16, 4, 8, 2, 16, 6, 12];
    const all = await Promise.all(
      limits.map((limit, n) => queueOf(`judge=${judge}&limit=${limit}`, n % 2 ? ada : grace)),
    );
    const most = idsOf(all[1]);
    for (const [n, queue] of all.entries()) {
      expect(queue.items).toHaveLength(limits[n]!);
      expect(most).toEqual(expect.arrayContaining(idsOf(queue)));
    }
    const drawn = await probabilities(report);
    expect(Object.keys(drawn).sort()).toEqual(most.sort());
    expect(new Set(Object.values(drawn))).toEqual(new Set([8 / 20]));
  });

  it('serialises draws through two APIs', async () => {
    const judge = aJudge();
    const run = await aRun(times(40, 1));
    const report = await judged(run, [...times(20, 'correct'), ...times(20, 'wrong')], { judge });
    const from = { teamId: team.id, fingerprint: `${judge} `, runId: run };
    const first = await api.pool.connect();
    try {
      await first.query('BEGIN');
      await drawForLabels(first, from, 16);
      const second = inTransaction(api.pool, (client) => drawForLabels(client, from, 4));
      await someoneWaits(api.pool, 'the second draw to wait for the first');
      await first.query('COMMIT');
      expect((await second).draws).toHaveLength(4);
    } finally {
      await first.query('ROLLBACK');
      first.release();
    }
    expect(new Set(Object.values(await probabilities(report)))).toEqual(new Set([8 / 20]));
  });

  it('continues after labels were given, until nothing is left', async () => {
    const judge = aJudge();
    const run = await aRun(times(12, 1));
    const report = await judged(run, [...times(9, 'correct'), ...times(3, 'wrong')], { judge });
    const labelled = new Set<string>();
    for (const left of [12, 8, 4]) {
      const queue = await queueOf(`judge=${judge}&limit=4`);
      expect([queue.items.length, queue.left, queue.labelled]).toEqual([4, left, 12 - left]);
      for (const id of idsOf(queue)) {
        expect(labelled).not.toContain(id);
        labelled.add(id);
        await label(run, id, 'correct', labelled.size % 2 ? ada : grace);
      }
    }
    // The second draw had one wrong result left, and filled up with three that are ok.
    expect(await queueOf(`judge=${judge}&limit=4`)).toEqual({ judge, items: [], labelled: 12, asked: 100, left: 0 });
    expect(new Set(Object.values(await probabilities(report)))).toEqual(new Set([1]));
  });

  it.each(['correct', 'wrong'])('draws more of the others when few are %s', async (few) => {
    const judge = aJudge();
    const run = await aRun(times(12, 1));
    await judged(run, [few, ...times(11, few === 'wrong' ? 'acceptable' : 'wrong')], { judge });
    expect(idsOf(await queueOf(`judge=${judge}&limit=9`))).toHaveLength(9);
    expect(idsOf(await queueOf(`judge=${judge}&limit=9`))).toContain('0-0-0');
  });

  it('draws nothing that was not judged, was undecided, or belongs to a comparison', async () => {
    const judge = aJudge();
    const run = await aRun(times(5, 1));
    await judged(run, ['correct', 'cannot_tell', null, 'wrong'], { judge });
    await judged(run, times(5, 'win'), { judge, more: { baseline_id: run } });
    expect(idsOf(await queueOf(`judge=${judge}&limit=50`)).sort()).toEqual(['0-0-0', '0-3-0']);
    expect((await calibrationOf(`judge=${judge}`)).reports).toBe(1);
  });

  it('draws from all runs that a judge has judged, or from one of them', async () => {
    const judge = aJudge();
    const runs = [await aRun(times(8, 1)), await aRun(times(8, 1))];
    for (const run of runs) await judged(run, [...times(4, 'correct'), ...times(4, 'wrong')], { judge });
    const ofOne = await queueOf(`judge=${judge}&eval_id=${runs[0]}&limit=4`);
    expect(ofOne.left).toBe(8);
    expect(new Set(ofOne.items.map(({ eval_id }: any) => eval_id))).toEqual(new Set([runs[0]]));
    // Results drawn earlier come first.
    expect(idsOf(await queueOf(`judge=${judge}&limit=4`)).sort()).toEqual(idsOf(ofOne).sort());
    const ofAll = await queueOf(`judge=${judge}&limit=16`);
    expect(ofAll.left).toBe(16);
    expect(new Set(ofAll.items.map(({ eval_id }: any) => eval_id))).toEqual(new Set(runs));
    expect((await ada.get(`/api/judge/label-queue?judge=${judge}&eval_id=${NOBODY}`)).status).toBe(404);
    const unjudged = await aRun([1]);
    expect(await queueOf(`judge=${judge}&eval_id=${unjudged}`)).toMatchObject({ items: [], left: 0 });
  });

  it('compares a judge with other instructions with existing labels', async () => {
    const judge = aJudge();
    const run = await aRun(times(60, 1));
    await judged(run, [...times(40, 'correct'), ...times(20, 'wrong')], { judge });
    for (let n = 0; n < 3; n++)
      for (const id of idsOf(await queueOf(`judge=${judge}&limit=20`))) await label(run, id, 'correct');
    expect(await calibrationOf(`judge=${judge}`)).toMatchObject({ labels: 60, left_out: 0 });
    const report = await judged(run, [...times(30, 'correct'), ...times(30, 'wrong')], { judge, instructions: 'New.' });
    expect(await calibrationOf(`judge=${judge}`)).toMatchObject({
      report_id: report,
      instructions: 'New.',
      reports: 1,
      labels: 0,
      left_out: 60,
    });
    expect(await queueOf(`judge=${judge}`)).toMatchObject({ items: [], labelled: 60, left: 0 });
    expect(await calibrationOf(`judge=${judge}`)).toMatchObject({
      labels: 60,
      left_out: 0,
      ok: { n: 30, share: 1 },
      wrong: { n: 30, share: 0 },
    });
  });

  it('does not let earlier labels influence what is drawn', async () => {
    const judge = aJudge();
    const run = await aRun(times(40, 1));
    // Labels the whole first half, like a user who looks for something specific.
    for (let n = 0; n < 20; n++) await label(run, `0-${n}-0`, 'wrong');
    const report = await judged(run, [...times(39, 'correct'), 'wrong'], { judge });
    const queue = await queueOf(`judge=${judge}&limit=11`);
    const drawn = await probabilities(report);
    const labelled = Object.keys(drawn).filter((id) => Number(id.split('-')[1]) < 20);
    expect(queue.items).toHaveLength(11);
    expect(Object.keys(drawn)).toHaveLength(11 + labelled.length);
    expect(queue.labelled).toBe(labelled.length);
    expect(await calibrationOf(`judge=${judge}`)).toMatchObject({
      labels: labelled.length,
      left_out: 20 - labelled.length,
    });
    // The drawn results have the lowest random ranks, whether or not they were labelled.
    const lots = await rows(
      `SELECT draw_probability IS NOT NULL AS drawn
       FROM judgement WHERE report_id = $1 AND verdict = 'correct'
       ORDER BY md5(concat_ws('-', run_id, target, case_position, sample))`,
      [report],
    );
    const last = lots.findLastIndex((lot) => lot.drawn);
    expect(lots.slice(0, last + 1).every((lot) => lot.drawn)).toBe(true);
    expect(labelled.length).toBeGreaterThan(0);
  });
});

describe('a calibration', () => {
  /** Labels all results of a run, by case. */
  const say = (runId: string, said: LabelName[], as: Client = ada) =>
    as.post(`/api/tool-eval/history/${runId}/labels`, {
      labels: said.map((one, n) => ({ result_id: `0-${n}-0`, label: one })),
    });
  /** Draws everything that is available. */
  async function drawAll(judge: string): Promise<void> {
    for (let left = Infinity; left > 0;) {
      const queue = await queueOf(`judge=${judge}&limit=50`);
      for (const { eval_id, result } of queue.items) await label(eval_id, result.id, 'wrong');
      left = queue.left - queue.items.length;
    }
  }

  it('says how well people agree with a judge, weighted by the draw, and what it leaves out', async () => {
    const judge = aJudge();
    const run = await aRun(times(104, 1));
    const said = [...times(60, 'correct'), ...times(40, 'wrong'), 'cannot_tell', null, 'correct', 'wrong'];
    const report = await judged(run, said, { judge, instructions: 'Be kind.' });
    expect(await calibrationOf(`judge=${judge}`)).toEqual({
      judge,
      report_id: report,
      instructions: 'Be kind.',
      reports: 1,
      status: 'uncalibrated',
      labels: 0,
      kappa: null,
      ci: null,
      text: 'Uncalibrated: 0 of 100 labels, usable from 50; people have not confirmed this judge.',
      linear: { kappa: null, ci: null },
      ok: { n: 0, share: null, ci: null },
      wrong: { n: 0, share: null, ci: null },
      table: [],
      left_out: 0,
      asked: 100,
    });
    await say(run, ['correct', ...times(103, 'wrong' as const)].slice(0, 104) as LabelName[]);
    expect(await calibrationOf(`judge=${judge}`)).toMatchObject({ status: 'uncalibrated', labels: 0, left_out: 103 });
    await drawAll(judge);
    await say(run, [
      ...times(54, 'correct' as const),
      ...times(6, 'wrong' as const),
      ...times(36, 'wrong' as const),
      ...times(4, 'acceptable' as const),
      ...times(2, 'wrong' as const),
      'correct',
      'wrong',
    ]);
    const found = await calibrationOf(`report_id=${report}`);
    // 61 judged ok, of which 55 are; 41 judged wrong, of which 37 are.
    const [n, byChance] = [102, (61 * 43 + 41 * 59) / 102 ** 2];
    expect(found).toMatchObject({ judge, status: 'good', labels: n, left_out: 1, reports: 1 });
    expect(found.kappa).toBeCloseTo(1 - 10 / n / byChance, 10);
    const half = (1.959964 * Math.sqrt(((10 / n) * (1 - 10 / n)) / n)) / byChance;
    expect(found.ci).toEqual([expect.closeTo(found.kappa - half, 6), expect.closeTo(found.kappa + half, 6)]);
    expect(found.ok).toMatchObject({ n: 61, share: 55 / 61 });
    expect(found.wrong).toMatchObject({ n: 41, share: 37 / 41 });
    expect(found.table).toEqual([
      { judged: 'correct', label: 'correct', n: 55 },
      { judged: 'correct', label: 'wrong', n: 6 },
      { judged: 'wrong', label: 'acceptable', n: 4 },
      { judged: 'wrong', label: 'wrong', n: 37 },
    ]);
    expect(found.text).toMatch(/^Good: kappa 0\.8\d \(0\.\d\d to 0\.\d\d\) against 102 human labels\.$/);
    const { body: disputed } = await ada.get(`/api/judge/reports/${report}/verdicts?disputed=true&limit=200`);
    expect(disputed.items.map((one: any) => one.label)).toEqual([...times(6, 'wrong'), ...times(4, 'acceptable')]);
    const { status, labels, kappa, ci, text } = found;
    const fingerprint = `${judge} Be kind.`;
    const heads = await calibrationHeads(api.pool, team.id, [fingerprint, 'unknown', fingerprint]);
    expect([...heads.keys()]).toEqual([fingerprint, 'unknown']);
    expect(heads.get(fingerprint)).toEqual({ status, labels, kappa, ci, text });
    expect(heads.get('unknown')).toMatchObject({ status: 'uncalibrated', labels: 0, kappa: null });
  });

  it('counts a result once: by majority, and in a tie by the stricter label', async () => {
    const judge = aJudge();
    const run = await aRun(times(3, 1));
    await judged(run, times(3, 'correct'), { judge });
    await drawAll(judge);
    const linus = clientOf(
      api.url,
      (await ada.post('/api/tokens', { name: 'linus', role: 'editor', user: 'linus' })).body.token,
    );
    await say(run, ['wrong', 'correct', 'correct']);
    await say(run, ['correct', 'wrong', 'acceptable'], grace);
    await say(run, ['acceptable', 'correct', 'acceptable'], linus);
    // Three opinions: wrong. Two of three: correct. Two of three: acceptable.
    const found = await calibrationOf(`judge=${judge}`);
    expect(found).toMatchObject({ labels: 3, left_out: 0, ok: { n: 3, share: 2 / 3 } });
    // Observed values are 0, 0.5 and 1; chance agreement equals the observed one, since the judge gives a single
    // verdict.
    expect(found.linear.kappa).toBeCloseTo(0, 12);
    await linus.delete(pathOf(run, '0-1-0'));
    expect((await calibrationOf(`judge=${judge}`)).ok).toMatchObject({ n: 3, share: 1 / 3 });
  });

  it('counts the last of several judgements of a result', async () => {
    const judge = aJudge();
    const run = await aRun(times(6, 1));
    await judged(run, times(6, 'correct'), { judge });
    await drawAll(judge);
    await say(run, times(6, 'correct' as const));
    await judged(run, [...times(5, 'wrong'), 'cannot_tell'], { judge });
    expect(await calibrationOf(`judge=${judge}`)).toMatchObject({ reports: 2, labels: 1, left_out: 5 });
    expect(await queueOf(`judge=${judge}`)).toMatchObject({ items: [], labelled: 6, left: 0 });
    expect(await calibrationOf(`judge=${judge}`)).toMatchObject({
      labels: 6,
      left_out: 0,
      ok: { n: 1, share: 1 },
      wrong: { n: 5, share: 0 },
    });
  });

  it('uses the default judge of the team, or one named by its full name or model id', async () => {
    const run = await aRun([1]);
    for (const path of ['calibration', 'label-queue'])
      expect(await ada.get(`/api/judge/${path}`)).toMatchObject({
        status: 422,
        body: { errors: [{ path: '/judge', message: 'is missing' }] },
      });
    const setting = { team_id: team.id, judge: 'sim::default judge', instructions: 'Mind the units.' };
    await insertRow(api.pool, 'judge_setting', setting);
    expect(await calibrationOf('')).toMatchObject({
      judge: 'sim::default judge',
      report_id: null,
      instructions: 'Mind the units.',
      status: 'uncalibrated',
      reports: 0,
      left_out: 0,
    });
    expect(await queueOf('')).toEqual({ judge: 'sim::default judge', items: [], labelled: 0, asked: 100, left: 0 });
    const first = await judged(run, ['correct'], { judge: 'sim::default judge' });
    for (const query of ['', 'judge=default judge', 'judge=sim::default judge'])
      expect([(await calibrationOf(query)).report_id, idsOf(await queueOf(query))]).toEqual([first, ['0-0-0']]);
    await judged(run, ['correct'], { judge: 'other::default judge' });
    for (const path of ['calibration', 'label-queue'])
      expect(await ada.get(`/api/judge/${path}?judge=default judge`)).toMatchObject({
        status: 422,
        body: {
          detail: expect.stringMatching(/called "default judge": other::default judge, sim::default judge\./),
          errors: [{ path: '/judge' }],
        },
      });
    expect(await calibrationOf('judge=nobody')).toMatchObject({ judge: 'nobody', report_id: null, labels: 0 });
    expect(await ada.get(`/api/judge/calibration?judge=x&report_id=${first}`)).toMatchObject({ status: 422 });
    expect((await ada.get(`/api/judge/calibration?report_id=${NOBODY}`)).status).toBe(404);
  });

  it('a report is estimated by a rule, and then by what its judge took before', async () => {
    const run = await aRun([0, 0, 1, 0.5]);
    const asked = { eval_id: run, judge: 'sim::b', which: 'all', samples: 2 };
    const estimate = async (more: object = {}) => ada.post('/api/judge/estimate', { ...asked, ...more });
    const { status, body } = await estimate();
    const tokens = { prompt_tokens: 9 * 1500, completion_tokens: 9 * 200, cost_usd: null };
    expect([status, body]).toEqual([200, { judge: 'sim::b', results: 4, requests: 9, ...tokens, tokens_by: 'rule' }]);
    await judged(run, ['correct', 'wrong'], {
      judge: 'sim::b',
      judgement: { prompt_tokens: 700, completion_tokens: 30 },
    });
    expect((await estimate({ which: 'failed', samples: 1 })).body).toMatchObject({
      ...{ results: 3, requests: 4, prompt_tokens: 2800, completion_tokens: 120, tokens_by: 'earlier reports' },
    });
    expect((await others.post('/api/judge/estimate', asked)).status).toBe(422);
  });

  it('labels and reports belong to their team', async () => {
    const judge = aJudge();
    const run = await aRun(times(2, 1));
    const report = await judged(run, ['correct', 'wrong'], { judge });
    await drawAll(judge);
    const unknown = (path: string) => others.get(path);
    expect((await label(run, '0-0-0', 'wrong', others)).body.detail).toBe(`No run with id "${run}" in this team.`);
    expect((await others.delete(pathOf(run))).status).toBe(404);
    expect((await unknown(`/api/tool-eval/history/${run}/labels`)).status).toBe(404);
    expect((await unknown(`/api/judge/label-queue?judge=${judge}&eval_id=${run}`)).status).toBe(404);
    expect((await unknown(`/api/judge/calibration?report_id=${report}`)).status).toBe(404);
    const body = { labels: [{ result_id: '0-0-0', label: 'wrong' }] };
    expect((await others.post(`/api/tool-eval/history/${run}/labels`, body)).status).toBe(404);
    expect(await queueOf(`judge=${judge}`, others)).toMatchObject({ items: [], labelled: 0, left: 0 });
    expect(await calibrationOf(`judge=${judge}`, others)).toMatchObject({ report_id: null, labels: 0, left_out: 0 });
    const { id } = (await others.get('/api/me')).body.team;
    const heads = await calibrationHeads(api.pool, id, [`${judge} `]);
    expect(heads.get(`${judge} `)).toMatchObject({ labels: 0 });
    expect((await labelsOf(run)).items).toHaveLength(2);
  });
});
