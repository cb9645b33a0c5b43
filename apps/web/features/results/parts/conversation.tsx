import { isObject } from '#lib/contracts/json/json';
import { JsonView } from '../../../ui/json-view';
import { UserBlock, UserText } from '../../../ui/user-text';
import css from './results.module.css';

const FIRST_MESSAGES = 100;

/** The messages sent to a model. */
export function Conversation({ messages }: { messages: readonly unknown[] }) {
  return (
    <div className={css.conversation} tabIndex={0} role="group" aria-label="Conversation">
      {messages.slice(0, FIRST_MESSAGES).map((message, index) => (
        <Message key={index} message={message} />
      ))}
      {messages.length > FIRST_MESSAGES && <p className="muted">{messages.length - FIRST_MESSAGES} more messages.</p>}
    </div>
  );
}

function Message({ message }: { message: unknown }) {
  if (!isObject(message) || typeof message.role !== 'string') return <JsonView value={message} />;
  const { role, content, ...rest } = message;
  return (
    <div className={css.message}>
      <div className="muted small">
        <UserText text={role} max={50} />
      </div>
      {typeof content === 'string' && <UserBlock text={content} />}
      {content != null && typeof content !== 'string' && <JsonView value={content} />}
      {Object.keys(rest).length > 0 && <JsonView value={rest} />}
    </div>
  );
}
