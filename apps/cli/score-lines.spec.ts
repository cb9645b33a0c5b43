import { PassThrough, Readable, Writable } from 'node:stream';
import { scoreLines } from './score-lines.js';
import { drawScoreProgress } from './score-progress.js';

const line = (id: unknown, more = {}): string => JSON.stringify({ id, metric: 'difflib_ratio', input: { a: 'a', b: 'a' }, ...more });

async function scored(chunks: (string | Buffer)[], longestLine?: number) {
  const output = new PassThrough({ highWaterMark: 2 ** 24 });
  const count = await scoreLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), output, undefined, longestLine);
  const text = ((output.read() as Buffer | null) ?? '').toString();
  return { ...count, text, answers: text.split('\n').filter(Boolean).map((answer) => JSON.parse(answer) as Record<string, unknown>) };
}

test('lines are scored in order under their numbers, wherever the chunks of the file end', async () => {
  const text = Buffer.from([line('ä'), '', line('\u2028', { unknown_field: 1 }), `${line('last')}\r`].join('\n'));
  const bytes = Array.from(text, (byte) => Buffer.from([byte]));
  for (const chunks of [[text], bytes]) {
    expect((await scored(chunks)).answers).toEqual([
      { id: 'ä', line: 1, metric: 'difflib_ratio', outcome: 'scored', score: 1 },
      { id: '\u2028', line: 3, metric: 'difflib_ratio', outcome: 'scored', score: 1 },
      { id: 'last', line: 4, metric: 'difflib_ratio', outcome: 'scored', score: 1 },
    ]);
  }
});

test('a line that cannot be scored says its number and why, and the rest go on', async () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const { answers, lines, failed } = await scored([
    ['{"id": 1, "metr', '[]', '{"id": 3}', line(4, { metric: 'nope' }), line(5, { input: { a: 1 } }), `{"id": ${deep}, "metric": "difflib_ratio"}`, line(7),
      line(8, { metric: 'bfcl_ast', input: { category: 'java', functions: [], model_output: [], possible_answer: [] } })].join('\n'),
  ]);
  expect({ lines, failed }).toEqual({ lines: 8, failed: 7 });
  expect(answers.map((answer) => [answer.line, answer.outcome, answer.error])).toEqual([
    [1, 'error', expect.stringContaining('JSON')], [2, 'error', 'The line is no JSON object.'], [3, 'error', '"metric" is missing: name the metric.'],
    [4, 'error', expect.stringContaining('No metric "nope". Metrics: ')], [5, 'error', expect.stringMatching(/^a: .*; b: /)],
    [6, 'error', expect.any(String)], [7, 'scored', undefined], [8, 'error', expect.stringContaining('only the Python categories')],
  ]);
});

test('an id keeps its text, and a metric that does not apply is not an error', async () => {
  expect((await scored([line(0).replace('"id":0', '"id":12345678901234567890.0')])).text).toContain('"id":12345678901234567890.0,');
});

test('a line without end is refused before it fills the memory, and the next one is scored', async () => {
  const { answers } = await scored([line(1), '\n', 'x'.repeat(300), 'x'.repeat(300), 'xx\n', line(3)], 500);
  expect(answers.map((answer) => [answer.line, answer.outcome])).toEqual([[1, 'scored'], [2, 'error'], [3, 'scored']]);
  expect(answers[1]!.error).toBe('The line is longer than 500 bytes.');
});

test('nothing more is read while what was scored is not written', async () => {
  let read = 0;
  const input = Readable.from((function* () {
    for (; read < 1000; read++) yield Buffer.from(`${line(read)}\n`.repeat(100));
  })(), { highWaterMark: 1 });
  let readAtFirstWrite = 0;
  let goOn = (): void => {};
  const output = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => {
      readAtFirstWrite ||= read;
      goOn = done;
    },
  });
  const finished = scoreLines(input, output);
  // A turn of the event loop for each chunk that a reader without a brake would have taken.
  for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate);
  expect(read).toBeLessThanOrEqual(readAtFirstWrite + 3);
  expect(read).toBeLessThan(50);
  const drain = setInterval(() => goOn(), 0);
  expect(await finished).toEqual({ lines: 100_000, failed: 0 });
  clearInterval(drain);
}, 60_000);

test('a bar shows how much is read, and at the end how many lines', () => {
  let drawn = '';
  const progress = drawScoreProgress({ write: (text) => (drawn += text) }, 4_000_000);
  for (const bytes of [65_536, 131_072, 2_000_000, 4_000_000]) progress.at(bytes);
  progress.end(12, 1);
  expect(drawn.split('\r\u001b[2K').slice(1)).toEqual([
    `[${'.'.repeat(30)}] 2 %`, `[${'#'.repeat(15)}${'.'.repeat(15)}] 50 %`, `[${'#'.repeat(30)}] 100 %`, '12 lines, 1 of them could not be scored\n',
  ]);
});
