import { EXAMPLE_IDS, tool } from './example-values.js';

const mcpServer = {
  name: 'weather-server',
  version: '1.4.0',
  protocol_version: '2025-06-18',
  transport: 'streamable-http',
  instructions: 'Ask for one city at a time.',
};
const mcpTool = {
  name: 'get_weather',
  title: 'Weather',
  description: 'Get current weather for a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  annotations: { readOnlyHint: true },
};
const leftOut = { name: 'get_tides', reason: 'it has no "inputSchema".' };
const mcpAsked = {
  url: 'https://mcp.example.com/mcp',
  headers: { Authorization: 'Bearer a-token-of-the-server' },
  transport: 'auto',
};
const concerned = [{ id: EXAMPLE_IDS.case, position: 0, name: 'Paris now' }];
export const withUnits = {
  ...tool,
  annotations: { readOnlyHint: true },
  function: { ...tool.function, strict: false },
};

export const MCP_EXAMPLES = {
  McpDiscoverInput: { 'A server that needs a token': mcpAsked },
  McpTool: { 'A tool': mcpTool },
  LeftOutTool: { 'A tool without a schema': leftOut },
  McpServer: { 'A server': mcpServer },
  McpDiscovered: {
    'A server with a tool': {
      server: mcpServer,
      tools: [mcpTool],
      left_out: [leftOut],
      warnings: [
        'The tool "search!" is named "search_" here.',
        'The tool "get_tides" is left out: it has no "inputSchema".',
      ],
    },
  },
  McpImportInput: {
    'Some tools of a server': {
      ...mcpAsked,
      tool_names: ['get_weather'],
      suite_name: 'Weather tools',
      use_instructions: true,
      generate_cases: true,
    },
    'Tools that were discovered before': { tools: [mcpTool], suite_name: 'Weather tools' },
  },
  McpImportAnswer: {
    'A new suite': {
      suite_id: EXAMPLE_IDS.suite,
      tools_created: 1,
      test_cases_created: 1,
      server: mcpServer,
      warnings: ["The server's instructions are the system prompt of the suite."],
    },
  },
  McpSyncInput: { 'A server that needs a token': mcpAsked },
  McpSyncAnswer: {
    'One of each': {
      server: mcpServer,
      added: [{ name: 'get_forecast', tool: { ...tool, function: { name: 'get_forecast' } } }],
      removed: [{ name: 'get_tides', cases: concerned }],
      changed: [{ name: 'get_weather', fields: ['description'], before: tool, after: withUnits, cases: concerned }],
      applied: false,
      version: 3,
      warnings: [],
    },
  },
};
