// Requests that are refused, one for each status.

export async function playProblems({ call, ids }) {
  const missing = '019aa8a2-5c1e-7000-8000-000000000999';
  const input = { suite_id: ids.suite, models: ['opnai::gpt-5-mini'] };
  await call('POST', '/api/tool-suites', { tools: [] }, { wanted: 400 });
  await call('GET', '/api/me', undefined, { wanted: 401, as: 'tm_no-token' });
  const { token } = await call('POST', '/api/tokens', { name: 'Dashboard', role: 'viewer' });
  await call('POST', '/api/tool-eval', input, { wanted: 403, as: token });
  await call('GET', `/api/tool-suites/${missing}`, undefined, { wanted: 404 });
  const { job_id: job } = await call('POST', '/api/tool-eval', { ...input, models: ['simulator::slow-400'] });
  const { eval_id: run } = (await call('GET', '/api/tool-eval/history')).items.map(({ id }) => ({ eval_id: id }))[0];
  await call('DELETE', `/api/tool-eval/history/${run}`, undefined, { wanted: 409 });
  await call('POST', `/api/jobs/${job}/cancel`);
  await call('POST', '/api/tool-suites', { name: 'a'.repeat(2 ** 21) }, { wanted: 413 });
  await call('POST', '/api/tool-suites', '<p>', { wanted: 415, type: 'text/html' });
  await call('POST', '/api/tool-eval', input, { wanted: 422 });
}
