// Connections that watch a job and check that they get every event, in order, with as little CPU as possible: in
// production the clients are other machines, here they share the cores. So they speak Engine.IO over bare TCP, look
// only at the first bytes of each message, and decompress only once a message that all of them received in the same
// bytes.
//   node bench/live/watchers.mjs <api url> <token> <count>
// Job ids on standard input, one report per job on standard output.
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { constants, inflateRawSync } from 'node:zlib';

const [, , api, token, count] = process.argv;
const { hostname, port } = new URL(api);
const HEAD_BYTES = 200;
const HANDSHAKE = [
  'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
  `Host: ${hostname}:${port}`,
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover',
  '\r\n',
].join('\r\n');

/** The latest compressed messages and the beginnings of their texts. */
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

/** A connection, the events it received of its job, and their faults. */
class Watcher {
  job = null;
  results = 0;
  bytes = 0;
  seq = 0;
  ended = false;
  wrong = '';
  #tcp = connect({ host: hostname, port: Number(port), noDelay: true });
  #frames = new FrameReader((frame) => this.#receive(frame));

  /** @returns a promise of the connected watcher */
  static connect() {
    const self = new Watcher();
    return new Promise((resolve, reject) => {
      self.ready = () => resolve(self);
      self.#tcp.on('error', reject);
      self.#tcp.on('close', () => (self.wrong ||= 'the connection was closed'));
      self.#tcp.on('data', (chunk) => {
        self.bytes += chunk.length;
        self.#frames.read(chunk);
      });
      self.#tcp.write(HANDSHAKE);
    });
  }

  follow(job) {
    Object.assign(this, { job, results: 0, bytes: 0, seq: 0, ended: false });
    this.#send(`420["subscribe",{"job_id":"${job}","after_seq":0}]`);
  }

  #send(text) {
    const body = Buffer.from(text);
    // A client must mask its frames; a mask of zeros changes nothing.
    this.#tcp.write(Buffer.concat([Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0]), body]));
  }

  #receive(text) {
    if (text === '2') return this.#send('3');
    if (text.startsWith('0{')) return this.#send(`40{"token":"${token}"}`);
    if (text.startsWith('40{')) return this.ready();
    const [, name] = /^42\["(\w+)"/.exec(text) ?? [];
    if (!name || !text.includes(`"job_id":"${this.job}"`)) return;
    const from = Number(/"(?:from_)?seq":(\d+)/.exec(text)?.[1]);
    const to = Number(/"to_seq":(\d+)/.exec(text)?.[1] ?? from);
    if (name.endsWith('_progress')) return;
    if (name === 'job_created' && this.seq > 0) return; // Sent once without a subscription, and again with it.
    if (from !== this.seq + 1) this.wrong ||= `${name} ${from} after ${this.seq}`;
    this.seq = to;
    if (name.startsWith('tool_eval_result')) this.results += to - from + 1;
    if (name === 'job_completed') this.ended = true;
  }
}

/** Splits a WebSocket connection into messages, and passes on the beginning of each as text. */
class FrameReader {
  #isOpen = false;
  #parts = []; // of an incomplete message
  #missing = 0; // minimum number of missing bytes
  #onMessage;

  constructor(onMessage) {
    this.#onMessage = onMessage;
  }

  read(chunk) {
    this.#parts.push(chunk);
    this.#missing -= chunk.length;
    if (this.#missing > 0) return;
    let data = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts);
    this.#parts = [];
    if (!this.#isOpen) {
      const end = data.indexOf('\r\n\r\n');
      if (end < 0) return void this.#parts.push(data);
      this.#isOpen = true;
      data = data.subarray(end + 4);
    }
    while (data.length > 0) {
      const { start, length } = boundsOf(data);
      if (data.length < start + length) {
        this.#parts.push(data);
        this.#missing = start + length - data.length;
        return;
      }
      const payload = data.subarray(start, start + length);
      const isCompressed = data[0] & 0x40;
      this.#onMessage(isCompressed ? headOf(payload) : payload.toString('latin1', 0, HEAD_BYTES));
      data = data.subarray(start + length);
    }
  }
}

/** The start and length of a frame's payload (RFC 6455, 5.2). Too short a guess while the header is incomplete. */
function boundsOf(data) {
  const short = data[1] & 127;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (data.length < start) return { start, length: start };
  if (short < 126) return { start, length: short };
  return { start, length: short === 126 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2)) };
}

const all = await Promise.all(Array.from({ length: Number(count) }, () => Watcher.connect()));
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
