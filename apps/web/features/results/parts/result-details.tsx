import { useId, type ReactNode } from 'react';
import { argumentName } from '#lib/contracts/difference-words';
import { failedBody } from '#lib/contracts/failed-body';
import { count } from '../../../ui/amounts';
import { Folded } from '../../../ui/details';
import { JsonView } from '../../../ui/json-view';
import { UserBlock, UserText } from '../../../ui/user-text';
import type { Result, ResultWithExchange } from '../api';
import { Clamped } from './clamped';
import css from './results.module.css';

interface PartProps {
  title: string;
  /** The heading is for screen readers only. */
  isTitleHidden?: boolean;
  /** Whose result it is, if there are several in one view. */
  of?: string;
  className?: string;
  children: ReactNode;
}

/** A part of a result with its heading. */
export function ResultPart({ title, isTitleHidden, of, className, children }: PartProps) {
  const titleId = useId();
  return (
    <section aria-labelledby={of === undefined ? titleId : undefined} className={className}>
      {of === undefined ? (
        <h2 id={titleId} className={isTitleHidden ? 'unseen' : css.partTitle}>
          {title}
        </h2>
      ) : (
        <h4>{title}</h4>
      )}
      {children}
    </section>
  );
}

interface ExplanationProps {
  result: Pick<ResultWithExchange, 'explanation' | 'evidence'> & { error: { kind: string; message: string } | null };
  of?: string;
}

/** The verdict in sentences, and the error if there is no reply. */
export function Explanation({ result: { explanation, evidence, error }, of }: ExplanationProps) {
  const notes = (evidence?.notes ?? []).filter((note) => !explanation.includes(note));
  // Without a reply, the explanation says the error.
  const isSaid = error !== null && explanation.some((sentence) => sentence.includes(error.message));
  return (
    <ResultPart title="Why" isTitleHidden of={of} className={css.why}>
      {error && !isSaid && (
        <p>
          {error.kind.replaceAll('_', ' ')}: <UserText text={error.message} />
        </p>
      )}
      {[...explanation, ...notes].slice(0, 50).map((sentence, index) => (
        <p key={index}>
          <UserText text={sentence} />
        </p>
      ))}
    </ResultPart>
  );
}

const FIRST_ROUNDS = 100;

interface ReplyProps {
  result: Pick<ResultWithExchange, 'said' | 'outcome' | 'exchange'>;
  of?: string;
}

/** The model's texts, round by round; or the response that was not a reply, as far as this user may see it. */
export function ModelReply({ result: { said, outcome, exchange }, of }: ReplyProps) {
  const body = outcome === 'errored' ? failedBody(exchange) : null;
  if (outcome === 'errored' && body === null) return null;
  return (
    <ResultPart title={body === null ? 'Model reply' : 'Response'} of={of}>
      {body !== null && <Folded title="Body of the last response">{() => <UserBlock text={body} code />}</Folded>}
      {body === null && said.length === 0 && <p className="muted">No longer stored.</p>}
      {said.slice(0, FIRST_ROUNDS).map((reply, index) => (
        <div key={index}>
          {said.length > 1 && <p className="muted small">Round {index + 1}</p>}
          <Reply reply={reply} />
        </div>
      ))}
    </ResultPart>
  );
}

interface OneReply {
  reply: ResultWithExchange['said'][number];
  /** Whether what follows shows that it has no text, or why it ended. */
  isShort?: boolean;
}

/** A text of a model, with its thoughts. */
export function Reply({ reply, isShort = false }: OneReply) {
  const { text, thoughts, refusal, finish_reason: reason } = reply;
  return (
    <>
      {text !== null && <Clamped text={text} what="reply" />}
      {refusal !== null && (
        <>
          <p className="muted small">Refusal</p>
          <UserBlock text={refusal} />
        </>
      )}
      {!isShort && (
        <p className="muted small">
          {text === null && 'No text. '}Finish reason:{' '}
          {reason === null ? 'none given' : <UserText text={reason} max={100} />}
        </p>
      )}
      {thoughts !== null && (
        <Folded title={`Thoughts (${count(thoughts.length)} characters)`}>{() => <UserBlock text={thoughts} />}</Folded>
      )}
    </>
  );
}

/** The fields of a result that a part shows, for stored and tried results alike. */
interface Of<Key extends keyof Result> {
  result: Pick<Result, Key>;
}

export const share = (value: number | null | undefined): string =>
  value === null || value === undefined ? 'none' : value.toFixed(2);

const FIRST_PROBLEMS = 100;

/** Where calls violate the schema of their tool. */
export function SchemaProblems({ result: { evidence, called } }: Of<'evidence' | 'called'>) {
  const problems = evidence?.schema ?? [];
  if (problems.length === 0) return null;
  const line = ({ called: index, path, problem, message }: (typeof problems)[number], nth: number) => (
    <li key={nth}>
      <UserText text={called[index]?.name ?? ''} max={200} />{' '}
      <code>
        <UserText text={argumentName(path)} max={200} />
      </code>
      : {problem.replaceAll('_', ' ')}. <UserText text={message} />
    </li>
  );
  return (
    <Folded title={`Schema problems (${problems.length})`}>
      {() => (
        <>
          <p className="muted small">Diagnostic only; they do not change the score.</p>
          <ul>{problems.slice(0, FIRST_PROBLEMS).map(line)}</ul>
        </>
      )}
    </Folded>
  );
}

/** The components of a chain's score. */
export function Chain({ result: { evidence, called, overall } }: Of<'evidence' | 'called' | 'overall'>) {
  const chain = evidence?.chain;
  if (!chain) return null;
  const { completion, efficiency, redundancy, detour, hops } = chain;
  return (
    <Folded title={`Chain of ${hops} ${hops === 1 ? 'call' : 'calls'}`}>
      {() => (
        <>
          <p>
            completion {share(completion)} × efficiency {share(efficiency)} − redundancy {share(redundancy)}
            {' − '}detour {share(detour)} = {share(overall)}
          </p>
          <ol>
            {called.slice(0, 100).map(({ name, arguments: given }, index) => (
              <li key={index}>
                <code>
                  <UserText text={name} max={200} />
                </code>
                {given && <JsonView value={given} open={0} />}
              </li>
            ))}
          </ol>
        </>
      )}
    </Folded>
  );
}
