// Connections that watch a job and check that they are told everything, in order, for as little CPU as possible: in
// life the clients are other machines, here they take from the same cores. So they speak Engine.IO over bare TCP,
// look at the first bytes of each message alone, and what they all were sent in the same compressed bytes is
// decompressed once. node bench/live/watchers.mjs <api url> <token> <count>; job ids on stdin, one report a job on
// stdout
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { constants, inflateRawSync } from 'node:zlib';

const [, , api, token, count] = process.argv;
const { hostname, port } = new URL(api);
const HEAD_BYTES = 200;

/** The last compressed messages and how they begin. */
const known = [];
function headOf(payload) {
  let found = known.find((one) => one.payload.equals(payload));
  if (!found) {
    found = {
      payload: Buffer.from(payload),
      text: inflateRawSync(payload, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1', 0, HEAD_BYTES),
    };
    if (known.unshift(found) > 8) known.pop();
  }
  return found.text;
}

function watcher() {
  const tcp = connect({ host: hostname, port: Number(port), noDelay: true });
  const self = { job: null, results: 0, bytes: 0, seq: 0, ended: false, wrong: '', follow: null };
  let open = false;
  let rest = []; // of a message that is not complete
  let missing = 0; // bytes of it, at least
  const say = (text) => {
    const body = Buffer.from(text);
    // A client must mask; a mask of zeros changes nothing.
    tcp.write(Buffer.concat([Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0]), body]));
  };
  self.follow = (job) => {
    Object.assign(self, { job, results: 0, bytes: 0, seq: 0, ended: false });
    say(`420["subscribe",{"job_id":"${job}","after_seq":0}]`);
  };
  const hear = (text) => {
    if (text === '2') return say('3');
    if (text.startsWith('0{')) return say(`40{"token":"${token}"}`);
    if (text.startsWith('40{')) return self.ready();
    const [, name] = /^42\["(\w+)"/.exec(text) ?? [];
    if (!name || !text.includes(`"job_id":"${self.job}"`)) return;
    const from = Number(/"(?:from_)?seq":(\d+)/.exec(text)?.[1]);
    const to = Number(/"to_seq":(\d+)/.exec(text)?.[1] ?? from);
    if (name.endsWith('_progress')) return;
    if (name === 'job_created' && self.seq > 0) return; // Sent without a subscription, and again by it.
    if (from !== self.seq + 1) self.wrong ||= `${name} ${from} after ${self.seq}`;
    self.seq = to;
    if (name.startsWith('tool_eval_result')) self.results += to - from + 1;
    if (name === 'job_completed') self.ended = true;
  };
  tcp.on('data', (chunk) => {
    self.bytes += chunk.length;
    rest.push(chunk);
    missing -= chunk.length;
    if (missing > 0) return;
    let data = rest.length === 1 ? chunk : Buffer.concat(rest);
    rest = [];
    if (!open) {
      const end = data.indexOf('\r\n\r\n');
      if (end < 0) return void rest.push(data);
      open = true;
      data = data.subarray(end + 4);
    }
    while (data.length > 0) {
      const short = data[1] & 127;
      const start = short < 126 ? 2 : short === 126 ? 4 : 10;
      const length =
        data.length < start
          ? start
          : short < 126
            ? short
            : short === 126
              ? data.readUInt16BE(2)
              : Number(data.readBigUInt64BE(2));
      if (data.length < start + length) {
        rest.push(data);
        missing = start + length - data.length;
        return;
      }
      const payload = data.subarray(start, start + length);
      hear(data[0] & 0x40 ? headOf(payload) : payload.toString('latin1', 0, HEAD_BYTES));
      data = data.subarray(start + length);
    }
  });
  tcp.write(
    `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: ` +
      'websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ' +
      'AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Extensions: ' +
      'permessage-deflate; client_no_context_takeover\r\n\r\n',
  );
  return new Promise((resolve, reject) => {
    self.ready = () => resolve(self);
    tcp.on('error', reject);
    tcp.on('close', () => (self.wrong ||= 'the connection was closed'));
  });
}

const all = await Promise.all(Array.from({ length: Number(count) }, watcher));
console.log(JSON.stringify({ ready: all.length }));
for await (const job of createInterface(process.stdin)) {
  for (const one of all) one.follow(job);
  while (!all.every((one) => one.ended || one.wrong)) await new Promise((resolve) => setTimeout(resolve, 200));
  console.log(
    JSON.stringify({
      job,
      results: all.map((one) => one.results),
      megabytes: all.reduce((sum, one) => sum + one.bytes, 0) / 1e6,
      wrong: all.map((one) => one.wrong).filter(Boolean),
    }),
  );
}
process.exit();
