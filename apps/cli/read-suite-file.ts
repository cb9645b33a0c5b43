import { readFileSync } from 'node:fs';

/** The text of a suite file, looked at before it is sent: whoever mistyped a path is told so, and not by the server. */
export function readSuiteFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${code}).`);
  }
  try {
    JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is no suite: ${(error as Error).message}. Look at examples/weather.json, or at what toolmark suites export prints.`);
  }
  return text;
}
