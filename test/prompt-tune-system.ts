import type { Job } from '#lib/contracts/job';
import type { PromptCandidate, PromptTune } from '#lib/prompt-tune/contract';
import { joinSystem, type TeamSystem } from './system.js';
import { untilJobEnded } from './until-ended.js';

export const ROUTE = '/api/tool-eval/prompt-tune';

const TOOLS = [
  { name: 'get_weather', description: 'Get the weather of a city', parameter: 'city', value: 'Paris' },
  { name: 'set_alarm', description: 'Set an alarm', parameter: 'time', value: '07:30' },
  { name: 'play_song', description: 'Play a song', parameter: 'title', value: 'Yesterday' },
] as const;
const PROMPTS = [
  (word: string) => `What is the weather in Paris? ${word}`,
  (word: string) => `Set an alarm for 07:30 ${word}`,
  (word: string) => `Please play the song "Yesterday" now ${word}`,
];

/** A word that is unique to one case. */
const wordOf = (position: number): string => `word${String.fromCharCode(97 + (position % 26))}x${position}q`;

/** A suite with three tools, and a unique word in every case. */
export const songSuite = (cases: number, promptOf?: (n: number) => string) => ({
  name: 'Weather, alarms, songs',
  system_prompt: 'You help with small things.',
  tools: TOOLS.map(({ name, description, parameter }) => ({
    type: 'function',
    function: {
      name,
      description,
      parameters: { type: 'object', properties: { [parameter]: { type: 'string' } }, required: [parameter] },
    },
  })),
  test_cases: Array.from({ length: cases }, (_, n) => {
    const { name, parameter, value } = TOOLS[n % TOOLS.length]!;
    return {
      prompt: promptOf?.(n) ?? PROMPTS[n % PROMPTS.length]!(wordOf(n)),
      expected_tool: name,
      expected_params: { [parameter]: value },
    };
  }),
});

/** The phrases that help the model `prompt-sensitive`, and where. */
export const PHRASES = [
  { component: 'system_prompt', where: 'system', phrase: 'Call one tool at once.', when: null, gain: 0.3 },
  {
    component: 'tools/get_weather/description',
    where: 'tools/get_weather',
    phrase: 'Name the place.',
    when: 'weather',
    gain: 0.4,
  },
  {
    component: 'tools/set_alarm/description',
    where: 'tools/set_alarm',
    phrase: 'Write the hour in full.',
    when: 'alarm',
    gain: 0.4,
  },
] as const;

/** Whether texts have a helpful phrase. */
export const has = (texts: Record<string, string>, { component, phrase }: (typeof PHRASES)[number]): boolean =>
  texts[component]!.includes(phrase);

/**
 * A team in a shared system, with a suite of 60 cases, models that follow their prompts, and meta models that know the
 * helpful phrases.
 */
export const joinPromptTuneSystem = async (names: readonly string[]) => readyForPromptTunes(await joinSystem(), names);

/**
 * Adds the suite and the models to a system.
 * @param key of the provider
 * @param metaMs latency of each meta model's reply
 */
export async function readyForPromptTunes<Of extends TeamSystem>(
  system: Of,
  names: readonly string[],
  { key = 'sim', metaMs = 0 } = {},
) {
  const metaOf = (name: string): string => (metaMs > 0 ? `meta@${metaMs}:${name}` : `meta:${name}`);
  const models = names.flatMap((name) => [{ id: `prompt-sensitive:${name}` }, { id: metaOf(name) }]);
  await system.client.post('/api/providers', { key, base_url: `${system.simulator.url}/v1`, models });
  const suiteId: string = await system.client.importSuite(songSuite(60));
  const get = async (path: string) => (await system.client.get(path)).body;
  const control = async (path: string, body?: object): Promise<any> => {
    const init = body && { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${system.simulator.url}/control/${path}`, init);
    expect(response.status).toBe(200);
    return response.json();
  };
  /** The bodies of the requests to a meta model. */
  const metaRequests = async (name: string): Promise<any[]> =>
    (await control(`requests?model=${encodeURIComponent(metaOf(name))}`)).items;
  for (const name of names) {
    const rules = PHRASES.map(({ component: _component, ...rule }) => rule);
    await control(`prompt-sensitive/${name}`, { base: 0.2, rules });
    await control(`meta/${metaOf(name)}`, {
      rules: PHRASES.map(({ component, phrase }) => ({ when: component, append: phrase })),
      otherwise: 'Take care.',
    });
  }
  return {
    ...system,
    suiteId,
    get,
    control,
    async submit(name: string, more: object = {}): Promise<{ tune_id: string; job_id: string }> {
      const input = {
        suite_id: suiteId,
        models: [`${key}::prompt-sensitive:${name}`],
        meta_model: `${key}::${metaOf(name)}`,
        ...more,
      };
      const { status, body } = await system.client.post(ROUTE, input);
      expect({ status, body }).toMatchObject({ status: 202, body: { status: 'submitted' } });
      return body;
    },
    tune: (id: string): Promise<PromptTune> => get(`${ROUTE}/history/${id}`),
    candidates: async (id: string): Promise<PromptCandidate[]> =>
      (await get(`${ROUTE}/history/${id}/candidates?limit=200`)).items,
    ended: (jobId: string): Promise<Job> => untilJobEnded(system.client, jobId, 120_000),
    metaRequests,
    /** The number of cases whose words occur in the requests to the meta model, by the purpose of the cases. */
    async wordsShown(name: string, tuneId: string): Promise<Record<string, number>> {
      const { rows } = await system.sql.query('SELECT input FROM orchestration WHERE id = $1', [tuneId]);
      const { reflect, select, heldOut } = JSON.parse(rows[0].input) as Record<string, number[]>;
      const requests = (await metaRequests(name)).map((body) => JSON.stringify(body));
      const shown = (positions: number[]): number =>
        positions.filter((position) => requests.some((text) => text.includes(wordOf(position)))).length;
      return { reflect: shown(reflect!), select: shown(select!), heldOut: shown(heldOut!) };
    },
  };
}
