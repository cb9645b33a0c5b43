import { exampleSuite } from './example-suite.js';
import {
  EXAMPLE_IDS,
  at,
  chain,
  conversation,
  expectedCall,
  idOf,
  message,
  noCall,
  oneCall,
  paris,
  scoringConfig,
  scoringOfAll,
  severalCalls,
  suite,
  suiteSettings,
  target,
  tool,
} from './example-values.js';
import { withUnits } from './mcp-examples.js';

const bfclQuestion =
  '{"id": "simple_0", "question": [[{"role": "user", "content": "Weather in Paris?"}]], "function": ' +
  '[{"name": "get_weather", "description": "Weather of a city", "parameters": {"type": "dict", ' +
  '"properties": {"city": {"type": "string"}}, "required": ["city"]}}]}';
const bfclAnswer = '{"id": "simple_0", "ground_truth": [{"get_weather": {"city": ["Paris"]}}]}';
/** Examples of formats other than JSON that can be imported unchanged. */
export const CSV_EXAMPLE =
  'prompt,expected_tool,expected_params\nWhat is the weather in Paris?,get_weather,"{""city"": ""Paris""}"\n';
export const JSONL_EXAMPLE =
  '{"prompt": "What is the weather in Paris?", "expected_tool": "get_weather", "expected_params": {"city": "Paris"}}\n';
export const YAML_EXAMPLE =
  'name: Weather\ntools:\n- type: function\n  function: { name: get_weather }\ntest_cases:\n- { ' +
  'prompt: What is the weather in Paris?, expected_tool: get_weather }\n';

const slip = 'The case, /expected_params/ctiy: "get_weather" has no parameter "ctiy"; is "city" meant?';

const cases = {
  'One call': paris,
  'Several calls': { id: idOf(24), position: 3, ...severalCalls },
  'A conversation': { id: idOf(25), position: 4, ...conversation },
  'A chain': { id: idOf(26), position: 5, ...chain },
  'A draft that expects no call': {
    id: idOf(27),
    position: 6,
    ...noCall,
    ...oneCall,
    expected_tool: null,
    expected_params: null,
  },
};

const { tools: _tools, system_prompt: _prompt, ...suiteHead } = suite;
const lastRun = {
  id: EXAMPLE_IDS.run,
  status: 'completed',
  created_at: at('09:30:00'),
  finished_at: at('09:31:00'),
  top: { target, overall: 0.9, overall_ci: [0.41, 0.98], scored: 2, errored: 1 },
};
const versionHead = { version: 3, pinned_at: at('09:30:00'), runs: 2, is_current: true };

const VERSION_EXAMPLES = {
  SuiteHead: { 'A suite and its last run': { ...suiteHead, tools_count: suite.tools.length, last_run: lastRun } },
  SuiteVersionHead: { 'The present version': versionHead },
  SuiteVersion: {
    'The present version': { ...versionHead, suite_id: suite.id, ...suiteSettings, test_cases_count: 3 },
  },
  SuiteChanges: {
    'Three changes': {
      from: 2,
      to: 3,
      settings: [{ path: '/pass_threshold', a: 0.8, b: 1 }],
      tools: { added: ['get_forecast'], removed: ['get_news'], changed: ['get_weather'] },
      cases: {
        added: 0,
        removed: 0,
        changed: 1,
        items: [
          {
            kind: 'changed',
            case_id: paris.id,
            name: paris.name,
            prompt: paris.prompt,
            fields: ['expected_params'],
          },
        ],
      },
    },
  },
};

export const SUITE_EXAMPLES = {
  ...VERSION_EXAMPLES,
  Tool: { 'A function': tool, 'A function of an MCP server': withUnits },
  Message: { 'A user message': message },
  ScoringConfig: { 'A rule for one argument': scoringConfig, 'A rule for all': scoringOfAll },
  ExpectedCall: { 'One of several calls': expectedCall },
  CaseInput: {
    'One call': oneCall,
    'Several calls': severalCalls,
    'A conversation': conversation,
    'A chain': chain,
    'No call': noCall,
  },
  Case: cases,
  SuiteInput: { 'A suite': suiteSettings },
  SuitePatch: { 'Another threshold': { pass_threshold: 0.8 }, 'All fields': suiteSettings },
  SuiteReplacement: {
    'Another name and other tools': { name: suiteSettings.name, tools: suiteSettings.tools },
    Everything: suiteSettings,
    'Without a system prompt': { ...suiteSettings, system_prompt: null },
  },
  SuiteFile: { 'A suite with its cases': exampleSuite },
  CaseWritten: Object.fromEntries(Object.entries(cases).map(([title, one]) => [title, { ...one, warnings: [slip] }])),
  CasesWritten: { 'One case': { ...paris, warnings: [slip] }, 'Several cases': { items: [paris], warnings: [] } },
  CasesInput: {
    'One case': oneCall,
    'Several cases': [severalCalls, chain],
    'Several cases in an object': { cases: [noCall] },
  },
  ImportBody: {
    'A suite': exampleSuite,
    'CSV, with ?format=csv': {
      text: CSV_EXAMPLE,
      name: 'Weather',
      description: 'Out of a spreadsheet',
      system_prompt: 'You help people with the weather.',
      pass_threshold: 1,
      tools: exampleSuite.tools,
    },
    'BFCL, with ?format=bfcl': { text: bfclQuestion, possible_answers: bfclAnswer },
  },
  Suite: { 'A suite': suite },
  SuiteWritten: {
    'A suite': {
      ...suite,
      warnings: [
        'The tool (get_weather) came in the shape of Anthropic (input_schema), and is kept in that ' +
          "of OpenAI's chat completions.",
      ],
    },
  },
  SuiteWithCases: { 'A suite with its cases': { ...suite, test_cases_count: 1, test_cases: [paris] } },
  ImportAnswer: {
    'A new suite': {
      suite_id: EXAMPLE_IDS.suite,
      test_cases_created: 3,
      warnings: ['Line 4: "weight" is no field of a case, and is left out.'],
    },
    'A dry run': { suite_id: null, test_cases_created: 3, warnings: [], dry_run: true, preview: exampleSuite },
  },
};
