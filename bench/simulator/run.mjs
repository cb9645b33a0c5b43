// Requests per second of the simulator on one core, from an undici client in this process.
//   node bench/simulator/run.mjs [models] [seconds] [connections] [suite]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';

const [models = 'instant,perfect-ish', seconds = '5', connections = '64', suiteName = 'weather'] =
  process.argv.slice(2);
const main = fileURLToPath(new URL('../../dist/apps/simulator/main.js', import.meta.url));
const suite = JSON.parse(readFileSync(new URL(`../../examples/${suiteName}.json`, import.meta.url), 'utf8'));
const simulator = spawn(process.execPath, [process.env.SIMULATOR_MAIN ?? main], {
  env: { ...process.env, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = await once(simulator.stdout, 'data');
const origin = `http://127.0.0.1:${JSON.parse(String(line)).port}`;
// HTTP pipelining keeps the client cheaper than the server, which is the one measured.
const pool = new Pool(origin, { connections: Number(connections), pipelining: 4 });

const cpuSeconds = () => {
  const [user, system] = readFileSync(`/proc/${simulator.pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13);
  return (Number(user) + Number(system)) / 100;
};
const prompts = suite.test_cases.map((testCase) => testCase.prompt).filter(Boolean);

/** `distinct` sends no prompt twice, so that every response is computed. */
async function measure(model, distinct) {
  let asked = 0;
  const bodyOf = (n) =>
    JSON.stringify({
      model,
      messages: [
        ...(suite.system_prompt ? [{ role: 'system', content: suite.system_prompt }] : []),
        { role: 'user', content: prompts[n % prompts.length] + (distinct ? ` (${n})` : '') },
      ],
      tools: suite.tools,
      tool_choice: 'required',
      temperature: 0,
    });
  const bodies = distinct ? null : prompts.map((_, n) => bodyOf(n));
  let until = Infinity;
  const ask = async () => {
    while (Date.now() < until) {
      const n = asked++;
      const body = bodies ? bodies[n % bodies.length] : bodyOf(n);
      const reply = await pool.request({
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { 'content-type': 'application/json', authorization: 'Bearer bench' },
        body,
      });
      await reply.body.dump();
      if (reply.statusCode !== 200) throw new Error(`Status ${reply.statusCode}`);
    }
  };
  const run = async (ms) => {
    const [startedAt, cpu, before] = [Date.now(), cpuSeconds(), asked];
    until = startedAt + ms;
    await Promise.all(Array.from({ length: Number(connections) * 4 }, ask));
    const wall = (Date.now() - startedAt) / 1000;
    return { requests: asked - before, wall, cpu: cpuSeconds() - cpu };
  };
  await run(1500);
  const { requests, wall, cpu } = await run(Number(seconds) * 1000);
  console.log(
    `${model}${distinct ? ' (every prompt new)' : ''}: ${Math.round(requests / wall)} requests/s; ` +
      `${((cpu / requests) * 1e6).toFixed(0)} µs CPU each, so ${Math.round(requests / cpu)}/s on a ` +
      `core of its own; body ${Buffer.byteLength(bodyOf(0))} bytes`,
  );
}

try {
  for (const model of models.split(',')) {
    await measure(model, false);
    await measure(model, true);
  }
} finally {
  simulator.kill();
  await pool.close();
}
