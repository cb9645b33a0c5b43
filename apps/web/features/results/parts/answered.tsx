import type { ResultWithExchange } from '../api';
import { Calls } from './calls';
import { Goal } from './goal';
import { PlayedConversation } from './played-conversation';
import { ModelReply } from './result-details';

interface Props {
  result: Pick<
    ResultWithExchange,
    'expected' | 'called' | 'evidence' | 'outcome' | 'said' | 'exchange' | 'conversation'
  >;
  /** Whose result it is, if there are several in one view. */
  of?: string;
  /** Whether expected calls are left out where there is no reply. */
  isOnlyAnswered?: boolean;
}

/** What was expected and what the model did: calls and a reply, or a conversation with its goal. */
export function Answered({ result, of, isOnlyAnswered = false }: Props) {
  const { evidence, outcome, conversation } = result;
  const isConversation = evidence?.conversation !== undefined || conversation !== undefined;
  const isErrored = outcome === 'errored';
  return (
    <>
      <Goal result={result} of={of} />
      {!(isErrored && (isOnlyAnswered || isConversation)) && <Calls result={result} of={of} />}
      {isConversation && <PlayedConversation result={result} of={of} />}
      {(!isConversation || isErrored) && <ModelReply result={result} of={of} />}
    </>
  );
}
