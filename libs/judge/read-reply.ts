import { z } from 'zod';
import { toStorable } from '#lib/contracts/json/storable';
import type { ParsedCall } from '#lib/contracts/verdict';
import { JudgedReply } from './contract.js';
import { GIVE_JUDGEMENT, GIVE_PREFERENCE, GIVE_SUMMARY } from './judge-request.js';

const MAX_SENTENCE = 300;
const sentence = z.string().transform((said) => toStorable(said).trim().slice(0, MAX_SENTENCE));
const sentences = (most: number) =>
  z
    .array(sentence)
    .catch([])
    .transform((all) => all.filter((one) => one !== '').slice(0, most));

/** The deciding fields are required and strict; the explanatory ones are optional. */
const Given = z.object({
  verdict: JudgedReply.shape.verdict,
  tool: JudgedReply.shape.tool,
  arguments: JudgedReply.shape.arguments,
  reasons: sentences(3),
  expectation_at_fault: z.boolean().catch(false),
  expectation_note: sentence
    .nullable()
    .catch(null)
    .transform((note) => note || null),
});
const PreferenceReply = z.object({ winner: z.enum(['first', 'second', 'tie']), reasons: sentences(3) });
export type PreferenceReply = z.infer<typeof PreferenceReply>;
const SummaryReply = z.object({
  strengths: sentences(5),
  weaknesses: sentences(5),
  recommendations: sentences(5),
});
export type SummaryReply = z.infer<typeof SummaryReply>;

/** Parses the calls of a judge's reply: the judgement, or a sentence on why they cannot be read. */
export const readJudgement = (called: readonly ParsedCall[] | null): JudgedReply | string =>
  read(called, GIVE_JUDGEMENT.function.name, Given);
export const readPreference = (called: readonly ParsedCall[] | null): PreferenceReply | string =>
  read(called, GIVE_PREFERENCE.function.name, PreferenceReply);
export const readSummary = (called: readonly ParsedCall[] | null): SummaryReply | string =>
  read(called, GIVE_SUMMARY.function.name, SummaryReply);

function read<Said>(called: readonly ParsedCall[] | null, tool: string, schema: z.ZodType<Said>): Said | string {
  if (called === null) return 'Its calls are too long.';
  const call = called.find(({ name }) => name === tool);
  if (!call) return called.length === 0 ? 'It does not call any tool.' : `It does not call ${tool}.`;
  if (!call.arguments) return `The arguments of its call of ${tool} are not a JSON object.`;
  const parsed = schema.safeParse(call.arguments);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `The arguments of its call of ${tool} do not match the schema: "${issue!.path.join('/')}": ${issue!.message}.`;
}
