import { readFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { z } from 'zod';
import type { CaseInput } from '#lib/contracts/case';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import type { Verdict } from '#lib/contracts/verdict';
import { scoreLines } from '../../apps/cli/score/score-lines.js';
import { checkCase } from './checks/check-case.js';
import { checkMetrics, METRICS, scoreMetrics } from './metrics.js';
import { parseReply, type ParsedReply } from './replies/parse-reply.js';
import { caseMeanInterval } from './statistics/intervals.js';
import { passAtK, passHatK } from './statistics/pass-at-k.js';
import { prepareCase } from './house/score-case.js';
import { scoreChain } from './house/score-chain.js';

const page = readFileSync(new URL('../../docs/scoring.md', import.meta.url), 'utf8');

/** The rows of the tables whose first column headers are these. */
function rowsUnder(header: string): string[][] {
  const cells = (row: string): string[] =>
    row
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim());
  const names = cells(header);
  const lines = page.split('\n');
  return lines.flatMap((line, at) => {
    if (!line.startsWith('| ') || names.some((name, column) => cells(line)[column] !== name)) return [];
    const end = lines.findIndex((other, index) => index > at && !other.startsWith('|'));
    return lines.slice(at + 2, end).map(cells);
  });
}
const quoted = (cell: string): string[] => [...cell.matchAll(/`([^`]*)`/g)].map((match) => match[1]!);
const object = (text: string): JsonObject => parseJson(text) as JsonObject;
const numberOrNull = (cell: string): number | null => (cell === 'null' ? null : Number(cell));
const resultOf = ({ passed, error_type }: Verdict): string => (passed ? 'passes' : error_type);

/** The message of a cell; its `finish_reason` may say how the reply ended. */
function readMessage(cell: string): ParsedReply {
  const { finish_reason: finishReason, ...message } = messageOf(cell);
  return parseReply(message, tools, { finishReason: typeof finishReason === 'string' ? finishReason : null });
}

/** `name {json}` for each call, or a whole message. */
function messageOf(cell: string): JsonObject {
  const texts = quoted(cell);
  if (texts[0]?.startsWith('{')) return object(texts[0]);
  const calls = texts.map((text) => ({
    function: { name: text.slice(0, text.indexOf(' ')), arguments: text.slice(text.indexOf(' ') + 1) },
  }));
  return { tool_calls: calls };
}

const parametersOf: Record<string, JsonObject> = {
  get_weather: { type: 'object', properties: { units: { type: 'string', default: 'celsius' } } },
  book: { type: 'object', properties: { seat: { type: ['string', 'null'] }, meal: { default: 'any' } } },
};
const tools: Tool[] = ['get_weather', 'search', 'f', 'g', 'book'].map((name) => ({
  type: 'function',
  function: {
    name,
    ...(parametersOf[name] && { parameters: parametersOf[name] }),
    ...(name === 'book' && { strict: true }),
  },
}));

test.each(rowsUnder('| rule | case |'))(
  'a reply: %s: %s against %s',
  (rule, written, replied, tool, param, overall, result) => {
    const input = { prompt: 'p', ...object(quoted(written!)[0]!) } as CaseInput;
    expect(checkCase(input, tools)).toEqual([]);
    const similarity = /similarity ([\d.]+)/.exec(rule!)?.[1];
    const verdict = prepareCase(input, tools, 1).score(readMessage(replied!), {
      similarities: () => (similarity === undefined ? undefined : Number(similarity)),
    });
    expect([verdict.tool_score, verdict.param_score, verdict.overall, resultOf(verdict)]).toEqual([
      numberOrNull(tool!),
      numberOrNull(param!),
      numberOrNull(overall!),
      result,
    ]);
  },
);

test.each(rowsUnder('| rule | chain |'))('a chain: %s: %s', (_rule, chain, more, ...figures) => {
  const input = {
    prompt: 'p',
    multi_turn: true,
    expected_tool: 'g',
    expected_params: { to: 'Rome' },
    ...object(quoted(more!)[0]!),
  } as CaseInput;
  expect(checkCase(input, tools)).toEqual([]);
  const rounds = [...chain!.matchAll(/\[((?:`[^`]*` ?)*)\]/g)].map((round) => parseReply(messageOf(round[1]!), tools));
  const verdict = scoreChain(input, tools, 1, rounds);
  const { completion, efficiency, redundancy, detour, overall } = verdict;
  [completion, efficiency, redundancy, detour, overall].forEach((figure, index) =>
    expect(figure).toBeCloseTo(Number(figures[index]), 9),
  );
  expect(resultOf(verdict)).toBe(figures[5]);
});

