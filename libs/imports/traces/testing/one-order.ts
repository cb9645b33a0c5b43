import { importSuite } from '../../import-suite.js';

export const args = { order_id: '7' };
export const text = JSON.stringify(args);
export const parameters = { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] };
export const tools = [{ type: 'function', function: { name: 'find_order', description: 'Find an order', parameters } }];
export const question = { role: 'user', content: 'Where is order 7?' };
export const call = { id: 'c', type: 'function', function: { name: 'find_order', arguments: text } };
export const message = { role: 'assistant', content: null, tool_calls: [call] };

/** Imports a Langfuse generation along with another that can always be read. */
export async function importGeneration(one: {
  input?: unknown;
  output: unknown;
  level?: string;
  statusMessage?: string;
}) {
  const { suite, warnings } = await importSuite(
    'langfuse',
    JSON.stringify([
      { id: 'beside', type: 'GENERATION', input: 'Beside', output: message },
      { id: 'one', traceId: 't', type: 'GENERATION', input: { messages: [question], tools }, ...one },
    ]),
    undefined,
  );
  const made = suite.test_cases.find(({ source }) => source === 'langfuse trace t observation one');
  return { made, warnings: warnings.join('\n') };
}
