import fc from '../../test/fast-check.js';
import { IMPORT_FORMATS, SUITE_EXPORT_FORMATS, type ImportFormat } from '#lib/contracts/import';
import { ProblemError } from '#lib/contracts/problem';
import { importSuite } from './import-suite.js';
import { exportWhole } from './testing/export-whole.js';

const read = (format: ImportFormat, body: unknown) => importSuite(format, body, undefined);

/** A file as its format wants it, for the random changes below to start from. */
const call = { function: { name: 'f', arguments: '{"a":1}' } };
const good: Record<ImportFormat, unknown> = {
  native: { name: 'n', tools: [{ function: { name: 'f' } }], test_cases: [{ prompt: 'p', expected_tool: 'f', expected_params: { a: { $one_of: [1] } } }] },
  yaml: { name: 'n', tools: [{ function: { name: 'f' } }], test_cases: [{ prompt: 'p', expected_tool: 'f' }] },
  jsonl: [{ suite: { name: 'n' } }, { prompt: 'p', expected_tool: 'f', expected_params: { a: { $one_of: [1] } }, mock_responses: { f: 1 } }],
  csv: [],
  bfcl: [{ id: 'simple_0', question: [[{ role: 'user', content: 'q' }]], function: [{ name: 'f', parameters: { type: 'dict', properties: { a: { type: 'array', items: { type: 'dict' } } }, required: ['a'] } }] }, { id: 'simple_0', ground_truth: [{ f: { a: [[{ b: [1, ''] }], ''] } }] }],
  'chat-logs': [{ messages: [{ role: 'user', content: 'q' }, { role: 'assistant', tool_calls: [call] }, { role: 'assistant', function_call: call.function }], tools: [{ function: { name: 'f', parameters: { type: 'object' } } }] }],
  promptfoo: { prompts: ['{{q}}'], providers: [{ config: { tools: [call] } }], defaultTest: { vars: { q: ['x'] }, assert: [{ type: 'tool-call-f1', value: ['f'] }] }, tests: [{ assert: [{ type: 'trajectory:tool-args-match', value: { name: 'f', args: { a: 1 } } }] }] },
};

/** The value with one place in it replaced by another, or gone. */
function changed(value: unknown, path: number[], by: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== 'object' || value === null || Object.keys(value).length === 0) return by;
  const keys = Object.keys(value);
  const key = keys[first % keys.length]!;
  const inner = changed((value as Record<string, unknown>)[key], rest, by);
  return Array.isArray(value) ? value.map((one, index) => (String(index) === key ? inner : one)) : { ...value, [key]: inner };
}

const stranger = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom<unknown>(undefined, '__proto__', { __proto__: null }, { $one_of: [] }, { $optional: { $optional: 1 } }, [[[]]], '', '\u0000', 1e308, ['f', 'f'], { type: 'dict', properties: null }));

it.each(IMPORT_FORMATS.filter((format) => format !== 'csv'))('any change of a file of %s makes a suite, or is refused with a reason; and a suite that was made can be exported', async (format) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(5), { maxLength: 8 }), stranger, async (path, by) => {
      const value = changed(good[format], path, by);
      const body = Array.isArray(value) ? value.map((one) => JSON.stringify(one) ?? '').join('\n') : format === 'yaml' || format === 'promptfoo' ? JSON.stringify(value) : value;
      try {
        const { suite } = await read(format, body);
        for (const to of SUITE_EXPORT_FORMATS) await exportWhole(suite, to);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
      }
    }),
    { numRuns: 300 },
  );
});

it('any text is a CSV file or is refused with a reason', async () => {
  const cell = fc.oneof(fc.constantFrom('prompt', 'expected_tool', 'suite', '{}', '"', '""', '"x\ny"', "'=1", '\\N', 'null', '[1', ''), fc.string());
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(cell), { maxLength: 4 }), fc.constantFrom(',', ';', '\t'), async (rows, delimiter) => {
      const text = ['prompt,expected_tool,expected_params,tags,suite'.replaceAll(',', delimiter), ...rows.map((row) => row.join(delimiter))].join('\r\n');
      await read('csv', text).catch((error) => {
        if (!(error instanceof ProblemError)) throw error;
      });
    }),
    { numRuns: 300 },
  );
});
