import { readdirSync } from 'node:fs';
import { z } from 'zod';
import { EXAMPLES } from './examples.js';
import { PROBLEM_EXAMPLES } from './problem-examples.js';
import { Problem } from '../input/problem.js';

const KINDS = ['gate', 'param-tune', 'prompt-tune', 'judge', 'tuning'];
const files = ['contracts', 'contracts/input']
  .flatMap((folder) => readdirSync(`libs/${folder}`).map((name) => `${folder}/${name}`))
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
  .concat(KINDS.map((kind) => `${kind}/contract.ts`));
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

  it('are what the schema allows: problems', () => {
    for (const [status, value] of Object.entries(PROBLEM_EXAMPLES))
      expect(Problem.parse(value)).toMatchObject({ status: Number(status) });
  });
});
