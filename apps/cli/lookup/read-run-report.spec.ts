import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiClient } from '#lib/client/api-client';
import type { JudgeReport } from '#lib/judge/contract';
import type { Run } from '#lib/contracts/run';
import { readRunReport } from './read-run-report.js';

let reports: object[];
let asked: string[];
let server: Server;
let client: ApiClient;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url!);
    const items = request.url!.startsWith('/api/judge/reports?') ? reports : [];
    response.end(JSON.stringify({ items, next_cursor: 'more', text: null }));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  client = new ApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
});
afterAll(() => server.close());
beforeEach(() => ([reports, asked] = [[], []]));

const runOf = (passed: number): Run =>
  ({ id: 'run', counts: { total: 9000, settled: 9000, errored: 0, passed } }) as unknown as Run;
const reportOf = (id: string, more: Partial<JudgeReport> = {}) => ({
  ...{ id, judge: 'p::j', eval_id: 'run', baseline_eval_id: null, judged: 9, finished_at: 'then' },
  targets: [{ expectation_at_fault: 0, kinder: 500, stricter: 1 }],
  ...more,
});

it('reads only one page of each list', async () => {
  reports = [reportOf('newest')];
  await readRunReport(client, runOf(10));
  expect(asked.sort()).toEqual([
    '/api/judge/reports/newest/verdicts?agreement=kinder&limit=20',
    '/api/judge/reports/newest/verdicts?agreement=stricter&limit=20',
    '/api/judge/reports?eval_id=run&limit=20',
    '/api/tool-eval/history/run/ranking',
    '/api/tool-eval/history/run/results?passed=false&outcome=scored&order=failures&lean=true&limit=20',
  ]);
});

it('does not request failures if there are none', async () => {
  await readRunReport(client, runOf(9000));
  expect(asked.filter((path) => path.includes('/results'))).toEqual([]);
});

it('keeps the newest report of each judge and comparison that has judged results of this run', async () => {
  reports = [
    reportOf('going on', { finished_at: null }),
    reportOf('nothing', { judged: 0 }),
    reportOf('on another run', { eval_id: 'other', baseline_eval_id: 'run' }),
    reportOf('newest'),
    reportOf('compared', { baseline_eval_id: 'other' }),
    reportOf('older'),
    reportOf('of another judge', { judge: 'p::k' }),
  ];
  const { judges } = await readRunReport(client, runOf(9000));
  expect(judges.map(({ report }) => report.id)).toEqual(['newest', 'compared', 'of another judge']);
  reports = Array.from({ length: 20 }, (_, n) => reportOf(`of judge ${n}`, { judge: `p::${n}` }));
  expect((await readRunReport(client, runOf(9000))).judges).toHaveLength(5);
});
