import type { ReactNode } from 'react';
import { syntaxName } from '#lib/contracts/values/verdicts';
import { count } from '../../../ui/amounts';
import { duration, Time } from '../../../ui/time';
import type { ResultWithExchange } from '../api';
import { share } from './result-details';
import css from './results.module.css';

const orUnknown = (value: number | null, text: (value: number) => string): string =>
  value === null ? 'unknown' : text(value);
const score = (value: number | null): string => (value === null ? 'none' : `${(value * 100).toFixed(1)} %`);

/** The usage of a result, and the settings of its request. What it does not have is left out. */
export function Facts({ result }: { result: ResultWithExchange }) {
  const { usage, evidence, cost_usd: cost, syntax, outcome } = result;
  const cached = [
    [usage.cache_read_tokens, 'read'],
    [usage.cache_write_5m_tokens, 'written for 5 minutes'],
    [usage.cache_write_1h_tokens, 'written for an hour'],
  ] as const;
  const adjusted = Object.entries(result.exchange?.adjusted ?? {});
  const { precision, recall, f1 } = evidence ?? {};
  const facts: [string, ReactNode][] = [
    ['Score', outcome === 'scored' ? `tool ${score(result.tool_score)}, arguments ${score(result.param_score)}` : ''],
    ['Answered by', result.cached ? 'a stored reply' : 'the model'],
    ['Latency', orUnknown(result.latency_ms, duration)],
    ['Requests', result.attempts],
    ['Tokens', `${orUnknown(usage.prompt_tokens, count)} in, ${orUnknown(usage.completion_tokens, count)} out`],
    ['Provider cache', cached.flatMap(([tokens, what]) => (tokens ? [`${count(tokens)} ${what}`] : [])).join(', ')],
    ['Reasoning', usage.reasoning_tokens ? `${count(usage.reasoning_tokens)} tokens` : ''],
    ['Cost', `${orUnknown(cost, costText)}${result.cost_reported ? ', as reported by the provider' : ''}`],
    ['Tool choice sent', result.tool_choice_used ?? 'none'],
    ['Call format', result.format_compliance ?? 'no reply'],
    ['Scoring version', result.scoring_version],
    ['Settled', <Time key="settled" at={result.settled_at} />],
    ['Adjusted settings', adjusted.map(([setting, sent]) => `${setting}: ${sent}`).join(', ')],
    ['Calls in the text', syntax != null ? syntaxName(syntax) : ''],
    ['Calls', typeof f1 === 'number' ? `precision ${share(precision)}, recall ${share(recall)}, F1 ${share(f1)}` : ''],
  ];
  return (
    <dl className={css.numbers}>
      {facts.map(
        ([name, value]) =>
          value !== '' && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

const costText = (cost: number): string => `$${cost === 0 ? '0' : cost.toFixed(6).replace(/0{1,4}$/, '')}`;

/** "Cost, latency and tokens: $0.0012, 340 ms, 120 tokens": what the fold holds, in its summary. */
export function factsTitle({ cost_usd: cost, latency_ms: latency, usage }: ResultWithExchange): string {
  const tokens = (usage.prompt_tokens ?? 0) + (usage.completion_tokens ?? 0);
  const known = [
    ...(cost === null ? [] : [costText(cost)]),
    ...(latency === null ? [] : [duration(latency)]),
    ...(tokens > 0 ? [`${count(tokens)} tokens`] : []),
  ];
  return ['Cost, latency and tokens', known.join(', ')].filter(Boolean).join(': ');
}
