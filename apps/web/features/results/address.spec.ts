import { ResultsFilter } from '#lib/contracts/result';
import { resultsFilter, resultsSearch, withToggled } from './address.js';
import { errorWord, filterParts, inFileName } from './filter-words.js';

describe('the address of a list of results', () => {
  it('writes an error type in words, also one of a later release', () => {
    expect(['none', 'wrong_tool', 'lost_track'].map(errorWord)).toEqual(['no error', 'wrong tool', 'lost track']);
  });

  it('omits the default order and invalid values', () => {
    const given = {
      model: 'a',
      type: ['wrong_tool', 'bad'],
      category: 7,
      passed: 'yes',
      latency: '5',
      order: 'failures',
    };
    expect(resultsSearch(given)).toEqual({ model: ['a'], category: ['7'] });
    expect(resultsSearch({ order: 'case', latency: '500-', passed: false, tag: ['x', 'y'] })).toEqual({
      order: 'case',
      latency: '500-',
      passed: false,
      tag: ['x', 'y'],
    });
  });

  it('builds the API query, failures first', () => {
    const filter = resultsFilter({
      model: ['a', 'b'],
      type: ['no_call'],
      tool: ['f'],
      latency: '500-1000',
      passed: false,
    });
    expect(filter).toEqual({
      model: ['a', 'b'],
      error_type: ['no_call'],
      expected_tool: ['f'],
      passed: false,
      latency_min_ms: '500',
      latency_max_ms: '1000',
      order: 'failures',
    });
    expect(Object.keys(ResultsFilter.shape)).toEqual(expect.arrayContaining(Object.keys(filter)));
  });

  it('supports score ranges, a single case, and verdicts of a rescore', () => {
    const id = '019aa8a2-5c1e-7000-8000-000000000021';
    expect(resultsSearch({ score: '5e-324-0.09999999999999999', case: id, rescore: 'x' })).toEqual({
      score: '5e-324-0.09999999999999999',
      case: id,
    });
    expect(resultsSearch({ score: '0.1' })).toEqual({});
    const search = resultsSearch({ score: '5e-324-0.5', case: id, rescore: id });
    const range = { overall_min: '5e-324', overall_max: '0.5' };
    expect(resultsFilter(search)).toEqual({ ...range, case_id: id, rescore_id: id, order: 'case' });
    expect(filterParts(search).map(({ words }) => words)).toEqual([
      'score: above 0 to 50 %',
      'one case',
      'verdicts of a rescore',
    ]);
    expect(filterParts({ score: '1-1' })[0]!.words).toBe('score: 100 %');
  });

  it('becomes part of a file name, in portable characters', () => {
    expect(inFileName({})).toBe('');
    const search = resultsSearch({ type: ['wrong_tool'], category: ['a/b: "c"'], score: '0.5-1' });
    expect(inFileName(search)).toBe('-error-wrong-tool-category-a-b-c-score-50-to-100');
    expect(inFileName({ category: ['x'.repeat(200)] })).toHaveLength(120);
  });

  it('lists its filters, each of them removable', () => {
    const search = resultsSearch({ type: ['wrong_tool', 'no_call'], latency: '-900', order: 'case' });
    expect(filterParts(search)).toEqual([
      { words: 'error: wrong tool', without: { type: ['no_call'], latency: '-900', order: 'case' } },
      { words: 'error: no call', without: { type: ['wrong_tool'], latency: '-900', order: 'case' } },
      { words: 'latency: at most 900 ms', without: { type: ['wrong_tool', 'no_call'], order: 'case' } },
    ]);
    expect(withToggled({ model: ['a'] }, 'model', 'a')).toEqual({});
    expect(withToggled({}, 'model', 'a')).toEqual({ model: ['a'] });
  });
});
