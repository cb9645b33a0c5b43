import { readFileSync } from 'node:fs';
import { extname } from 'node:path';

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${code}).`);
  }
}

/** The text of a suite file, parsed before it is sent: a mistyped path is reported here and not by the server. */
export function readSuiteFile(path: string): string {
  const text = readText(path);
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new Error(
      `${path} is not a suite: ${(error as Error).message}. Look at examples/weather.json, or at what ` +
        'toolmark suites export prints. Import another format with toolmark suites import.',
    );
  }
  return text;
}

export interface ImportOptions {
  format?: string;
  answers?: string;
  name?: string;
}

/** Endings that say what a file is; others need --format. */
const FORMATS: Record<string, string> = { '.csv': 'csv', '.yaml': 'yaml', '.yml': 'yaml' };

/** What an import sends: a suite's own JSON as it is, and a file of another format inside JSON. */
export function readImport(path: string, options: ImportOptions, isDryRun = false): { body: string; query: string } {
  const format = options.format ?? FORMATS[extname(path).toLowerCase()] ?? 'native';
  const query = new URLSearchParams({
    format,
    ...(isDryRun && { dry_run: 'true' }),
    ...(options.name !== undefined && { name: options.name }),
  });
  const body =
    format === 'native'
      ? readSuiteFile(path)
      : JSON.stringify({
          text: readText(path),
          ...(options.answers !== undefined && { possible_answers: readText(options.answers) }),
        });
  return { body, query: `?${query}` };
}
