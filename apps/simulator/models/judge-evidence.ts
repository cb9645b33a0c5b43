import { z } from 'zod';
import { isDeeperThan, MAX_JSON_DEPTH } from '#lib/contracts/json/json';
import { textOf, type ChatRequest } from '../formats/chat-completions.js';

const Call = z.object({ name: z.string(), arguments: z.unknown() });
const Round = z.object({ text: z.string().nullish(), calls: z.array(Call).nullish() });
/** A reply of one or several rounds: its text and calls in all of them. */
const Side = Round.extend({ rounds: z.array(Round).nullish() }).transform(({ rounds, ...only }) => {
  const all = rounds ?? [only];
  return { texts: all.flatMap(({ text }) => text ?? []), calls: all.flatMap(({ calls }) => calls ?? []) };
});
export type Side = z.infer<typeof Side>;

const Case = z.object({
  conversation: z.array(z.looseObject({ role: z.unknown() })).default([]),
  reference: z.object({ calls: z.array(Call).nullish() }).nullish(),
});
export type Case = z.infer<typeof Case>;

const Document = z.discriminatedUnion('task', [
  Case.extend({ task: z.literal('judge'), reply: Side }),
  Case.extend({ task: z.literal('compare'), first: Side, second: Side }),
  z.object({ task: z.literal('summarise'), judgements: z.array(z.looseObject({ verdict: z.unknown() })) }),
]);
export type Document = z.infer<typeof Document>;

export interface Evidence {
  document: Document;
  /** The document as sent. */
  written: string;
}

const MAX_CHARACTERS = 4_000_000;
const MAX_PROBLEM_CHARACTERS = 500;
const BEGIN = /^BEGIN EVIDENCE ([\da-f]{32})$/i;

/** @returns the evidence in the last user message that has any, or a sentence that says what is missing */
export function readEvidence({ messages, tools = [] }: ChatRequest): Evidence | string {
  const written = messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => documentIn(textOf(content)))
    .findLast((document) => document !== undefined);
  if (written === undefined)
    return (
      'No user message has a line "BEGIN EVIDENCE <32 hex digits>", a JSON document, and a line ' +
      '"END EVIDENCE <the same digits>".'
    );
  if (written.length > MAX_CHARACTERS) return `The evidence has more than ${MAX_CHARACTERS} characters.`;
  const parsed = Document.safeParse(parse(written));
  if (!parsed.success) {
    const problem = z.prettifyError(parsed.error).slice(0, MAX_PROBLEM_CHARACTERS);
    return `The JSON document of the user message is not evidence: ${problem}.`;
  }
  if (tools.length === 0) return 'There is no tool to reply with.';
  return { document: parsed.data, written };
}

/** From the first opening line of evidence to the last closing line, since the text between may forge both. */
function documentIn(text: string): string | undefined {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const begin = lines.findIndex((line) => BEGIN.test(line));
  const nonce = BEGIN.exec(lines[begin] ?? '')?.[1];
  const end = lines.lastIndexOf(`END EVIDENCE ${nonce}`);
  return begin >= 0 && end > begin ? lines.slice(begin + 1, end).join('\n') : undefined;
}

/** @returns undefined if the text is not JSON, or is nested too deep */
function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(value, MAX_JSON_DEPTH) ? undefined : value;
  } catch {
    return undefined;
  }
}
