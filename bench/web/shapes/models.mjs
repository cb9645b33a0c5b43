// The simulated models of the shapes: how good each is, what it costs, and how long it takes.

const SIXTY = 60;
const PREFIX = 'accounts/fireworks-enterprise/models/';
const FAMILIES = ['llama-v4-maverick', 'qwen3-coder', 'deepseek-v3p2', 'gpt-oss', 'glm-5', 'kimi-k3', 'mistral-large'];
const SIZES = ['4b', '8b', '14b', '32b', '70b', '120b', '235b', '405b', '1t'];
const RIGHT_TO_LEFT = [
  'דגם שפה גדול 70B (מהדורה 2)',
  'نموذج لغوي كبير 120B',
  'דגם קטן ומהיר',
  'نموذج سريع instruct-v2',
];
const LONG = 'instruct-distilled-quantized-awq-int4-long-context-128k-tool-calling-preview-';
/** Chances of prompts are drawn by seed, so models of a seed fail the same cases. */
const SEEDS = 7;

/** Sixty models from bad, cheap and fast to good, dear and slow, with exceptions, as in real lists. */
export const sixtyModels = Array.from({ length: SIXTY }, (_, n) => {
  const size = n / (SIXTY - 1);
  const luck = ((n * 37) % 17) / 17 - 0.5;
  const latency = Math.round(50 * 400 ** Math.min(1, Math.max(0, size + 0.3 * (((n * 23) % 11) / 11 - 0.5))));
  const slug = `${FAMILIES[n % FAMILIES.length]}-${SIZES[Math.floor(size * (SIZES.length - 1))]}-${n}`;
  const isLong = n % 15 === 7;
  const id = `prompt-sensitive@${latency}:${PREFIX}${slug}${isLong ? `-${LONG.repeat(3)}` : ''}`.slice(0, 200);
  const price = n % 20 === 0 ? 0 : n % 20 === 11 ? null : Number((0.02 * 3750 ** (size * 0.9 + 0.1 * luck)).toFixed(3));
  return {
    base: Math.min(0.985, Math.max(0.04, 0.25 + 0.62 * size ** 0.6 + 0.35 * luck)),
    seed: n % SEEDS,
    model: {
      id,
      name:
        n % 15 === 3
          ? RIGHT_TO_LEFT[Math.floor(n / 15)]
          : `${PREFIX}${slug}${isLong ? `-${LONG.repeat(3)}` : ''}`.slice(0, 200),
      input_cost_per_mtok: price,
      output_cost_per_mtok: price === null ? null : Math.min(75, Number((price * 4).toFixed(3))),
    },
  };
});

export const FALLING = 'prompt-sensitive:nightly-mini';
const own = (id, base, seed, price) => ({
  base,
  seed,
  model: { id: `prompt-sensitive:${id}`, input_cost_per_mtok: price, output_cost_per_mtok: price * 4 },
});
export const nightModels = [
  own('nightly-large', 0.93, 1, 5),
  own('nightly-mini', 0.86, 2, 0.4),
  own('nightly-nano', 0.62, 3, 0.1),
];
export const sixModels = ['aurora', 'borealis', 'cirrus', 'dune', 'ember', 'fjord'].map((name, n) =>
  own(name, 0.97 - 0.13 * n, n % 3, 3 / 2 ** n),
);
export const twoModels = [own('steady', 0.9, 4, 2), own('hasty', 0.45, 5, 0.3)];

const taught = [...sixtyModels, ...nightModels, ...sixModels, ...twoModels];

/** Tells the simulator how good its models are; it forgets that at its end. */
export async function teach(simulator) {
  for (const { base, seed, model } of taught) await setBase(simulator, model.id, { base, seed });
}

async function setBase(simulator, id, { base, seed }) {
  const path = `prompt-sensitive/${encodeURIComponent(id)}`;
  const response = await fetch(`${simulator}/control/${path}`, {
    method: 'POST',
    body: JSON.stringify({ base, seed, rules: [] }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}
