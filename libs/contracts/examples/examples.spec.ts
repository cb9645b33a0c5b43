import { existsSync, readdirSync } from 'node:fs';
import { z } from 'zod';
import { EXAMPLES, PROBLEM_EXAMPLES } from './examples.js';
import { Problem } from '../input/problem-document.js';

const own = ['contracts', 'contracts/input'].flatMap((folder) =>
  readdirSync(`libs/${folder}`).map((name) => `${folder}/${name}`),
);
const ofKinds = readdirSync('libs').map((folder) => `${folder}/contract.ts`);
const files = [...own, ...ofKinds.filter((name) => existsSync(`libs/${name}`))].filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'),
);
const modules = await Promise.all(
  files.map((name) => import(`../../${name.replace(/\.ts$/, '.js')}`) as Promise<Record<string, unknown>>),
);
const schemas = new Map(
  modules
    .flatMap((module) => Object.values(module))
    .flatMap((schema): [string, z.ZodType][] => {
      const id = schema instanceof z.ZodType ? schema.meta()?.id : undefined;
      return id === undefined ? [] : [[id, schema as z.ZodType]];
    }),
);

describe('the examples of /docs', () => {
  it.each(
    Object.entries(EXAMPLES).flatMap(([name, examples]) =>
      Object.entries(examples).map(([title, value]) => ({ name, title, value })),
    ),
  )('are what the schema allows: $name, $title', ({ name, value }) => {
    expect(schemas.get(name)?.safeParse(value)).toMatchObject({ success: true });
  });

  it('show which replies are those of the rounds of a chain', () => {
    expect(Object.values(EXAMPLES.ResultWithExchange!)).toContainEqual(
      expect.objectContaining({ exchange: expect.objectContaining({ rounds: [0] }) }),
    );
  });

  it('are what the schema allows: problems', () => {
    for (const [status, value] of Object.entries(PROBLEM_EXAMPLES))
      expect(Problem.parse(value)).toMatchObject({ status: Number(status) });
  });
});
