import { AllowedButton } from '../allowed-button';
import type { Draft } from '../draft';
import { ErrorNotice } from '../error-notice';

interface Props {
  /** The button's label. */
  action: string;
  /** Why the user may not submit the form. */
  refusal: string | undefined;
  /** It is incomplete, or it is being sent. */
  isWaiting: boolean;
  /** The error of the submission, until the input changes. */
  error: Error | null;
  draft: Pick<Draft<unknown>, 'isChanged' | 'clear'>;
}

/** Submits the form around it, or discards the input. */
export const SubmitBar = ({ action, refusal, isWaiting, error, draft }: Props) => (
  <>
    {error && <ErrorNotice error={error} />}
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
