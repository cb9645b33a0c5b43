import { isNumber, isObject, numberSource, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Verdict } from '#lib/contracts/verdict';

/** JSON of the calls and evidence of a verdict that is kept as it is, in characters. */
const LARGEST_KEPT = 512 * 1024;
const LONGEST_TEXT = 2000;

/**
 * A verdict whose calls and evidence are no larger than a page can show: of a reply of megabytes long texts and
 * lists are cut. The stored reply has them whole.
 */
export function shortenVerdict(verdict: Verdict): Verdict {
  if (isSmall([verdict.called, verdict.evidence])) return verdict;
  const [ofCalls, ofEvidence] = [{ left: LARGEST_KEPT / 2 }, { left: LARGEST_KEPT / 2 }];
  const called = verdict.called.map((call) => ({
    ...call,
    name: cut(call.name, ofCalls) as string,
    arguments: call.arguments && (cut(call.arguments, ofCalls) as JsonObject),
    ...(call.raw !== undefined && { raw: cut(call.raw, ofCalls) as string }),
  }));
  const { pairs, schema, extra_arguments, notes = [], ...rest } = verdict.evidence;
  const long = cut(
    { pairs, ...(schema && { schema }), ...(extra_arguments && { extra_arguments }) } as unknown as JsonObject,
    ofEvidence,
  );
  const told = [...notes, 'Long arguments are shortened here; the stored reply has them whole.'];
  return {
    ...verdict,
    called,
    evidence: { ...rest, ...(long as unknown as Pick<Verdict['evidence'], 'pairs'>), notes: told },
  };
}

/** The same for what metrics found. */
export const shortenMetrics = <Scores extends Record<string, object>>(scores: Scores): Scores =>
  isSmall(scores) ? scores : (cut(scores as unknown as JsonObject, { left: LARGEST_KEPT }) as unknown as Scores);

const isSmall = (value: unknown): boolean => JSON.stringify(value).length <= LARGEST_KEPT;

interface Room {
  left: number;
}

/** Numbers, names of keys and short texts stay; what stands behind the room's end is left out of its list or object. */
function cut(value: Json, room: Room): Json {
  if (typeof value === 'string') {
    const text =
      room.left <= 0 && value.length > 20
        ? '...'
        : value.length > LONGEST_TEXT
          ? `${value.slice(0, LONGEST_TEXT)}... (${value.length} characters)`
          : value;
    room.left -= text.length;
    return text;
  }
  if (isNumber(value)) {
    const length = numberSource(value).length;
    room.left -= length;
    return length > LONGEST_TEXT ? `${numberSource(value).slice(0, LONGEST_TEXT)}... (${length} digits)` : value;
  }
  room.left -= 5;
  if (Array.isArray(value)) {
    const kept: Json[] = [];
    for (const item of value) {
      if (room.left <= 0) break;
      kept.push(cut(item, room));
    }
    return kept;
  }
  if (!isObject(value)) return value;
  const kept: [string, Json][] = [];
  for (const key in value) {
    if (value[key] === undefined) continue;
    // What a verdict is made of stays, however little room is left; lists in it end up empty.
    if (room.left <= 0 && kept.length > 20) break;
    room.left -= Math.min(key.length, 200);
    kept.push([key.slice(0, 200), cut(value[key]!, room)]);
  }
  return Object.fromEntries(kept);
}
