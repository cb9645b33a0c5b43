// The models of the simulator that take part.
export const GOOD = 'simulator::perfect-ish';
export const CARELESS = 'simulator::careless-arguments';
export const JUDGE = 'simulator::judge:right';
export const META = 'simulator::meta:weather';

export const MODELS = [
  { id: 'perfect-ish', name: 'Perfect-ish', input_cost_per_mtok: 0.25, output_cost_per_mtok: 2 },
  { id: 'careless-arguments', input_cost_per_mtok: 0.25, output_cost_per_mtok: 2 },
  { id: 'judge:right', input_cost_per_mtok: 1, output_cost_per_mtok: 1 },
  { id: 'meta:weather', input_cost_per_mtok: 1, output_cost_per_mtok: 1 },
  { id: 'prompt-sensitive:weather', input_cost_per_mtok: 0.25, output_cost_per_mtok: 2 },
  { id: 'param-sensitive', input_cost_per_mtok: 0.25, output_cost_per_mtok: 2 },
  { id: 'embeddings' },
  ...[
    'json-in-content',
    'malformed-json',
    'wrong-tool',
    'no-required',
    'bad-request',
    'content-filter',
    'slow-400',
    'redirect',
    'follows-rules',
    'claims-success',
  ].map((id) => ({ id })),
  { id: 'host:openai', input_cost_per_mtok: 1, output_cost_per_mtok: 1 },
  { id: 'scripted:odd' },
  { id: 'scripted:many' },
];
