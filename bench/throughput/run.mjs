// Items a second through the whole system, against the simulator at zero latency, with one and two workers; and what each process
// and store spends on an item. Everything runs on this machine.   node bench/throughput/run.mjs [items] [concurrency]
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, chmodSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres } from '../../scripts/postgres.mjs';
import { startRedis } from '../../scripts/redis.mjs';
import { freePort } from '../../scripts/server-process.mjs';
import { node, root } from '../../scripts/set-up.mjs';

const items = Number(process.argv[2] ?? 20_000);
const concurrency = Number(process.argv[3] ?? 100);
const TOKEN = 'a-token-for-benchmarks-0123456789';
const folder = mkdtempSync(join(tmpdir(), 'toolmark-bench-'));
chmodSync(folder, 0o711);
const say = (text) => process.stderr.write(`${text}\n`);
const postgres = await startPostgres({ folder, logFile: join(folder, 'postgres.log'), durable: true, say });
const redis = await startRedis({ folder, logFile: join(folder, 'redis.log'), durable: true, say });
const databaseUrl = Object.assign(new URL(postgres.url), { pathname: '/bench' }).href;
const env = {
  ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: redis.url, TOOLMARK_ADMIN_TOKEN: TOKEN, TOOLMARK_SEALING_KEY: 'ab'.repeat(32),
  TOOLMARK_ALLOW_PRIVATE_NETWORKS: 'true', LOG_LEVEL: 'warn',
};
const children = [];

async function start(name) {
  const port = await freePort();
  const child = spawn(node, [join(root, `dist/apps/${name}/main.js`)], { env: { ...env, PORT: String(port) }, stdio: ['ignore', 'ignore', 'inherit'] });
  children.push(child);
  for (;;) {
    if (await fetch(`http://127.0.0.1:${port}/healthz`).then((answer) => answer.ok, () => false)) break;
    await delay(50);
  }
  return { pid: nodeOf(child.pid), url: `http://127.0.0.1:${port}`, stop: () => new Promise((resolve) => (child.once('exit', resolve), child.kill('SIGTERM'))) };
}

const stat = (pid) => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')), parent: Number(fields[1]), own: (Number(fields[11]) + Number(fields[12])) * 10, reaped: (Number(fields[13]) + Number(fields[14])) * 10 };
};
const processes = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => { try { return [{ pid: Number(pid), ...stat(pid) }]; } catch { return []; } });
/** The node binary may be started through a wrapper. */
const nodeOf = (pid) => processes().find((one) => one.parent === pid)?.pid ?? pid;
/** Milliseconds of CPU, those of ended children included. */
const storeCpu = (program) => processes().filter((one) => one.name.startsWith(program)).reduce((sum, one) => sum + one.own + (program === 'postgres' ? one.reaped : 0), 0);

try {
  execFileSync(node, [join(root, 'dist/libs/db/migrate-main.js')], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [simulator, api] = [await start('simulator'), await start('api')];
  const call = async (method, path, body) => {
    const answer = await fetch(api.url + path, { method, headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }, body: body && JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return answer.json();
  };
  await call('POST', '/api/providers', { key: 'sim', base_url: `${simulator.url}/v1`, limits: { max_concurrency: concurrency }, models: [{ id: 'instant' }] });
  const suite = await call('GET', '/api/tool-eval/import/example');
  suite.test_cases = Array.from({ length: 1000 }, (_, n) => ({ prompt: `What is the weather in city ${n}?`, expected_tool: 'get_weather', expected_params: { city: 'x' } }));
  const { suite_id } = await call('POST', '/api/tool-eval/import', suite);

  console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}; ${items} items, concurrency ${concurrency}`);
  console.log('workers  items/s   CPU us/item: workers  simulator  api  redis  postgres');
  for (const count of [1, 2]) {
    const workers = [];
    for (let i = 0; i < count; i++) workers.push(await start('worker'));
    const run = async (samples) => {
      const { eval_id } = await call('POST', '/api/tool-eval', { suite_id, models: ['sim::instant'], samples });
      for (;;) {
        const now = await call('GET', `/api/tool-eval/history/${eval_id}`);
        if (now.status === 'completed') return (Date.parse(now.finished_at) - Date.parse(now.created_at)) / 1000;
        await delay(100);
      }
    };
    await run(2); // warm
    const cpu = () => [workers.reduce((sum, worker) => sum + stat(worker.pid).own, 0), stat(simulator.pid).own, stat(api.pid).own, storeCpu('redis-server'), storeCpu('postgres')];
    const before = cpu();
    const seconds = await run(items / 1000);
    const spent = cpu().map((ms, index) => Math.round(((ms - before[index]) * 1000) / items));
    console.log(`${String(count).padStart(7)}  ${String(Math.round(items / seconds)).padStart(7)}   ${spent.map((us) => String(us).padStart(9)).join('  ')}`);
    for (const worker of workers) await worker.stop();
  }
} finally {
  for (const child of children) if (child.exitCode === null) child.kill('SIGTERM');
  await delay(500);
  await redis.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