test.each(rowsUnder('| n | c | k |'))('%s samples, %s of which pass, k = %s', (n, c, k, atK, hatK) => {
  expect([passAtK(Number(n), Number(c), Number(k)), passHatK(Number(n), Number(c), Number(k))]).toEqual([
    Number(atK),
    Number(hatK),
  ]);
});

test.each(rowsUnder('| cases | right |'))(
  'the interval of %s cases, %s of which are right',
  (cases, right, interval) => {
    const means = Array.from({ length: Number(cases) }, (_, index) => Number(index < Number(right)));
    expect(
      caseMeanInterval(means)
        ?.map((limit) => Number(limit.toFixed(3)))
        .join(' to '),
    ).toBe(interval!.split(' to ').map(Number).join(' to '));
  },
);

describe('the same reply under several metrics', () => {
  const weather: Tool[] = ['weather', 'time', 'news'].map((name) => ({
    type: 'function',
    function: {
      name,
      parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
    },
  }));
  const input = { prompt: 'p', ...object(/```json\n([^]*?)\n```/.exec(page)![1]!) } as CaseInput;
  const message = messageOf(/and the reply (.*):/.exec(page)![1]!);
  const rounds = [{ message, reply: parseReply(message, weather) }];
  const rows = rowsUnder('| metric | version |');

  test.each(rows)('%s %s with %s: %s', (id, version, options, score) => {
    const { metrics, errors } = checkMetrics([{ id: quoted(id!)[0]!, options: object(quoted(options!)[0]!) }]);
    expect(errors).toEqual([]);
    expect(METRICS.find((metric) => metric.id === metrics[0]!.id)!.version).toBe(version);
    expect(scoreMetrics(metrics, { case: input, tools: weather, rounds })[metrics[0]!.id]!.score).toBe(Number(score));
  });
  test('has more than nine rows', () => expect(rows.length).toBeGreaterThanOrEqual(9));
});

describe('a line of recorded calls', () => {
  async function answerTo(line: string): Promise<Record<string, unknown>> {
    const output = new PassThrough();
    await scoreLines(Readable.from([Buffer.from(line)]), output);
    return JSON.parse(String(output.read())) as Record<string, unknown>;
  }
  const metrics = rowsUnder('| metric | input |');
  const line = (cell: string): string => cell.slice(1, -1);

  test.each(METRICS)('of $id has its documented score', async ({ id, input, example }) => {
    const text = JSON.stringify({ metric: id, ...example });
    const { properties, anyOf: [first] = [] } = z.toJSONSchema(input, { io: 'input' });
    const fields = Object.keys(properties ?? (first as { properties: object }).properties);
    const { score } = await answerTo(text);
    expect(metrics.find(([cell]) => cell === `\`${id}\``)).toEqual([
      `\`${id}\``,
      fields.map((field) => `\`${field}\``).join(', '),
      `\`${text}\``,
      String(score),
    ]);
  });

  const shapes = rowsUnder('| what was written |');
  test.each(shapes)('written by %s is read as %s', async (_whose, readAs, cell, score) => {
    expect(await answerTo(line(cell!))).toMatchObject({
      outcome: 'scored',
      read_as: quoted(readAs!)[0],
      score: Number(score),
    });
  });
  test('is documented for ten shapes', () => expect(shapes).toHaveLength(10));
});
