import { isObject } from '#lib/contracts/json/json';
import { findJsonFault } from '#lib/contracts/json/json-fault';
import { parseJson } from '#lib/contracts/json/json';
import { JsonView } from '../../../ui/json-view';
import { UserBlock, UserText } from '../../../ui/user-text';
import type { ResultWithExchange } from '../api';
import { Clamped } from './clamped';
import { answeredWords, changeWords, type AnsweredCall } from './conversation-words';
import { argumentsText } from './paired-calls';
import { Reply, ResultPart } from './result-details';
import css from './results.module.css';

const FIRST_CALLS = 50;
const FIRST_CHANGES = 50;

interface Props {
  result: Pick<ResultWithExchange, 'said' | 'exchange'>;
  of?: string;
}

/** A conversation as it was played: what the model said and called, the answers, the changes of the state, the user. */
export function PlayedConversation({ result: { said, exchange }, of }: Props) {
  const played = exchange?.conversation ?? [];
  const rounds = Math.max(said.length, played.length);
  const title = rounds > 0 ? `Conversation: ${rounds} ${rounds === 1 ? 'round' : 'rounds'}` : 'Conversation';
  return (
    <ResultPart title={title} of={of}>
      {rounds === 0 && <p className="muted">No longer stored.</p>}
      <ol className={css.rounds}>
        {Array.from({ length: rounds }, (_, round) => (
          <Round key={round} nth={round + 1} reply={said[round]} played={played[round]} />
        ))}
      </ol>
    </ResultPart>
  );
}

interface RoundProps {
  nth: number;
  /** What the model said; undefined where it is no longer stored. */
  reply: ResultWithExchange['said'][number] | undefined;
  played: NonNullable<NonNullable<ResultWithExchange['exchange']>['conversation']>[number] | undefined;
}

function Round({ nth, reply, played }: RoundProps) {
  const calls = played?.calls ?? [];
  return (
    <li>
      <p className="muted small">Model, round {nth}</p>
      {reply && <Reply reply={reply} isShort={calls.length > 0} />}
      {!reply && <p className="muted">{played ? 'Its reply is in the exchange.' : 'Its text is not stored.'}</p>}
      {calls.slice(0, FIRST_CALLS).map((call, index) => (
        <PlayedCall key={index} call={call} />
      ))}
      {calls.length > FIRST_CALLS && <p className="muted">{calls.length - FIRST_CALLS} more calls.</p>}
      {typeof played?.user === 'string' && (
        <div className={css.message}>
          <p className="muted small">User</p>
          <Clamped text={played.user} what="message" />
        </div>
      )}
    </li>
  );
}

const MAX_LINE = 300;

function PlayedCall({ call }: { call: AnsweredCall }) {
  const { name, arguments: given, answer, is_error: isError, changes } = call;
  const line = given === null ? undefined : argumentsText(given);
  const words = answeredWords(call);
  return (
    <div className={css.played}>
      <div className={css.tools}>
        <code className="given">
          <UserText text={name} max={200} />
          {line !== undefined && line.length <= MAX_LINE && <UserText text={`(${line})`} />}
        </code>
        {words !== '' && <span className="muted small">{words}</span>}
      </div>
      {line !== undefined && line.length > MAX_LINE && <JsonView value={given} open={1} />}
      <div className={isError ? css.bad : undefined}>
        <span className="unseen">{isError ? 'Error' : 'Answer'}: </span>
        <Answer text={answer} />
      </div>
      <Changes changes={changes} />
    </div>
  );
}

/** Longer answers are not read as JSON. */
const MAX_JSON = 50_000;

/** An answer as JSON where it has several values, else as text. */
function Answer({ text }: { text: string }) {
  if (text.length <= MAX_JSON && /^[[{]/.test(text) && !findJsonFault(text)) {
    const value = parseJson(text);
    if (isObject(value) || Array.isArray(value)) return <JsonView value={value} open={1} />;
  }
  return <UserBlock text={text} code />;
}

function Changes({ changes }: Pick<AnsweredCall, 'changes'>) {
  const words = changes.flatMap((change) => changeWords(change) ?? []);
  if (words.length === 0) return null;
  return (
    <ul className={css.changed} aria-label="Changes of the state">
      {words.slice(0, FIRST_CHANGES).map((text, index) => (
        <li key={index}>
          <code>
            <UserText text={text} max={1000} />
          </code>
        </li>
      ))}
      {words.length > FIRST_CHANGES && <li className="muted">{words.length - FIRST_CHANGES} more changes.</li>}
    </ul>
  );
}
