import { z } from 'zod';
import { toStorable } from '#lib/contracts/json/storable';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import type { ParsedCall } from '#lib/contracts/verdict';
import { PROPOSE_CANDIDATES, PROPOSE_TEXT } from './meta-request.js';
import type { Ask, Texts } from './search.js';

const MAX_WHY_CHARS = 2_000;
/** No request asks for more. */
const MAX_CANDIDATES = 50;

const text = z
  .string()
  .max(MAX_PROMPT_CHARS)
  .transform((written) => toStorable(written).trim());
const why = z
  .string()
  .nullish()
  .catch(null)
  .transform((said) => (said ? toStorable(said.slice(0, MAX_WHY_CHARS)) : null));
const Reflected = z.object({ text, why });
const Candidates = z.object({
  candidates: z
    .array(z.object({ texts: z.array(z.object({ component: z.string().max(1_000), text })).max(500), why }))
    .min(1)
    .max(MAX_CANDIDATES),
});

/** Text written by a meta model, not validated. */
export interface ProposedTexts {
  texts: Texts;
  why: string | null;
}

/**
 * Reads the proposals in the calls of a meta model's reply.
 * @returns a sentence when it cannot be read
 */
export function readProposals(
  called: readonly ParsedCall[],
  { task, components }: { task: Ask['task']; components: readonly string[] },
): ProposedTexts[] | string {
  const tool = (task === 'reflect' ? PROPOSE_TEXT : PROPOSE_CANDIDATES).function.name;
  const call = called.find(({ name }) => name === tool);
  if (!call) return called.length === 0 ? 'it does not call any tool.' : `it does not call ${tool}.`;
  if (!call.arguments) return `the arguments of its call of ${tool} are not a JSON object.`;
  if (task === 'reflect') {
    const read = Reflected.safeParse(call.arguments);
    if (!read.success) return sentenceOf(tool, read.error);
    return [{ texts: { [components[0]!]: read.data.text }, why: read.data.why }];
  }
  const read = Candidates.safeParse(call.arguments);
  if (!read.success) return sentenceOf(tool, read.error);
  const written = read.data.candidates.map(({ texts, why: said }) => ({
    texts: Object.fromEntries(
      texts.filter(({ component }) => components.includes(component)).map((one) => [one.component, one.text]),
    ),
    why: said,
  }));
  const known = written.filter(({ texts }) => Object.keys(texts).length > 0);
  return known.length > 0 ? known : `its call of ${tool} names no existing component.`;
}

function sentenceOf(tool: string, { issues: [issue] }: z.ZodError): string {
  const path = issue!.path.join('/');
  return `the arguments of its call of ${tool} do not match the schema: ${path ? `"${path}": ` : ''}${issue!.message}.`;
}
