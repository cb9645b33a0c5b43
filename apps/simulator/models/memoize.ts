/**
 * The same, remembering its last answers: what suites repeat (keys, enums, tools) is worked out once, and new
 * prompts push out old ones. Answers are shared, so they must not be changed.
 */
export function memoizeBounded<Key, Answer>(work: (key: Key) => Answer, most = 10_000): (key: Key) => Answer {
  const answers = new Map<Key, Answer>();
  return (key) => {
    let answer = answers.get(key);
    if (answer === undefined) {
      if (answers.size >= most) answers.clear();
      answers.set(key, (answer = work(key)));
    }
    return answer;
  };
}
