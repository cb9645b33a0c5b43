// People's labels, and judge reports.
import { JUDGE } from './models.mjs';

const NOTE = 'The user asked for Fahrenheit.';

export async function playLabels({ call, ids }) {
  const path = `/api/tool-eval/history/${ids.baseline}`;
  const { items } = await call('GET', `${path}/results?limit=200`);
  const [first, second] = items;
  await call('PUT', `${path}/results/${first.id}/label`, { label: 'wrong', note: NOTE });
  await call('PUT', `${path}/results/${second.id}/label`, { label: 'acceptable' });
  await call('POST', `${path}/labels`, {
    labels: [
      { result_id: '0-1-0', label: 'wrong', note: NOTE },
      { result_id: '0-0-0', label: 'acceptable' },
    ],
  });
  const labels = items.map(({ id, passed }) => ({ result_id: id, label: passed ? 'correct' : 'wrong' }));
  await call('POST', `${path}/labels`, labels.map((line) => JSON.stringify(line)).join('\n'), {
    type: 'application/x-ndjson',
  });
  await call('GET', `${path}/labels`);
  await call('PUT', `${path}/results/${first.id}/note`, { text: 'The city is ambiguous: accept both.' });
  await call('GET', `${path}/results?noted=true`);
  await call('GET', `${path}/results/${first.id}`);
  await call('PUT', `${path}/results/${second.id}/note`, { text: 'Ask again.' });
  await call('DELETE', `${path}/results/${second.id}/note`);
  const { suite } = await call('GET', path);
  await call('GET', `/api/tool-suites/${suite.id}/cases/${first.case_id}/verdicts`);
}

export async function playJudge({ call, submit, ids }) {
  const setting = { judge: JUDGE, instructions: 'Times without a zone are local.', auto_below: 0.8 };
  await call('PUT', '/api/settings/judge', setting);
  await call('PUT', '/api/settings/judge', { judge: null, instructions: '', auto_below: 0 });
  const all = {
    judge: JUDGE,
    which: 'all',
    sample_size: 100,
    below: 0.5,
    samples: 1,
    instructions: 'Times without a zone are local.',
    reference: true,
    allow_self: false,
    seed: 1,
    temperature: 0,
    max_tokens: 4096,
    timeout_s: 120,
    params: {},
    budget: { max_cost_usd: 2.5, max_requests: 1000 },
    experiment_id: ids.experiment,
  };
  await call('POST', '/api/judge/estimate', { eval_id: ids.run, ...all });
  const reports = [
    await submit('/api/judge', { eval_id: ids.run, ...all }),
    await submit('/api/judge', { eval_id: ids.run, judge: JUDGE }),
    await submit('/api/judge', { eval_id: ids.baseline, judge: JUDGE, which: 'all' }),
    await submit('/api/judge', { a: ids.baseline, b: ids.run, judge: JUDGE }),
    await submit('/api/judge', { eval_id: ids.others.odd, judge: JUDGE, which: 'all', instructions: '' }),
  ];
  ids.report = reports[1].report_id;
  await call('POST', `/api/judge/reports/${ids.report}/rerun`);
  for (const { report_id: id } of reports) {
    await call('GET', `/api/judge/reports/${id}`);
    await call('GET', `/api/judge/reports/${id}/verdicts?limit=200`);
    await call('GET', `/api/judge/calibration?report_id=${id}`);
  }
  await call('GET', '/api/judge/reports');
  await call('GET', `/api/judge/calibration?judge=${JUDGE}`);
  for (const run of [ids.baseline, ids.run, ids.others.odd])
    await call('GET', `/api/judge/label-queue?eval_id=${run}&judge=${JUDGE}`);
  await call('GET', `/api/judge/calibration?judge=${JUDGE}`);
  await call('GET', `/api/judge/reports/${ids.report}/verdicts?disputed=true`);
  await call('GET', `/api/experiments/${ids.experiment}/timeline`);
  await call('GET', `/api/tool-eval/history/${ids.run}`);
}
