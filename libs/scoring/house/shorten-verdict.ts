import { isNumber, isObject, numberSource, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Verdict } from '#lib/contracts/verdict';

/** A verdict is kept whole up to this many characters of JSON for its calls and evidence. */
const MAX_WHOLE_CHARACTERS = 512 * 1024;
const MAX_TEXT_CHARACTERS = 2000;

/**
 * Shortens a verdict to a size that a page can show: cuts long texts and lists of a reply of megabytes. The stored
 * reply is complete.
 */
export function shortenVerdict(verdict: Verdict): Verdict {
  if (isSmall([verdict.called, verdict.evidence])) return verdict;
  const [ofCalls, ofEvidence] = [{ left: MAX_WHOLE_CHARACTERS / 2 }, { left: MAX_WHOLE_CHARACTERS / 2 }];
  const called = verdict.called.map((call) => ({
    ...call,
    name: cut(call.name, ofCalls) as string,
    arguments: call.arguments && (cut(call.arguments, ofCalls) as JsonObject),
    ...(call.raw !== undefined && { raw: cut(call.raw, ofCalls) as string }),
  }));
  const { pairs, schema, extra_arguments, conversation, notes = [], ...rest } = verdict.evidence;
  const long = cut(
    {
      ...(conversation && { conversation }),
      pairs,
      ...(schema && { schema }),
      ...(extra_arguments && { extra_arguments }),
    } as unknown as JsonObject,
    ofEvidence,
  );
  const allNotes = [...notes, 'Long arguments are shortened here; the stored reply has them whole.'];
  return {
    ...verdict,
    called,
    evidence: { ...rest, ...(long as unknown as Pick<Verdict['evidence'], 'pairs'>), notes: allNotes },
  };
}

/** Shortens the results of metrics in the same way. */
export const shortenMetrics = <Scores extends Record<string, object>>(scores: Scores): Scores =>
  isSmall(scores)
    ? scores
    : (cut(scores as unknown as JsonObject, { left: MAX_WHOLE_CHARACTERS }) as unknown as Scores);

const isSmall = (value: unknown): boolean => JSON.stringify(value).length <= MAX_WHOLE_CHARACTERS;

/** The remaining characters that may be kept. */
interface CharacterBudget {
  left: number;
}

/** Keeps numbers, keys and short texts. Once the room is used up, the rest of a list or object is omitted. */
function cut(value: Json, room: CharacterBudget): Json {
  if (typeof value === 'string') {
    const text =
      room.left <= 0 && value.length > 20
        ? '...'
        : value.length > MAX_TEXT_CHARACTERS
          ? `${value.slice(0, MAX_TEXT_CHARACTERS)}... (${value.length} characters)`
          : value;
    room.left -= text.length;
    return text;
  }
  if (isNumber(value)) {
    const length = numberSource(value).length;
    room.left -= length;
    return length > MAX_TEXT_CHARACTERS
      ? `${numberSource(value).slice(0, MAX_TEXT_CHARACTERS)}... (${length} digits)`
      : value;
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
    // The fields of a verdict are kept even without room; its lists end up empty.
    if (room.left <= 0 && kept.length > 20) break;
    room.left -= Math.min(key.length, 200);
    kept.push([key.slice(0, 200), cut(value[key]!, room)]);
  }
  return Object.fromEntries(kept);
}
