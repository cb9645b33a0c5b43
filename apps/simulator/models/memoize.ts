/**
 * Memoizes a function by the value of its argument, so that what suites repeat (keys, enums, tools) is computed once.
 * At `maxSize` results, the memo is cleared. Results are shared, so callers must not mutate them.
 */
export function memoizeBounded<Key, Result>(work: (key: Key) => Result, maxSize = 10_000): (key: Key) => Result {
  const results = new Map<Key, Result>();
  return (key) => {
    let result = results.get(key);
    if (result === undefined) {
      if (results.size >= maxSize) results.clear();
      results.set(key, (result = work(key)));
    }
    return result;
  };
}
