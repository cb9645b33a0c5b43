// Live connections that send hostile packets, and bursts of them.
import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import { MARK } from './stock.mjs';
import { hostileText, hostileValue, nearly, NOTHING, placeholder, toText } from './values.mjs';

const CALLERS = ['owner', 'viewer', 'limited', 'readsOnly', 'revoked', 'wrong'];
const ANSWER_MS = 5000;

const jobId = fc.constantFrom(placeholder('job'), placeholder('job', 'other'), placeholder('run'), NOTHING, 'x');
const subscription = fc.record({
  job_id: jobId,
  after_seq: fc.option(fc.constantFrom(0, -1, 1.5, 2 ** 53, '1'), { nil: undefined }),
  batch: fc.option(fc.constantFrom(1, 0, 1e9, true), { nil: undefined }),
});
const events = fc.constantFrom('subscribe', 'unsubscribe');
const event = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: events },
      { weight: 1, arbitrary: hostileText.filter((text) => text.length < 200) },
    ),
    fc.oneof(subscription, nearly(subscription), hostileValue),
  )
  .map(([name, input]) => ({ event: `[${JSON.stringify(name)},${toText(input)}]` }));
const FRAMES = [
  '',
  '2',
  '3',
  '2probe',
  '5',
  '6',
  '9',
  '40',
  '40/admin,{"token":"x"}',
  '42',
  '42[]',
  '42{}',
  '42["subscribe"]',
  '42["subscribe",null]',
  '42["disconnect"]',
  '42["connect_error",{}]',
  '42["__proto__",{}]',
  '42["toString",{}]',
  '4299999999999999999999["subscribe",{}]',
  '42-1["subscribe",{}]',
  '431["x"]',
  '44{"message":"x"}',
  '451-["subscribe",{"_placeholder":true,"num":0}]',
  '4510000000-["subscribe"]',
  '46',
  '42["subscribe",{"job_id":',
];
const frame = fc.constantFrom(...FRAMES, `42${'['.repeat(2000)}`, 'x'.repeat(120_000)).map((text) => ({ frame: text }));
const burst = fc.record({ burst: fc.constantFrom(50, 400), job_id: jobId });
const talks = fc.record({
  caller: fc.constantFrom(...CALLERS),
  says: fc.array(
    fc.oneof({ weight: 6, arbitrary: event }, { weight: 3, arbitrary: frame }, { weight: 1, arbitrary: burst }),
    { minLength: 1, maxLength: 8 },
  ),
});

/** Holds this many conversations; keeps what is wrong in the walk. */
export async function talk(walk, count) {
  for (const [n, one] of fc.sample(talks, { seed: walk.seed, numRuns: count }).entries()) {
    const faults = await converse(walk, one);
    for (const fault of faults) walk.note('socket', fault, { n, curl: JSON.stringify(one).slice(0, 1000) });
  }
}

async function converse(walk, { caller, says }) {
  const team = walk.teams.at(0);
  const fill = (text) =>
    text
      .replaceAll(/«(own|other)\.(\w+)»/g, (_, whose, kind) => (whose === 'other' ? walk.other : team).ids[kind])
      .replaceAll('«nothing»', '019aa8a2-5c1e-7000-8000-0000000000ff');
  const token = (team.callers[caller]?.authorization ?? 'Bearer tm_wrong').slice('Bearer '.length);
  const socket = new WebSocket(`${walk.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
  const state = { received: '', isOpen: false, isRefused: false, isClosed: false };
  socket.onmessage = ({ data }) => {
    state.received += `${data}\n`;
    if (data === '2') socket.send('3');
    else if (data.startsWith('0{')) socket.send(`40${JSON.stringify({ token })}`);
    else if (data.startsWith('40')) state.isOpen = true;
    else if (data.startsWith('44')) state.isRefused = true;
  };
  socket.onclose = () => (state.isClosed = true);
  socket.onerror = () => {};
  const faults = [];
  if (!(await within(() => state.isOpen || state.isRefused || state.isClosed)))
    faults.push('it neither let the client in nor refused it');
  if (state.isOpen && (caller === 'revoked' || caller === 'wrong')) faults.push(`it let "${caller}" in`);
  let asked = 0;
  const say = (text) => socket.readyState === WebSocket.OPEN && socket.send(fill(text));
  for (const { event: packet, frame: text, burst: times, job_id } of says) {
    if (packet !== undefined) say(`42${asked++}${packet}`);
    if (text !== undefined) say(text);
    for (let n = 0; n < (times ?? 0); n++) say(`42["subscribe",{"job_id":"${job_id}"}]`);
  }
  say('42999999["unsubscribe",{"job_id":"«own.job»"}]');
  if (!(await within(() => !state.isOpen || state.isClosed || state.received.includes('43999999'))))
    faults.push('it stopped answering');
  if (state.received.includes(MARK)) faults.push('it shows a name of another team');
  socket.close();
  return faults;
}

async function within(check) {
  for (const deadline = performance.now() + ANSWER_MS; performance.now() < deadline; await delay(5))
    if (check()) return true;
  return false;
}
