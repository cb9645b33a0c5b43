import { io, type Socket } from 'socket.io-client';
import { joinApi } from '../api.js';
import { weatherSuite, type Client } from '../client.js';
import { until } from '../until.js';

let owner: Client;
let mine: Client;
let theirs: Socket;
let jobId: string;
const sockets: Socket[] = [];
const heard: string[] = [];

async function connect(token: unknown): Promise<Socket> {
  const socket = io(owner.url, { auth: { token }, transports: ['websocket'], reconnection: false });
  sockets.push(socket);
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('connect_error', reject));
  return socket;
}

beforeAll(async () => {
  const [one, another] = [await joinApi(), await joinApi()];
  owner = one.client;
  mine = another.client;
  await mine.post('/api/providers', { key: 'sim', base_url: 'http://127.0.0.1:9/v1', models: [{ id: 'm' }] });
  theirs = await connect(mine.token);
  theirs.onAny((name: string, { job_id: id }: { job_id: string }) => heard.push(`${name} ${id}`));
  jobId = await submit();
});
afterAll(() => sockets.forEach((socket) => socket.disconnect()));

async function submit(): Promise<string> {
  const suite_id = await mine.importSuite(weatherSuite(1));
  return (await mine.post('/api/tool-eval', { suite_id, models: ['sim::m'] })).body.job_id as string;
}

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const refused = { ok: false, error: { status: 400, detail: expect.stringMatching(/takes \{job_id/) } };

describe('a malformed packet is refused, and affects nobody else:', () => {
  let token: string;
  let viewer: Socket;
  beforeAll(async () => {
    token = (await owner.post('/api/tokens', { name: 'viewer', role: 'viewer' })).body.token as string;
    viewer = await connect(token);
  });
  const othersGoOn = async (): Promise<void> => {
    expect((await mine.get('/api/me')).status).toBe(200);
    expect(await theirs.timeout(10_000).emitWithAck('subscribe', { job_id: jobId })).toMatchObject({
      ok: true,
      snapshot: { job: { id: jobId } },
    });
    const next = await submit();
    await until(() => heard.includes(`job_created ${next}`), { what: 'the other team to hear of its new job' });
    expect(theirs.connected).toBe(true);
  };

  it.each([
    ['a job id that is an object with a toString of its own', { job_id: { toString: 1 } }],
    ['a job id that is a list of lists', JSON.parse(`{"job_id":${deep(500)}}`)],
    ['no job id', {}],
    ['a number', 5],
    ['nothing', null],
    ['a job id that is not an id', { job_id: 'x\u0000' }],
    ['a field that does not exist', { job_id: '01a1fc11-0570-72f9-b84b-b15294fa812e', after: 3 }],
  ])('%s', async (_what, packet) => {
    for (const name of ['subscribe', 'unsubscribe']) {
      viewer.emit(name, packet);
      expect(await viewer.timeout(10_000).emitWithAck(name, packet)).toMatchObject(refused);
      expect(await viewer.timeout(10_000).emitWithAck(name, packet, 'and', 'more')).toMatchObject(refused);
    }
    await othersGoOn();
  });

  it.each([
    [
      'a field of another name',
      'subscribe',
      { after_sequence: 3 },
      'subscribe takes {job_id, after_seq?, batch?}. /after_sequence is not a field of this object. Is it misspelt?',
    ],
    [
      'a field of another type',
      'subscribe',
      { after_sq: 3, batch: 'no' },
      'subscribe takes {job_id, after_seq?, batch?}. /batch must be of type boolean',
    ],
    [
      'a field of another packet',
      'unsubscribe',
      { after_seq: 3 },
      'unsubscribe takes {job_id}. /after_seq is not a field of this object. Is it misspelt?',
    ],
    [
      'an event of another name',
      'subscirbe',
      {},
      'There is no event "subscirbe". Clients can send subscribe and unsubscribe.',
    ],
    [
      'an event of a very long name',
      'x'.repeat(50_000),
      {},
      `There is no event "${'x'.repeat(100)}". Clients can send subscribe and unsubscribe.`,
    ],
  ])('%s is answered with the valid fields or events', async (_what, name, fields, detail) => {
    viewer.emit(name, { job_id: jobId, ...fields });
    expect(await viewer.timeout(10_000).emitWithAck(name, { job_id: jobId, ...fields })).toMatchObject({
      ok: false,
      error: { detail },
    });
  });

  /** Bytes that no client library would send. */
  it.each([
    '42["unsubscribe",{"job_id":{"toString":1}}]',
    `42["unsubscribe",{"job_id":${deep(20_000)}}]`,
    `42["subscribe",{"job_id":${deep(20_000)}}]`,
    `421["subscribe",{"job_id":${deep(20_000)}}]`,
    `421["unsubscribe",{"job_id":"x"},${deep(20_000)}]`,
    '42["subscribe"]',
    '42["unsubscribe"]',
    '42["error",{}]',
    '42[5]',
    '42[]',
    '42{}',
    '42["subscribe",',
    '4299999999999999999["unsubscribe",null]',
    '437["no","one","asked"]',
    '451-["subscribe",{"_placeholder":true,"num":7}]',
    '40{"token":{"toString":1}}',
    '40/nothing,',
    '41',
    '44{}',
    '4',
  ])('%.60s', async (packet) => {
    const socket = await connect(token);
    (socket.io.engine as any).write(packet);
    // The API may close the connection because of it; a packet sent after it may still arrive.
    await socket
      .timeout(10_000)
      .emitWithAck('unsubscribe', {})
      .catch(() => {});
    await othersGoOn();
  });
});

it('the token of a connection can be any text, and a valid one is let in', async () => {
  for (const token of [{ toString: 1 }, JSON.parse(deep(500)), null, 'x\u0000', '\ud800'])
    await expect(connect(token)).rejects.toThrow(/token/);
  expect((await connect(owner.token)).connected).toBe(true);
});
