import { readFileSync } from 'node:fs';
import { ApiError, type ReceivedProblem } from '#lib/client/api-client';
import { NOTE_CODES } from '#lib/contracts/note-codes';
import { PROBLEM_CODES, type CodeEntry } from '#lib/contracts/problem-codes';
import { explainError } from './explain-error.js';

const problem = (more: Partial<ReceivedProblem>): Error =>
  new ApiError({ type: 'about:blank', title: 'Conflict', status: 409, detail: 'It is spent.', ...more });

describe('a refusal', () => {
  it('is followed by the command that helps', () => {
    const lines = explainError(problem({ code: 'budget_spent', params: { run_id: '7' } }));
    expect(lines).toEqual(['It is spent.', 'Try: toolmark resume 7 --max-requests <limit>']);
  });

  it('stands alone if its code is general or unknown, or an earlier release sent none', () => {
    for (const more of [{ code: 'conflict' }, { code: 'of_a_later_release' }, { code: 'constructor' }, {}])
      expect(explainError(problem(more))).toEqual(['It is spent.']);
  });

  it('says once when to try again', () => {
    const refused = (detail: string): Error =>
      new ApiError({ type: 'about:blank', title: 'Too Many Requests', status: 429, detail }, 7);
    expect(explainError(refused('Too many.'))).toEqual(['Too many.', 'Try again in 7 s.']);
    expect(explainError(refused('Too many. Try again in 7 s.'))).toEqual(['Too many. Try again in 7 s.']);
  });

  it('names only commands that exist', () => {
    const page = readFileSync('docs/cli.md', 'utf8');
    const commands = Object.values<CodeEntry>({ ...PROBLEM_CODES, ...NOTE_CODES }).flatMap(
      ({ command = [] }) => command,
    );
    const names = commands.map((command) => /^toolmark ([a-z -]+?)(?= [<-]|$)/.exec(command)![1]!);
    expect(names.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`\`${name} `))).toEqual([]);
  });
});
