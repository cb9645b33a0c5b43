import type { CaseInput } from '#lib/contracts/case';
import type { JsonObject } from '#lib/contracts/json/json';
import type { Tool } from '#lib/contracts/tool';
import { UnsatisfiableSearch, unsatisfiableWarnings } from './unsatisfiable-search.js';

const tool = (name: string, properties: number): Tool => ({
  type: 'function',
  function: {
    name,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: properties }, (_, n) => [
          `${name}_${n}`,
          { type: 'string', description: 'x'.repeat(100) },
        ]),
      ) as JsonObject,
    },
  },
});
const slip = (name: string, more: Partial<CaseInput> = {}): CaseInput => ({
  prompt: 'p',
  expected_tool: name,
  expected_params: { nothing: 1 },
  ...more,
});

describe('the search for unsatisfiable arguments', () => {
  it('compiles a limited amount per request, and reports how many cases it skipped', () => {
    const search = new UnsatisfiableSearch([tool('small', 1)]);
    for (let n = 0; n < 6; n++) search.search(slip('large', { tools: [tool(`large`, 400 + n)] }), n);
    search.search(slip('small'), 6);
    expect(search.found.named.length + search.found.more + search.found.notSearched).toBe(7);
    expect(search.found.notSearched).toBeGreaterThan(2);
    expect(unsatisfiableWarnings(search.found, (index) => `Case ${index}`).at(-1)).toMatch(
      /^[3-6] cases were not looked through/,
    );
  });

  it('counts each tool once, however often it occurs', () => {
    const suite = [tool('large', 300)];
    const search = new UnsatisfiableSearch(suite);
    for (let n = 0; n < 200; n++) search.search(slip('LARGE', n % 2 ? { tools: [tool('large', 300)] } : {}), n);
    expect(search.found).toMatchObject({ more: 180, notSearched: 0 });
    expect(unsatisfiableWarnings(search.found, (index) => `Case ${index}`)).toHaveLength(21);
  });
});
