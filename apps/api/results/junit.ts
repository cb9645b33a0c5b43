import { figuresText } from '#lib/contracts/figures-text';
import type { Result } from '#lib/contracts/result';
import type { Run } from '#lib/contracts/run';
import { escapeXml as xml } from '#lib/contracts/xml';
import type { ResultWriter, WriterOptions } from './result-writer.js';

/** One test suite with a test per result. The totals are known only for a whole run. */
export function junitWriter({ suite, counts }: Run, { isWhole }: WriterOptions): ResultWriter {
  const failures = counts.settled - counts.errored - counts.passed;
  const numbers = ` tests="${counts.settled}" failures="${failures}" errors="${counts.errored}"`;
  const attributes = `name="${xml(suite.name)}"${isWhole ? numbers : ''}`;
  return {
    head: `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${attributes}>\n<testsuite ${attributes}>\n`,
    write: testcase,
    foot: () => '</testsuite>\n</testsuites>\n',
  };
}

function testcase(result: Result): string {
  const name = xml(result.case_name ?? result.prompt.slice(0, 200));
  const open = `<testcase classname="${xml(result.target)}" name="${name}" time="${(result.latency_ms ?? 0) / 1000}"`;
  if (result.error)
    return `${open}><error type="${result.error.kind}" message="${xml(result.error.message)}"/></testcase>\n`;
  if (result.passed) return `${open}/>\n`;
  const details = xml(JSON.stringify({ expected: result.expected, called: result.called }));
  const figures = figuresText(result.metrics);
  const message = xml(`overall ${result.overall}${figures && `: ${figures}`}`);
  return `${open}><failure type="${result.error_type}" message="${message}">${details}</failure></testcase>\n`;
}
