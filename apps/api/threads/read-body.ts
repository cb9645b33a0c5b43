import { decodeText } from '#lib/contracts/input/decode-text';
import { isObject, unwrapNumbers } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import { badInput } from '../platform/bad-input.js';
import { LARGE_BODIES, type LargeBodyTask, type LargeBodyText } from '../platform/large-bodies.js';
import { readJson, refuseExcess } from '../platform/read-json.js';

/**
 * Parses the bytes of a large body, and validates it against its schema.
 * @throws ProblemError with its faults, the same as for a small body
 */
export function readBody(task: LargeBodyTask): LargeBodyText {
  const text = decodeText(task.bytes, { name: 'The body', isUtf8: true, charset: task.charset });
  refuseExcess(text, task.maxValues);
  const read = readJson(text);
  const value = task.keepsNumbers ? read : unwrapNumbers(read);
  if (task.schema) {
    const { success, error } = LARGE_BODIES[task.schema].safeParse(value);
    if (!success) throw badInput(error.issues);
  }
  if (value === undefined) return { text: undefined };
  const entries = task.entriesOf !== undefined && isObject(value) ? value[task.entriesOf] : undefined;
  if (!Array.isArray(entries)) return { text: stringifyInSourceOrder(value) };
  const { [task.entriesOf!]: _entries, ...rest } = value as Record<string, unknown>;
  return { text: stringifyInSourceOrder(rest), entries: entries.map(stringifyInSourceOrder) };
}
