import { parseJson, unwrapNumbers } from '#lib/contracts/json/json';
import { SuiteFile } from '#lib/contracts/suite';

/** A suite's JSON in the form that the server would store; undefined where it is not a suite. */
export function canonicalSuite(text: string): { name: string; cases: number; text: string } | undefined {
  const { data: suite } = SuiteFile.safeParse(unwrapNumbers(parseJson(text.replace(/^\ufeff/, ''))));
  return suite && { name: suite.name, cases: suite.test_cases.length, text: JSON.stringify(suite) };
}
