import { isDeeperThan, MAX_JSON_DEPTH, parseJson, unwrapNumbers } from '#lib/contracts/json/json';
import { SuiteFile } from '#lib/contracts/suite';

/** A suite's JSON in the form that the server would store; undefined if it is not a suite. */
export function canonicalSuite(text: string): { name: string; cases: number; text: string } | undefined {
  const parsed = parseJson(text.replace(/^\ufeff/, ''));
  // The server refuses such a file; here it would overflow the stack.
  if (isDeeperThan(parsed, MAX_JSON_DEPTH)) return undefined;
  const { data: suite } = SuiteFile.safeParse(unwrapNumbers(parsed));
  return suite && { name: suite.name, cases: suite.test_cases.length, text: JSON.stringify(suite) };
}
