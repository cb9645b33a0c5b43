import { constants, zstdCompressSync } from 'node:zlib';
import { MAX_INPUT_ERRORS } from '#lib/contracts/input/input-errors';
import {
  isDeeperThan,
  isObject,
  MAX_JSON_DEPTH,
  parseJson,
  unwrapNumbers,
  type Json,
  type JsonObject,
} from '#lib/contracts/json/json';
import { jsonPointer, type InputError } from '#lib/contracts/input/problem';
import { RecordedLine } from '#lib/contracts/recorded';
import { ErrorKind } from '#lib/contracts/run-input';
import { mayBeUnstorable, findUnstorable } from '#lib/contracts/json/storable';
import { FailedReply, readRecorded } from '#lib/recorded/read-recorded';
import { badInput } from '../platform/bad-input.js';
import { faultOf } from './recorded-faults.js';

/** A parsed line, before its case is looked up. */
export interface ReadLine {
  line: number;
  /** The id or name of the case. */
  case: string;
  sample?: number;
  /** The shape of its reply, or `error`. */
  readAs: string;
  /** The reply, or the rounds of a chain, in the form of a stored exchange. */
  exchange: Uint8Array;
  /** If there are several rounds: the same exchange with only its first round scored. */
  first?: Uint8Array;
}

export interface ReadLines {
  read: ReadLine[];
  /** Paths are pointers into the list of the file's lines. */
  faults: InputError[];
}

/**
 * Reads lines of recorded replies. A fault in one line does not keep the others from being read.
 * @param from the number of the first line, from 1
 */
export function readRecordedLines(from: number, lines: readonly string[]): ReadLines {
  const [read, faults]: [ReadLine[], InputError[]] = [[], []];
  for (const [index, text] of lines.entries()) {
    if (text.trim() === '') continue;
    const line = from + index;
    try {
      read.push(readLine(line, text));
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      faults.push(...error.errors.map((one) => faultOf(line, one)));
    }
    if (faults.length >= MAX_INPUT_ERRORS) break;
  }
  return { read, faults: faults.slice(0, MAX_INPUT_ERRORS) };
}

/** The fault of a single line. */
class LineError extends Error {
  constructor(readonly errors: InputError[]) {
    super();
  }
}
const fault = (path: string, message: string): LineError => new LineError([{ path, message }]);

function readLine(line: number, text: string): ReadLine {
  const value = jsonIn(text);
  const { success, data, error } = RecordedLine.safeParse({
    ...value,
    ...('sample' in value && { sample: unwrapNumbers(value.sample) }),
  });
  if (!success) throw new LineError(badInput(error.issues).errors!);
  const given = REPLY_FIELDS.filter((key) => data[key] !== undefined);
  if (given.length !== 1)
    throw fault('', `must have one of ${REPLY_FIELDS.join(', ')}; it has ${given.join(' and ') || 'none'}.`);
  const place = { line, case: data.case, ...(data.sample !== undefined && { sample: data.sample }) };
  if (data.error !== undefined) {
    return { ...place, ...failedLine(line, errorIn(data.error as Json)) };
  }
  const recorded =
    data.rounds === undefined
      ? [{ path: '/reply', value: data.reply }]
      : data.rounds.map((round, index) => ({ path: `/rounds/${index}`, value: round }));
  const replies = readReplies(recorded);
  if (replies instanceof FailedReply) return { ...place, ...failedLine(line, replies) };
  const { readAs } = replies[0]!;
  const rounds = replies.flatMap((reply) => reply.completions);
  const everyRound = rounds.map((_round, index) => index);
  return {
    ...place,
    readAs,
    exchange: pack(line, readAs, rounds, everyRound),
    ...(rounds.length > 1 && { first: pack(line, readAs, rounds, [0]) }),
  };
}
/** A line whose provider failed becomes an errored item, as in a run. */
const failedLine = (line: number, { kind, message }: { kind: ErrorKind; message: string }) => ({
  readAs: 'error',
  exchange: pack(line, 'error', [{ error: { kind, message, status: null, body: null } }]),
});
const REPLY_FIELDS = ['reply', 'rounds', 'error'] as const;

function jsonIn(text: string): JsonObject {
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    throw fault('', `is not JSON: ${(error as Error).message}`);
  }
  if (Array.isArray(value)) throw fault('', 'is a list. Send one object per line: {"case": "...", "reply": ...}.');
  if (!isObject(value)) throw fault('', 'is not a JSON object such as {"case": "...", "reply": ...}.');
  if (isDeeperThan(value, MAX_JSON_DEPTH))
    throw fault('', `nests lists and objects deeper than ${MAX_JSON_DEPTH} levels.`);
  const bad = mayBeUnstorable(text) ? findUnstorable(value) : undefined;
  if (bad) throw fault(jsonPointer(bad.path), bad.why);
  return value;
}

type Recorded = { readAs: string; completions: JsonObject[] };

function readReplies(recorded: { path: string; value: unknown }[]): Recorded[] | FailedReply {
  try {
    return recorded.map(readReply);
  } catch (error) {
    if (error instanceof FailedReply) return error;
    throw error;
  }
}

/** Converts a recorded reply to chat completions. */
function readReply({ path, value }: { path: string; value: unknown }): Recorded {
  try {
    const { rounds, readAs, usage } = readRecorded(value);
    const last = rounds.length - 1;
    return {
      readAs,
      completions: rounds.map(({ finish_reason: reason = null, ...message }, index) => ({
        choices: [{ message, finish_reason: reason }],
        ...(index === last && usage && { usage: { ...usage } }),
      })),
    };
  } catch (error) {
    if (error instanceof FailedReply) throw error;
    throw fault(path, (error as Error).message);
  }
}

function errorIn(error: Json): { kind: ErrorKind; message: string } {
  const {
    message,
    kind = 'unrecorded',
    ...others
  } = typeof error === 'string' ? { message: error } : isObject(error) ? error : {};
  const known = ErrorKind.safeParse(kind);
  if (typeof message !== 'string' || message === '')
    throw fault('/error', 'must be a string, or {"message": "..."}: what went wrong.');
  if (!known.success) throw fault('/error/kind', `must be one of ${ErrorKind.options.join(', ')}, or left out.`);
  const [stranger] = Object.keys(others);
  if (stranger !== undefined)
    throw fault(`/error${jsonPointer([stranger])}`, 'is not a field of an error. Its fields: message, kind.');
  return { kind: known.data, message: message.slice(0, MAX_MESSAGE_LENGTH) };
}
const MAX_MESSAGE_LENGTH = 2000;

/** An exchange in its stored form. No request was sent, so the line number is stored in its place. */
function pack(line: number, readAs: string, replies: JsonObject[], rounds?: number[]): Uint8Array {
  const exchange = { requests: [{ recorded: { line, read_as: readAs } }], replies, ...(rounds && { rounds }) };
  return zstdCompressSync(JSON.stringify(exchange), { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}
