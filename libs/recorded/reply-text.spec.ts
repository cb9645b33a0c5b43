import type { Json } from '#lib/contracts/json/json';
import { replyTextIn } from './reply-text.js';

const chat = (message: object, finish_reason: string | null = 'stop'): Json =>
  ({ choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }] }) as Json;
const said = (...replies: Json[]) => replyTextIn({ replies });

describe('the text of a reply', () => {
  it.each<[string, Json]>([
    ['marks in the text', chat({ content: '<think>They ask for Paris.</think>\n\nIt is sunny.' })],
    ['a separate field', chat({ content: 'It is sunny.', reasoning_content: 'They ask for Paris.' })],
    [
      'blocks of Anthropic',
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'They ask for Paris.', signature: 'x' },
          { type: 'text', text: 'It is sunny.' },
        ],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    ],
    [
      'parts of Google',
      {
        candidates: [
          {
            content: {
              role: 'model',
              parts: [{ text: 'They ask for Paris.', thought: true }, { text: 'It is sunny.' }],
            },
            finishReason: 'STOP',
          },
        ],
      },
    ],
  ])('is separated from thoughts in %s', (_how, body) => {
    expect(said(body)).toEqual([
      { text: 'It is sunny.', thoughts: 'They ask for Paris.', refusal: null, finish_reason: 'stop' },
    ]);
  });

  it('includes quoted and invented results, which are not calls', () => {
    const content = 'I called it. <tool_response>{"sky": "blue"}</tool_response> Blue.';
    expect(said(chat({ content }))).toMatchObject([{ text: content, thoughts: null }]);
  });

  it('is a refusal, the output that a host could not read, or only a finish reason', () => {
    expect(said(chat({ content: null, refusal: 'I will not.' }, 'content_filter'))).toMatchObject([
      { text: null, refusal: 'I will not.', finish_reason: 'content_filter' },
    ]);
    const body = JSON.stringify({ error: { message: 'Failed', failed_generation: '<function=get_weather>' } });
    expect(said({ error: { kind: 'bad_request', message: 'Failed', status: 400, body } })).toMatchObject([
      { text: '<function=get_weather>', finish_reason: 'malformed_function_call' },
    ]);
    expect(said(chat({ content: ' \n' }, 'length'))).toEqual([
      { text: null, thoughts: null, refusal: null, finish_reason: 'length' },
    ]);
  });

  it('is that of each round of a chain, without refusals in between; for other exchanges, of the last body', () => {
    const refusal = { error: { kind: 'provider_5xx', message: 'no', status: 500, body: '{}' } };
    const replies = [refusal, chat({ content: 'one' }), refusal, chat({ content: 'two' })];
    expect(replyTextIn({ replies, rounds: [1, 3] }).map(({ text }) => text)).toEqual(['one', 'two']);
    expect(said(chat({ content: 'one' }), chat({ content: 'two' }))).toMatchObject([{ text: 'two' }]);
    expect([said(refusal), said({ big: 1 }), said()]).toEqual([[], [], []]);
  });

  it('is shortened with its length, and never read from responses of private addresses', () => {
    const [{ text, thoughts } = {}] = said(
      chat({ content: `<think>${'t'.repeat(30_000)}</think>${'x'.repeat(2 ** 21)}`, reasoning: 'r'.repeat(70_000) }),
    );
    expect(text).toMatch(/^x{20000}\.\.\. \(2,097,152 characters\)$/);
    expect(thoughts).toMatch(/^r{20000}\.\.\. \(100,001 characters\)$/);
    const privateBody = JSON.stringify({ error: { failed_generation: 'secret' } });
    const failure = { kind: 'bad_response', message: 'no', status: 200, body: null, private_body: privateBody };
    expect(said({ error: failure })).toEqual([]);
  });
});
