// Runs `npm start` as a user on a fresh machine would: up to its leaderboard and the printed commands; stopped; again
// with the kept data and a given token; killed; and again. Checks that nothing is left behind.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder, startToolmark } from './fresh-toolmark.mjs';
import { until } from './server-process.mjs';
import { root } from './set-up.mjs';

const folder = freshFolder();

const first = await startToolmark(folder);
const rows = first.text.split('\n').filter((line) => /^ +\d+ {2}\S.* %/.test(line));
assert.ok(rows.length >= 4, `The leaderboard shows four models or more:\n${first.text}`);
assert.equal((await first.call('GET', '/api/tool-eval/history')).items.length, 1);
assert.deepEqual(openPorts(), [], 'Nothing listens to other machines.');
await expectRefused(first, `http://127.0.0.1:${first.port}/v1`);
await openPage(first);
await followPrintedSteps(first);
await stop(first, 'SIGTERM');
console.log(
  `First start: ready in ${first.seconds} s with a leaderboard of ${rows.length} models; what it ` +
    'prints works; stopped, nothing is left.',
);

const given = 'a-token-that-was-given';
const second = await startToolmark(folder, { TOOLMARK_ADMIN_TOKEN: given, TOOLMARK_HOST: '0.0.0.0' });
assert.deepEqual(openPorts(), [second.port], 'Only the API is open to other machines.');
assert.doesNotMatch(second.text, /Running "|Your token/, 'A second start runs no demo and shows no token.');
assert.ok(!second.text.includes(given), 'A configured token is not printed.');
assert.match(second.text, /token: the TOOLMARK_ADMIN_TOKEN that you set/);
assert.equal((await second.call('GET', '/api/tool-eval/history')).items.length, 3, 'The data are kept.');
await followPrintedSteps(second, { TOOLMARK_ADMIN_TOKEN: given });
process.kill(JSON.parse(readFileSync(join(folder, 'running.json'), 'utf8')).pid, 'SIGKILL');
await second.ended;
console.log(`Second start: ready in ${second.seconds} s with its data; killed.`);

const third = await startToolmark(folder);
assert.equal((await third.call('GET', '/api/tool-eval/history')).items.length, 5, 'The data survive a kill.');
await stop(third, 'SIGINT');
console.log(`Start after the kill: ready in ${third.seconds} s with its data; stopped, nothing is left.`);
rmSync(folder, { recursive: true, force: true });

/** The printed address signs in, and the page is served. */
async function openPage({ text }) {
  const printed =
    /^ {2}Page {7}(\S+)$/m.exec(text)?.[1] ?? assert.fail(`npm start prints the page's address:\n${text}`);
  const { origin, hash } = new URL(printed);
  const page = await fetch(origin);
  assert.match(await page.text(), /<title>Toolmark<\/title>/);
  assert.match(page.headers.get('content-security-policy'), /default-src 'none'/);
  const session = await fetch(`${origin}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ token: new URLSearchParams(hash.slice(1)).get('token') }),
  });
  assert.equal(session.status, 200);
  assert.match(session.headers.get('set-cookie'), /^toolmark_session=.*HttpOnly/);
}

/** Requests may go to the simulator, and to no other address of this machine. */
async function expectRefused({ call }, baseUrl) {
  const refused = call('POST', '/api/providers', { key: 'elsewhere', kind: 'openai', base_url: baseUrl });
  await assert.rejects(refused, /TOOLMARK_ALLOWED_NETWORKS/);
}

/** Runs the command and the request that `npm start` printed, in a shell with an empty environment. */
async function followPrintedSteps({ text, call }, given = {}) {
  const printed = (what) =>
    new RegExp(`^  (.*${what}.*)$`, 'm').exec(text)?.[1] ??
    assert.fail(`npm start prints a line with "${what}":\n${text}`);
  const [suite] = (await call('GET', '/api/tool-suites')).items;
  assert.match(text, new RegExp(`^  ${suite.id}  ${suite.name} `, 'm'), 'It names the suites.');
  const shell = (line) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: folder, ...given },
      encoding: 'utf8',
    });
    assert.equal(status, 0, `Works as printed: ${line}\n${stdout}${stderr}`);
    return stdout;
  };
  assert.match(shell(printed('toolmark -- .* run ')), /1 +simulator::.*%/, 'The command ends with a leaderboard.');
  const { status, job_id: jobId } = JSON.parse(shell(printed('curl ')));
  assert.equal(status, 'submitted');
  assert.ok(
    await until(async () => (await call('GET', `/api/jobs/${jobId}`)).status === 'completed', 60_000),
    'The run of the request is done.',
  );
}

async function stop({ stop: end }, signal) {
  await end(signal);
  assert.ok(
    await until(() => processesOn(folder).length === 0, 60_000),
    `Still running: ${processesOn(folder).join('; ')}`,
  );
}

/** Ports that the started processes expose beyond this machine (Linux). */
function openPorts() {
  const sockets = new Set(
    processesOn(folder).flatMap((process) => {
      const files = `/proc/${process.split(' ')[0]}/fd`;
      // A process may end in the meantime, such as one of Postgres, and a file be closed.
      const unlessGone = (read) => {
        try {
          return read();
        } catch {
          return [];
        }
      };
      return unlessGone(() => readdirSync(files)).flatMap((name) =>
        unlessGone(() => /^socket:\[(\d+)\]$/.exec(readlinkSync(`${files}/${name}`))?.[1] ?? []),
      );
    }),
  );
  const [LISTENS, LOOPBACK] = ['0A', /^(0100007F|0{24}01000000)$/];
  return ['tcp', 'tcp6'].flatMap((kind) => {
    const rows = readFileSync(`/proc/net/${kind}`, 'utf8').trim().split('\n').slice(1);
    return rows.flatMap((row) => {
      const [, local, , state, , , , , , inode] = row.trim().split(/\s+/);
      const [address, port] = local.split(':');
      return state === LISTENS && sockets.has(inode) && !LOOPBACK.test(address) ? [parseInt(port, 16)] : [];
    });
  });
}

/** The processes that use a folder, by their arguments, environment or working directory (Linux). */
function processesOn(path) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((pid) => {
    try {
      const about = [
        readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
        readFileSync(`/proc/${pid}/environ`, 'utf8'),
        readlinkSync(`/proc/${pid}/cwd`),
      ];
      return about.some((text) => text.includes(path)) ? [`${pid} ${about[0].replaceAll('\0', ' ')}`] : [];
    } catch {
      return []; // It exited in the meantime.
    }
  });
}
