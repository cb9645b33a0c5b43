import type { ReactNode } from 'react';
import { syntaxName } from '#lib/contracts/values/verdicts';
import type { ResultWithExchange } from '../../api/results';
import { share } from '../../parts/result-details';
import { duration, Time } from '../../../../ui/time';

const orUnknown = (value: number | null, text: (value: number) => string): string =>
  value === null ? 'unknown' : text(value);
const count = (value: number): string => value.toLocaleString('en');

/** Tokens read from and written to the provider's cache, and reasoning tokens. */
function partsOf(usage: ResultWithExchange['usage']): [string, ReactNode][] {
  const parts: [string, number | null][] = [
    ['read', usage.cache_read_tokens],
    ['written for 5 minutes', usage.cache_write_5m_tokens],
    ['written for an hour', usage.cache_write_1h_tokens],
  ];
  const cacheParts = parts.flatMap(([what, tokens]) => (tokens ? [`${count(tokens)} ${what}`] : []));
  return [
    ...(cacheParts.length > 0 ? [['Provider cache', cacheParts.join(', ')] satisfies [string, ReactNode]] : []),
    ...(usage.reasoning_tokens
      ? [['Reasoning', `${count(usage.reasoning_tokens)} tokens`] satisfies [string, ReactNode]]
      : []),
  ];
}

/** The usage of a result, and the settings of its request. */
export function Facts({ result }: { result: ResultWithExchange }) {
  const { usage, evidence } = result;
  const facts: [string, ReactNode][] = [
    ['Answered by', result.cached ? 'a stored reply' : 'the model'],
    ['Latency', orUnknown(result.latency_ms, duration)],
    ['Requests', result.attempts],
    ['Tokens', `${orUnknown(usage.prompt_tokens, count)} in, ${orUnknown(usage.completion_tokens, count)} out`],
    ...partsOf(usage),
    [
      'Cost',
      orUnknown(result.cost_usd, (cost) => `$${cost === 0 ? '0' : cost.toFixed(6).replace(/0{1,4}$/, '')}`) +
        (result.cost_reported ? ', as reported by the provider' : ''),
    ],
    ['Tool choice sent', result.tool_choice_used ?? 'none'],
    ['Call format', result.format_compliance ?? 'no reply'],
    ['Scoring version', result.scoring_version],
    ['Settled', <Time key="settled" at={result.settled_at} />],
  ];
  const adjusted = Object.entries(result.exchange?.adjusted ?? {});
  if (adjusted.length)
    facts.push(['Adjusted settings', adjusted.map(([setting, sent]) => `${setting}: ${sent}`).join(', ')]);
  if (result.syntax != null) facts.push(['Calls in the text', syntaxName(result.syntax)]);
  if (typeof evidence?.f1 === 'number') {
    const { precision, recall, f1 } = evidence;
    facts.push(['Calls', `precision ${share(precision)}, recall ${share(recall)}, F1 ${share(f1)}`]);
  }
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
