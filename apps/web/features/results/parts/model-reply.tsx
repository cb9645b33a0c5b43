import { useId } from 'react';
import { failedBody } from '#lib/contracts/failed-body';
import type { ResultWithExchange } from '../api/results';
import { Folded } from '../../../ui/folded';
import { UserText, UserBlock } from '../../../ui/user-text';

const FIRST_ROUNDS = 100;

interface Props {
  result: Pick<ResultWithExchange, 'said' | 'outcome' | 'exchange'>;
  /** Whose result it is, if there are several in one view. */
  of?: string;
}

/** The model's texts, round by round; or the response that was not a reply, as far as this user may see it. */
export function ModelReply({ result: { said, outcome, exchange }, of }: Props) {
  const titleId = useId();
  const body = outcome === 'errored' ? failedBody(exchange) : null;
  if (outcome === 'errored' && body === null) return null;
  const title = body === null ? 'Model reply' : 'Response';
  return (
    <section aria-labelledby={of === undefined ? titleId : undefined}>
      {of === undefined ? <h2 id={titleId}>{title}</h2> : <h4>{title}</h4>}
      {body !== null && <Folded title="Body of the last response">{() => <UserBlock text={body} code />}</Folded>}
      {body === null && said.length === 0 && <p className="muted">No longer stored.</p>}
      {said.slice(0, FIRST_ROUNDS).map((reply, index) => (
        <div key={index}>
          {said.length > 1 && <p className="muted small">Round {index + 1}</p>}
          <Reply reply={reply} />
        </div>
      ))}
    </section>
  );
}

function Reply({
  reply: { text, thoughts, refusal, finish_reason: reason },
}: {
  reply: ResultWithExchange['said'][number];
}) {
  return (
    <>
      {text === null ? <p className="muted">No text.</p> : <UserBlock text={text} />}
      {refusal !== null && (
        <>
          <p className="muted small">Refusal</p>
          <UserBlock text={refusal} />
        </>
      )}
      {thoughts !== null && <Folded title="Thoughts">{() => <UserBlock text={thoughts} />}</Folded>}
      <p className="muted small">
        Finish reason: {reason === null ? 'none given' : <UserText text={reason} max={100} />}
      </p>
    </>
  );
}
