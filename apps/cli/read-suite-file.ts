import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Options } from './main.js';

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${code}).`);
  }
}

/** The text of a suite file, looked at before it is sent: whoever mistyped a path is told so, and not by the server. */
export function readSuiteFile(path: string): string {
  const text = textOf(path);
  try {
    JSON.parse(text);
  } catch (error) {
    throw new Error(
      `${path} is no suite: ${(error as Error).message}. Look at examples/weather.json, or at what ` +
        'toolmark suites export prints.',
    );
  }
  return text;
}

/** Endings that say what a file is; others need --format. */
const FORMATS: Record<string, string> = { '.csv': 'csv', '.yaml': 'yaml', '.yml': 'yaml' };

/** What is sent for `suites import`: a suite's own JSON as it is, other formats as JSON that holds the file. */
export function readImport(path: string, options: Options): string {
  options.format ??= FORMATS[extname(path).toLowerCase()] ?? 'native';
  if (options.format === 'native') return readSuiteFile(path);
  return JSON.stringify({ text: textOf(path), ...(options.answers && { possible_answers: textOf(options.answers) }) });
}

export function importQuery(options: Options): string {
  const query = new URLSearchParams({
    format: options.format!,
    ...(options['dry-run'] && { dry_run: 'true' }),
    ...(options.name && { name: options.name }),
  });
  return `?${query}`;
}
