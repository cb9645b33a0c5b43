import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { suggestNames } from '#lib/contracts/input/nearest-names';
import type { JsonObject } from '#lib/contracts/json/json';
import type { MetricInfo } from '#lib/contracts/metric';
import type { Page } from '#lib/contracts/page';
import { examples, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { NegativeAnswer } from '../exit-codes.js';
import { printList } from '../lookup/read-list.js';
import { table } from '../output/table.js';
import { print, printJson } from '../output/terminal.js';
import type { z } from 'zod';

type Metric = z.infer<typeof MetricInfo>;

export function addMetrics(program: Command): void {
  const metrics = subcommand(program, 'metrics', 'list the metrics of runs and of toolmark score, or show one')
    .argument('[id]', 'id of a metric, to show its options and an example')
    .action(serverAction<GlobalOptions, [string | undefined]>(listMetrics));
  metrics.addHelpText(...examples('toolmark metrics', 'toolmark metrics ragas_tool_call_f1'));
}

async function listMetrics(client: ApiClient, options: GlobalOptions, id?: string): Promise<void> {
  const { items } = await client.call<Page<Metric>>('GET', '/api/metrics');
  if (id === undefined)
    return printList({ items }, options, 'No metrics.', (found) =>
      table(found.map((metric) => [metric.id, metric.reference, metric.version, metric.meaning])),
    );
  const ids = items.map((metric) => metric.id);
  const metric = items.find((one) => one.id === id);
  if (!metric) throw new NegativeAnswer(`No metric "${id}". ${suggestNames(id, ids, 'the metrics')}`);
  if (options.json) return printJson(metric);
  print(
    `${metric.id}  ${metric.reference} ${metric.version}`,
    metric.meaning,
    '',
    ...optionLines(metric.options.properties as Record<string, JsonObject> | undefined),
    `Example for toolmark score: ${JSON.stringify(metric.example)}`,
  );
}

const optionLines = (properties: Record<string, JsonObject> = {}): string[] =>
  Object.keys(properties).length === 0
    ? ['It has no options.', '']
    : [
        'Options:',
        ...table(
          Object.entries(properties).map(([name, { default: value, description }]) => [
            `  ${name}`,
            JSON.stringify(value) ?? '',
            String(description ?? ''),
          ]),
        ),
        '',
      ];
