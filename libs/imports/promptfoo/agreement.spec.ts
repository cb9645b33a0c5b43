import { disagreements, readConfigurations } from './testing/agreement.js';

const configurations = readConfigurations();
const constructs = [...new Set(configurations.map(({ construct }) => construct))];

describe('a promptfoo configuration has the same meaning as in promptfoo, or a warning names the difference', () => {
  it.each(constructs)('%s', async (construct) => {
    const found = [];
    for (const one of configurations.filter((other) => other.construct === construct)) {
      const differences = await disagreements(one);
      if (differences.length > 0) found.push({ config: JSON.stringify(one.config), differences });
    }
    expect(found).toEqual([]);
  });
});
