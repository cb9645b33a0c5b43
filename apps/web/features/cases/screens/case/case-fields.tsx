import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import { valueAt } from '../../../../ui/form/edited';
import { CheckField, JsonField, LinesField, LongTextField, NumberField, TextField } from '../../../../ui/form/fields';
import { useForm } from '../../../../ui/form/json-form';
import { CHAIN_KEYS, keysWithoutField, withChain, withConversation } from './case-value';
import { ExpectationFields, type Replace } from './expectation-fields';
import { RuleFields } from './rule-fields';

/** The case of the surrounding form, field by field. */
export function CaseFields({ suiteTools }: { suiteTools: Json }) {
  const { edited, change } = useForm();
  const input: JsonObject = isObject(edited.value) ? edited.value : {};
  const replace: Replace = (next, keys) => {
    const kept = Object.entries(edited.unread).filter(([at]) => !keys.has(at.split('/')[1] ?? ''));
    change({ value: next, unread: Object.fromEntries(kept) });
  };
  const names = toolNames(input.tools ?? suiteTools, suiteTools);
  const beyond = keysWithoutField(input);
  return (
    <>
      <PromptFields input={input} replace={replace} />
      <ExpectationFields input={input} names={names} replace={replace} />
      <RuleFields />
      <ChainFields input={input} replace={replace} />
      <fieldset>
        <legend>About the case</legend>
        <TextField path={['name']} label="Name" maxLength={200} />
        <TextField path={['category']} label="Category" maxLength={200} />
        <LinesField path={['tags']} label="Tags" help="One per line." />
        <CheckField
          path={['draft']}
          label="Draft"
          help="Not reviewed yet; runs skip it."
          checked={input.draft === true}
          onChange={(isDraft) => {
            const { draft: _draft, ...rest } = input;
            change({ ...edited, value: isDraft ? { ...rest, draft: true } : rest });
          }}
        />
      </fieldset>
      {beyond.length > 0 && <p className="muted small">Only in its JSON: {beyond.slice(0, 20).join(', ')}.</p>}
    </>
  );
}

function toolNames(tools: Json, suiteTools: Json): string[] {
  const all = [tools, suiteTools].flatMap((list) => (Array.isArray(list) ? list : []));
  const names = all.map((tool) => (typeof tool === 'string' ? tool : toText(valueAt(tool, ['function', 'name']))));
  return [...new Set(names.filter((name) => name !== ''))];
}

interface FieldsProps {
  input: JsonObject;
  replace: Replace;
}
const PROMPT_KEYS = new Set(['prompt', 'messages']);

function PromptFields({ input, replace }: FieldsProps) {
  const isConversation = input.messages !== undefined;
  return (
    <fieldset>
      <legend>Input</legend>
      <CheckField
        path={['messages']}
        label="Conversation"
        checked={isConversation}
        onChange={(on) => replace(withConversation(input, on), PROMPT_KEYS)}
      />
      {isConversation ? (
        <JsonField
          path={['messages']}
          label="Messages"
          help="A list of messages in the format of OpenAI's chat completions."
          rows={8}
        />
      ) : (
        <LongTextField path={['prompt']} label="Prompt" maxLength={MAX_PROMPT_CHARS} whenEmpty="" />
      )}
    </fieldset>
  );
}

function ChainFields({ input, replace }: FieldsProps) {
  const isChain = input.multi_turn === true;
  return (
    <fieldset>
      <legend>Chain of calls</legend>
      <CheckField
        path={['multi_turn']}
        label="The model may call other tools first"
        checked={isChain}
        onChange={(on) => replace(withChain(input, on), CHAIN_KEYS)}
      />
      {isChain && (
        <>
          <div className="side-by-side">
            <NumberField path={['max_rounds']} label="Maximum requests" help="Empty: 5." />
            <NumberField path={['optimal_hops']} label="Optimal calls" help="Extra calls lower the score." />
          </div>
          <LinesField
            path={['valid_prerequisites']}
            label="Allowed prerequisite tools"
            help="One per line. Empty: all. Each call of another tool costs 0.1."
          />
          <JsonField
            path={['mock_responses']}
            label="Mock responses"
            help='By tool name: one response, a list, or [{"when": ..., "respond": ...}]. Default: {"status": "ok"}.'
            isOptional
            rows={6}
          />
        </>
      )}
    </fieldset>
  );
}
