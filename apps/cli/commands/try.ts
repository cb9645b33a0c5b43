import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { isObject, type JsonObject } from '#lib/contracts/json/json';
import type { Try, TryResult } from '#lib/contracts/try';
import { examples, number, serverAction, subcommand } from '../command.js';
import { EXIT, exitWith } from '../exit-codes.js';
import { findCase } from '../lookup/find-case.js';
import { findSuite } from '../lookup/find-named.js';
import { conversationLines } from '../output/conversation-lines.js';
import { dollars, percent } from '../output/table.js';
import { print, printJson, printWarning } from '../output/terminal.js';
import { addRequestSettings, requestOf, type ConfigOptions } from './run-settings.js';

interface TryOptions extends ConfigOptions {
  models: string[];
  deadline?: number;
  json?: boolean;
}

export function addTry(program: Command): void {
  const command = subcommand(program, 'try', 'try one case with up to ten models right away; only its cost is kept')
    .argument('<suite>', 'name, id or id prefix of a suite')
    .argument('<case>', 'number from 1, name or id of a case, a file with one as JSON, or - for standard input');
  addRequestSettings(command)
    .option('--deadline <seconds>', 'how long to wait for models (default: 90)', number)
    .action(serverAction<TryOptions, [string, string]>(tryCase));
  command.addHelpText(
    ...examples(
      'toolmark try Weather 1 --models simulator::perfect-ish,simulator::careless-arguments',
      'toolmark try Weather 2 --models simulator::perfect-ish --tool-choice auto --metric ragas_tool_call_f1',
    ),
  );
}

async function tryCase(client: ApiClient, options: TryOptions, suite: string, wanted: string): Promise<void> {
  const suiteId = await findSuite(client, suite);
  const tried = await findCase(client, suiteId, wanted);
  const answer = await client.call<Try>('POST', '/api/tool-eval/try', {
    case: tried,
    suite_id: suiteId,
    ...requestOf(options),
    deadline_s: options.deadline,
  });
  if (answer.results.some(({ outcome }) => outcome === 'errored')) exitWith(EXIT.negative);
  if (options.json) return printJson(answer);
  answer.warnings.forEach(printWarning);
  for (const result of answer.results) print(...resultLines(result, promptOf(tried)), '');
  print(`Cost       ${answer.cost_usd === null ? 'unknown' : dollars(answer.cost_usd)}`);
}

function resultLines(result: TryResult, prompt: string): string[] {
  const { target, outcome, passed, called, explanation, metrics, ...scores } = result;
  const verdict = passed ? 'pass' : outcome === 'errored' ? 'error' : 'FAIL';
  if (outcome === 'errored') return [`${verdict}  ${target}`, ...explanation.map(indented)];
  const { overall, tool_score, param_score, latency_ms } = scores;
  return [
    [
      verdict,
      target,
      `overall ${percent(overall)}, tool ${percent(tool_score)}, parameters ${percent(param_score)}`,
    ].join('  '),
    ...(result.conversation
      ? conversationLines({ ...result, prompt }, false).map(indented)
      : [indented(`called ${called.length ? JSON.stringify(called) : 'nothing'}`)]),
    ...explanation.map(indented),
    ...Object.entries(metrics).map(([name, score]) => indented(`${name}: ${JSON.stringify(score)}`)),
    ...(latency_ms === null ? [] : [indented(`took ${latency_ms} ms`)]),
  ];
}

/** The prompt of a case, or its last user message. */
function promptOf({ prompt, messages }: JsonObject): string {
  const last = Array.isArray(messages) ? messages.findLast((one) => isObject(one) && one.role === 'user') : undefined;
  const asked = prompt ?? (isObject(last) ? last.content : '');
  return typeof asked === 'string' ? asked : JSON.stringify(asked);
}

const indented = (line: string): string => `      ${line}`;
