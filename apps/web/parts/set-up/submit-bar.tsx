import { AllowedButton } from '../allowed-button';
import type { Draft } from '../draft';
import { Failed } from '../failed';

interface Props {
  /** The words of the button. */
  action: string;
  /** Why the user may not send it. */
  refusal: string | undefined;
  /** It is not whole, or it is being sent. */
  isWaiting: boolean;
  /** What is wrong with what was sent, as long as nothing else is typed. */
  error: Error | null;
  draft: Pick<Draft<unknown>, 'isChanged' | 'clear'>;
}

/** Sends the form that it stands in, or throws away what was typed. */
export const SubmitBar = ({ action, refusal, isWaiting, error, draft }: Props) => (
  <>
    {error && <Failed error={error} />}
    <div className="actions">
      <AllowedButton type="submit" className="primary" refusal={refusal} disabled={isWaiting}>
        {action}
      </AllowedButton>
      {draft.isChanged && (
        <button type="button" onClick={draft.clear}>
          Start over
        </button>
      )}
    </div>
  </>
);
