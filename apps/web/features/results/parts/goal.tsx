import type { ReactNode } from 'react';
import { valueWords } from '#lib/contracts/difference-words';
import { isObject, toText, type Json } from '#lib/contracts/json/json';
import { UserText } from '../../../ui/user-text';
import type { ResultWithExchange } from '../api';
import { checkWords, courseWords, type ConversationEvidence } from './conversation-words';
import { toolName } from './paired-calls';
import { ResultPart } from './result-details';
import css from './results.module.css';

type Judged = Pick<ResultWithExchange, 'called' | 'evidence' | 'conversation'>;

const FIRST_LINES = 100;

interface Line {
  part: string;
  holds: boolean;
  words: ReactNode;
}

/** What the goal of a conversation says, line by line. */
export function Goal({ result, of }: { result: Judged; of?: string }) {
  const evidence = result.evidence?.conversation;
  if (!evidence) return null;
  const lines = [...callLines(evidence), ...forbiddenLines(result), ...stateLines(evidence), ...answerLines(result)];
  return (
    <ResultPart title="Goal" of={of}>
      <ul className={css.goal}>
        {lines.slice(0, FIRST_LINES).map(({ part, holds, words }, index) => (
          <li key={index}>
            <span className={holds ? css.good : css.bad}>
              <span aria-hidden="true">{holds ? '✓' : '✗'}</span>
              <span className="unseen">{holds ? 'holds' : 'does not hold'}</span>
            </span>
            <span className="muted">{part}</span>
            <span>{words}</span>
          </li>
        ))}
      </ul>
      {lines.length > FIRST_LINES && <p className="muted">{lines.length - FIRST_LINES} more.</p>}
      <p className="muted small">{courseWords(evidence)}</p>
    </ResultPart>
  );
}

const MAX_VALUE = 500;
const Words = ({ value }: { value: unknown }) => (
  <code>
    <UserText text={valueWords(value)} max={MAX_VALUE} />
  </code>
);

function callLines({ calls }: ConversationEvidence): Line[] {
  if (calls === null) return [];
  const words = calls === 1 ? 'as expected' : `${(calls * 100).toFixed(0)} % as expected`;
  return [{ part: 'Calls', holds: calls === 1, words }];
}

function forbiddenLines({ called, evidence }: Judged): Line[] {
  const { forbidden, forbidden_calls: made } = evidence!.conversation!;
  if (forbidden === null) return [];
  if (made.length === 0) return [{ part: 'Forbidden', holds: forbidden === 1, words: 'no such call' }];
  return made.map(({ called: index }) => ({
    part: 'Forbidden',
    holds: false,
    words: (
      <>
        <code>
          <UserText text={toolName(called[index]?.name ?? '')} max={200} />
        </code>{' '}
        was called (call {index + 1})
      </>
    ),
  }));
}

const stateLines = ({ goal_state: state }: ConversationEvidence): Line[] =>
  state.map(({ pointer, holds, expected, actual }) => ({
    part: 'State',
    holds,
    words: (
      <>
        <code>
          <UserText text={pointer || 'the whole state'} max={300} />
        </code>{' '}
        is <Words value={actual} />
        {!holds && (
          <>
            , expected <Words value={expected} />
          </>
        )}
      </>
    ),
  }));

function answerLines({ evidence, conversation }: Judged): Line[] {
  const goal = isObject(conversation) && isObject(conversation.goal) ? conversation.goal : {};
  const checks: Json[] = Array.isArray(goal.answer) ? (goal.answer as Json[]) : [];
  return evidence!.conversation!.goal_answer.map(({ check, holds, note }) => ({
    part: 'Answer',
    holds,
    words: (
      <>
        <UserText
          text={checks[check] === undefined ? `check ${check + 1}` : checkWords(checks[check])}
          max={MAX_VALUE}
        />
        {note !== undefined && (
          <span className="muted">
            {' '}
            <UserText text={toText(note)} max={MAX_VALUE} />
          </span>
        )}
      </>
    ),
  }));
}
