import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiClient } from '#lib/client/api-client';
import type { Dialogue } from './dialogue.js';
import { Draws } from './draws.js';
import { Labelling, parseAnswer } from './label-results.js';

/** The results of a fake server that have no label yet, in order. */
let unlabelled: string[];
let asked: string[];
let server: Server;
let client: ApiClient;

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://server');
    let body = '';
    request.on('data', (text: Buffer) => (body += String(text)));
    request.on('end', () => {
      asked.push([request.method!, pathname.split('/').slice(-2).join('/'), searchParams.get('limit'), body].join(' '));
      const id = pathname.split('/').at(-2)!;
      if (request.method === 'PUT') unlabelled = unlabelled.filter((one) => one !== id);
      else if (request.method === 'DELETE') unlabelled.unshift(id);
      if (request.method !== 'GET') return response.end('{}');
      const items = unlabelled.slice(0, Number(searchParams.get('limit'))).map((one) => ({
        eval_id: 'run',
        report_id: 'report',
        result: { id: one, case_name: one, expected: {}, called: [] },
        conversation: [],
      }));
      response.end(JSON.stringify({ judge: 'p::j', items, labelled: 0, asked: 100, left: unlabelled.length }));
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  client = new ApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
});
afterAll(() => server.close());
beforeEach(() => ([unlabelled, asked] = [[], []]));

/** Labels with these answers. A person gets another try after a refused answer; a pipe does not. */
const label = async (lines: string[], isPerson = false) => {
  const left = [...lines];
  const shown: string[] = [];
  const refused: string[] = [];
  const dialogue: Dialogue = {
    show: (...more) => void shown.push(...more),
    refuse(message) {
      if (!isPerson) throw new Error(message);
      refused.push(message);
    },
    next: async () => left.shift(),
    text: async () => left.shift() ?? '',
    close() {},
  };
  const labelling = new Labelling(client, new Draws(client, { eval_id: 'run' }), dialogue);
  const isAll = await labelling.labelAll();
  return {
    isAll,
    given: labelling.labelCount,
    requests: asked.filter((one) => !one.startsWith('GET')),
    shown,
    refused,
  };
};
const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `0-${n}-0`);

it('an answer is a key or its word, in any case', () => {
  expect(['c', 'A ', 'wrong', 'N', 's', 'Undo', 'q'].map(parseAnswer)).toEqual([
    ...['correct', 'acceptable', 'wrong', 'note', 'skip', 'undo', 'quit'],
  ]);
  expect(['', 'x', 'cc', 'corr', '\u001b[A'].map(parseAnswer)).toEqual(Array(5).fill(undefined));
});

it('each result is shown once, in batches of ten, until none is left', async () => {
  unlabelled = ids(12);
  const { isAll, given, requests } = await label(Array(12).fill('c'));
  expect({ isAll, given }).toEqual({ isAll: true, given: 12 });
  expect(requests).toEqual(ids(12).map((id) => `PUT ${id}/label  {"label":"correct"}`));
  expect(asked.filter((one) => one.startsWith('GET'))).toEqual(Array(3).fill('GET judge/label-queue 10 '));
});

it('a skipped result is not shown again', async () => {
  unlabelled = ids(25);
  const { isAll, given } = await label([...Array(21).fill('s'), 'w', 'w', 'w', 'w']);
  expect({ isAll, given, unlabelled }).toEqual({ isAll: true, given: 4, unlabelled: ids(21) });
});

it('undo removes the last answer and shows its result again, before the current one', async () => {
  unlabelled = ids(3);
  const { given, requests, shown } = await label(['u', 'c', 's', 'u', 'u', 'w', 'a', 'q']);
  expect(given).toBe(2);
  expect(requests).toEqual([
    'PUT 0-0-0/label  {"label":"correct"}',
    'DELETE 0-0-0/label  ',
    'PUT 0-0-0/label  {"label":"wrong"}',
    'PUT 0-1-0/label  {"label":"acceptable"}',
  ]);
  expect(shown).toContain('-> nothing to undo');
});

it('a note belongs only to the label that follows it', async () => {
  unlabelled = ids(2);
  const { requests } = await label(['n', 'Rome is wrong.', 'w', 'c']);
  expect(requests).toEqual([
    'PUT 0-0-0/label  {"label":"wrong","note":"Rome is wrong."}',
    'PUT 0-1-0/label  {"label":"correct"}',
  ]);
});

it('the end of input ends the labelling; empty input and an invalid answer are errors', async () => {
  unlabelled = ids(3);
  expect(await label(['c'])).toMatchObject({ isAll: false, given: 1 });
  await expect(label([])).rejects.toThrow(/^There is nobody to ask/);
  await expect(label(['c', 'yes'])).rejects.toThrow('"yes" is not one of: c correct, a acceptable, w wrong');
});

it('on a terminal, an invalid key shows the keys and asks again', async () => {
  unlabelled = ids(1);
  const { given, refused } = await label(['x', '\u001b[A', 'c'], true);
  expect({ given, refused: refused.length }).toEqual({ given: 1, refused: 2 });
  expect(refused[0]).toBe('"x" is not one of: c correct, a acceptable, w wrong, n note, s skip, u undo, q quit.');
});
