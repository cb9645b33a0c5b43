import { RESULT_EXAMPLES } from './result-examples.js';

const TARGETS = ['simulator::perfect-ish', 'simulator::loose-json'];
const caseId = '019aa8a2-5c1e-7000-8000-000000000021';

const group = {
  id: '1-1',
  error_type: 'wrong_argument',
  expected_tool: 'get_weather',
  called_tool: 'get_weather',
  argument: '/unit',
  count: 14,
  by_target: [12, 2],
  example: '0-1-0',
};
const runCase = {
  case_id: caseId,
  position: 1,
  case_name: 'Tokyo in Fahrenheit',
  prompt: 'How warm is it in Tokyo, in Fahrenheit?',
  category: 'current',
  cells: [
    { scored: 3, passed: 0, errored: 0, mean: 0.8 },
    { scored: 2, passed: 2, errored: 1, mean: 1 },
  ],
};

export const RUN_FACETS_EXAMPLES = {
  FailureGroup: { 'A wrong argument': group },
  RunCase: { 'Two models differ': runCase },
  DrawnResults: {
    'One result': { items: [{ ...RESULT_EXAMPLES.Result['A missing argument'], evidence: null, metrics: {} }] },
  },
  Counting: { 'A run that ended before': { status: 'counting' } },
  RunFacets: {
    'Two models and three cases': {
      targets: TARGETS,
      totals: [
        [2, 1, 0],
        [2, 0, 1],
      ],
      error_type: {
        values: [
          {
            value: 'none',
            by_target: [
              [2, 0, 0],
              [2, 0, 0],
            ],
          },
          {
            value: 'errored',
            by_target: [
              [0, 0, 0],
              [0, 0, 1],
            ],
          },
          {
            value: 'wrong_argument',
            by_target: [
              [0, 1, 0],
              [0, 0, 0],
            ],
          },
        ],
        others: 0,
      },
      category: {
        values: [
          {
            value: 'current',
            by_target: [
              [1, 1, 0],
              [1, 0, 1],
            ],
          },
        ],
        others: 0,
      },
      expected_tool: {
        values: [
          {
            value: 'get_weather',
            by_target: [
              [2, 1, 0],
              [2, 0, 1],
            ],
          },
        ],
        others: 0,
      },
      called_tool: {
        values: [
          {
            value: 'get_weather',
            by_target: [
              [2, 1, 0],
              [2, 0, 0],
            ],
          },
        ],
        others: 0,
      },
      format: {
        values: [
          {
            value: 'native',
            by_target: [
              [2, 1, 0],
              [0, 0, 0],
            ],
          },
          {
            value: 'repaired',
            by_target: [
              [0, 0, 0],
              [2, 0, 0],
            ],
          },
        ],
        others: 0,
      },
      syntax: {
        values: [
          {
            value: 'hermes',
            by_target: [
              [0, 0, 0],
              [2, 0, 0],
            ],
          },
        ],
        others: 0,
      },
      tag: {
        values: [
          {
            value: 'enum',
            by_target: [
              [0, 1, 0],
              [0, 0, 1],
            ],
          },
        ],
        others: 0,
      },
      latency_ms: [
        {
          from: 317,
          to: 421,
          by_target: [
            [2, 1, 0],
            [2, 0, 0],
          ],
        },
      ],
      overall: [
        {
          from: 0,
          to: 0,
          by_target: [
            [0, 0, 0],
            [0, 0, 0],
          ],
        },
        {
          from: 1,
          to: 1,
          by_target: [
            [2, 0, 0],
            [2, 0, 0],
          ],
        },
      ],
      counted_at: '2026-11-20T10:00:31.000Z',
    },
  },
  Confusion: {
    'Two tools': {
      expected: ['get_weather', '(none)'],
      called: ['get_weather', 'get_time', '(none)'],
      cells: [
        [97, 2, 1, 0],
        [4, 0, 16, 0],
        [0, 0, 0, 0],
      ],
      other_expected: 0,
      other_called: 0,
    },
  },
  FailureGroups: {
    'One group': {
      targets: TARGETS,
      items: [group],
      others: { groups: 0, results: 0 },
    },
  },
  RunCases: {
    'A case on which two models differ': {
      targets: TARGETS,
      total: 1,
      items: [runCase],
      next_cursor: null,
    },
  },
};
