// Each fault alone, in the middle of a run: how long nothing was settled, how long until every claimed item was
// settled, and how many requests were made twice.
//   node bench/chaos/faults.mjs [part of a fault's name] [--earlier=<commit of an earlier release>]
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, symlinkSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { node, root } from '../../scripts/set-up.mjs';
import { until, withDeployment } from './deployment.mjs';
import { completed, differences, repeatedRequests, settledOf, submitRun } from './runs.mjs';

const earlier = process.argv.find((arg) => arg.startsWith('--earlier='))?.slice(10);
const only = process.argv.slice(2).find((arg) => !arg.startsWith('--')) ?? '';
const beside = (file) => fileURLToPath(new URL(file, import.meta.url));
const switchModel = (simulator, model, state) =>
  fetch(`${simulator.url}/control/models/${model}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(state),
  });

/** The fault ends when `fault` returns. `workers`: the options of each worker; default: two plain ones. */
const FAULTS = {
  'nothing (for comparison)': { fault: async () => {} },
  'worker killed, one of two': { fault: ({ workers }) => workers[0].crash() },
  'all workers killed, started again': {
    fault: async ({ workers, start }) => {
      await Promise.all(workers.map((one) => one.crash()));
      await Promise.all([start(), start()]);
    },
  },
  'worker frozen for 20 s, one of two': {
    fault: async ({ workers }) => {
      workers[0].kill('SIGSTOP');
      void delay(20_000).then(() => workers[0].kill('SIGCONT'));
    },
  },
  'Redis gone for 15 s, back empty': {
    fault: async ({ redis }) => {
      await redis.kill();
      await delay(15_000);
      await redis.start();
    },
  },
  'Redis emptied': { fault: ({ redis }) => redis.flush() },
  'Postgres restarted in immediate mode': {
    fault: async ({ postgres }) => {
      await postgres.kill();
      await postgres.start();
    },
  },
  'Postgres gone for 15 s': {
    fault: async ({ postgres }) => {
      await postgres.kill();
      await delay(15_000);
      await postgres.start();
    },
  },
  'provider down for 20 s (503)': {
    fault: async ({ simulator, model }) => {
      await switchModel(simulator, model, { on: false, status: 503 });
      await delay(20_000);
      await switchModel(simulator, model, { on: true });
    },
  },
  'an item that kills its worker': {
    items: 300,
    errored: 1,
    workers: [1, 2].map(() => ({ preload: beside('deadly-prompt.mjs'), DEADLY_PROMPT: 'run 150)' })),
    // Restarts exited processes, as an orchestrator does.
    fault: async ({ workers, start, run, sql }) => {
      const ended = async () =>
        (await sql.query(`SELECT 1 FROM run WHERE id = $1 AND status = 'completed'`, [run.evalId])).rowCount > 0;
      while (!(await ended())) {
        for (const [n, one] of workers.entries())
          if (one.hasExited())
            workers[n] = await start({ preload: beside('deadly-prompt.mjs'), DEADLY_PROMPT: 'run 150)' });
        await delay(200);
      }
    },
  },
  'clocks of two hosts an hour wrong, one late, one early': {
    workers: [-3_600_000, 3_600_000].map((ms) => ({ preload: beside('skewed-clock.mjs'), CLOCK_SKEW_MS: String(ms) })),
    fault: async () => {},
  },
  'rolling deploy': {
    fault: async ({ workers, start }) => {
      for (const old of [...workers]) {
        await start();
        await old.stop();
      }
    },
  },
  'disk of Postgres full for 10 s': {
    smallDisk: true,
    fault: async ({ data, postgres }) => {
      const { bavail, bsize } = statfsSync(data);
      spawnSync('fallocate', ['-l', String(bavail * bsize), join(data, 'filler')]);
      spawnSync('dd', ['if=/dev/zero', `of=${join(data, 'filler')}`, 'oflag=append', 'conv=notrunc', 'bs=4k'], {
        stdio: 'ignore',
      });
      await delay(10_000);
      rmSync(join(data, 'filler'));
      if (await postgres.startUnlessUp()) process.stderr.write('Postgres had ended itself and was started again.\n');
    },
  },
  ...(earlier && {
    [`worker of an earlier release (${earlier}) beside a new one`]: {
      workers: [{}, { from: 'earlier' }],
      fault: async ({ sql, run }) => {
        await submitBefore(sql, run.evalId);
        await until(
          async () =>
            (await sql.query('SELECT count(DISTINCT worker)::int AS n FROM in_flight WHERE run_id = $1', [run.evalId]))
              .rows[0].n === 2,
          'both to have items',
        );
      },
    },
  }),
};

async function play(
  { sql, call, simulator, postgres, redis, worker, data },
  name,
  { items = 600, errored = 0, workers: options = [{}, {}], fault },
) {
  const model = `slow-100:${name.replace(/\W+/g, '-')}`;
  const key = `p${Object.keys(FAULTS).indexOf(name)}`;
  await call('POST', '/api/providers', {
    key,
    base_url: `${simulator.url}/v1`,
    api_key: `sk-${key}-0123456789`,
    limits: { max_concurrency: 8 },
    models: [{ id: model }],
  });
  const running = [];
  const start = async (how) => (running.push(await worker(how)), running.at(-1));
  const workers = await Promise.all(options.map((how) => start(how.from ? { ...how, from: earlierRelease() } : how)));
  const run = await submitRun(call, { name: `${key} run`, models: [`${key}::${model}`], cases: items, cache: 'off' });
  await until(async () => (await settledOf(sql, [run])) >= 60, '60 settled items');
  const claimed = (
    await sql.query('SELECT item FROM in_flight WHERE run_id = $1 AND worker IS NOT NULL', [run.evalId])
  ).rows.map(({ item }) => item);
  const from = new Date();
  await fault({ sql, simulator, postgres, redis, data, workers, start, run, model });
  const to = new Date();
  await completed(sql, [run], 200_000);
  const {
    rows: [seen],
  } = await sql.query(
    `WITH r AS (SELECT settled_at AS at, case_position FROM result WHERE run_id = $1)
     SELECT
       (SELECT extract(epoch FROM max(gap)) FROM (SELECT at, at - lag(at) OVER (ORDER BY at) AS gap FROM r) g
         WHERE at > $2) AS pause,
       (SELECT extract(epoch FROM min(at) - $3) FROM r WHERE at > $3) AS first,
       (SELECT extract(epoch FROM max(at) - $3) FROM r WHERE case_position = ANY ($4)) AS claimed`,
    [run.evalId, from, to, claimed],
  );
  const wrong = await differences(sql, run, errored);
  const repeated = await repeatedRequests(simulator.url, [run]);
  const shown = (seconds) => (seconds === null ? '-' : Math.max(0, seconds).toFixed(1)).padStart(6);
  console.log(
    `| ${name} | ${((to - from) / 1000).toFixed(1)} | ${shown(seen.pause)} | ${shown(seen.first)} | ` +
      `${shown(seen.claimed)} | ${repeated} | ${wrong.length ? wrong.join('; ') : 'exact'} |`,
  );
  await Promise.all(running.map((one) => one.stop()));
  return wrong.length === 0;
}

let built;
/** Lowers a run's level so that both releases can play it: a worker ignores runs above its level. */
async function submitBefore(sql, evalId) {
  const { stdout } = spawnSync('git', ['show', `${earlier}:libs/contracts/worker-level.ts`], { cwd: root });
  const level = Number(/WORKER_LEVEL = (\d+)/.exec(stdout)?.[1] ?? 1);
  await sql.query('UPDATE run SET worker_level = least(worker_level, $2) WHERE id = $1', [evalId, level]);
  await sql.query('UPDATE target SET active = active_for IS NOT NULL WHERE run_id = $1', [evalId]);
}

/** Builds the earlier release once and returns its folder. */
function earlierRelease() {
  if (built) return built;
  built = mkdtempSync(join(tmpdir(), 'toolmark-earlier-'));
  execFileSync('sh', ['-c', 'git archive "$0" | tar -x -C "$1"', earlier, built], { cwd: root });
  symlinkSync(join(root, 'node_modules'), join(built, 'node_modules'));
  execFileSync(node, ['scripts/build.mjs'], { cwd: built, stdio: ['ignore', 'ignore', 'inherit'] });
  return built;
}

console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}; 8 requests in flight of 100 ms each\n`);
console.log(
  '| fault | lasted, s | longest time without a result | first result after it | all claimed items ' +
    'settled after it | requests made twice | counters, summaries, log |\n|---|---|---|---|---|---|---|',
);
const wanted = Object.entries(FAULTS).filter(([name]) => name.includes(only));
const onSmallDisk = async (use) => {
  const data = mkdtempSync(join(tmpdir(), 'toolmark-chaos-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=600m', 'tmpfs', data]).status !== 0)
    return console.log('| disk of Postgres full | not tried: mounting a file system of 600 MB takes root |');
  try {
    mkdirSync(join(data, 'of'));
    await withDeployment({ data: join(data, 'of') }, use);
  } finally {
    spawnSync('umount', [data]);
    rmSync(data, { recursive: true, force: true });
  }
};
let good = true;
const playAll = (list) => async (deployment) => {
  for (const [name, fault] of list) {
    good =
      (await play(deployment, name, fault).catch((error) => console.log(`| ${name} | ${error.message} |`))) && good;
  }
};
try {
  await withDeployment({}, playAll(wanted.filter(([, { smallDisk }]) => !smallDisk)));
  for (const one of wanted.filter(([, { smallDisk }]) => smallDisk)) await onSmallDisk(playAll([one]));
} finally {
  if (built) rmSync(built, { recursive: true, force: true });
}
process.exit(good ? 0 : 1);
