import { ParamsField, RequestFields } from '../../parts/search-fields';
import { SystemPrompt } from '../../../runs/parts/system-prompt';

/** The baseline settings of a tune. */
export const BaseFields = () => (
  <fieldset>
    <legend>Base</legend>
    <p className="muted small">
      Your current settings. They are one of the combinations, and the others are compared with them.
    </p>
    <RequestFields at={['base']} />
    <SystemPrompt path="base.system_prompt" />
    <ParamsField at={['base']} />
  </fieldset>
);
