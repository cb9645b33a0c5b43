import type { StoredCase } from '../api.js';
import { caseOfResult } from './case-of-result.js';

const stored: StoredCase = {
  id: 'x',
  position: 3,
  name: 'Tokyo',
  messages: [{ role: 'user', content: 'Weather?' }],
  category: 'current',
  tags: ['smoke'],
  expected_tool: 'get_weather',
  expected_params: { city: 'Tokyo' },
};
const call = (name: string, given: object | null = {}) => ({ name, arguments: given as never });
const made = (...called: ReturnType<typeof call>[]) =>
  caseOfResult(stored, { called, case_name: 'Tokyo', evidence: null }, { runName: 'Nightly 8', tools: ['Find'] });

describe('a case that is made of a result', () => {
  it('keeps the case, is named by the run, and expects what was called', () => {
    const { expected_tool: _tool, expected_params: _params, ...rest } = stored;
    expect(made(call('find', { q: 'x' }))).toEqual({
      ...rest,
      name: 'Tokyo (from Nightly 8)',
      expected_tool: 'Find',
      expected_params: { q: 'x' },
    });
    expect(made()).toEqual({ ...rest, name: 'Tokyo (from Nightly 8)', expected_tool: null });
    expect(made(call('a', { n: 1 }), call('b'))).toMatchObject({
      expected_calls: [
        { tool: 'a', params: { n: 1 } },
        { tool: 'b', params: {} },
      ],
    });
    expect(made(call('find', null))).toEqual({ ...stored, name: 'Tokyo (from Nightly 8)' });
  });

  it('has a name that a suite takes, whatever the names are', () => {
    const long = caseOfResult(
      stored,
      { called: [], case_name: 'c'.repeat(200), evidence: null },
      { runName: 'r'.repeat(200), tools: [] },
    );
    expect(long.name).toHaveLength(200);
    expect(long.name).toMatch(/^c+ \(from r+$/);
    const unnamed = { called: [], case_name: null, evidence: null };
    expect(caseOfResult(stored, unnamed, { runName: 'R', tools: [] }).name).toBe('Case (from R)');
  });
});
