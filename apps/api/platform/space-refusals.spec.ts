import fastifyOf, { type FastifyInstance } from 'fastify';
import { spaceRefusals } from './space-refusals.js';

describe('refusals of a team', () => {
  let fastify: FastifyInstance;
  beforeEach(() => {
    fastify = fastifyOf();
    fastify.addHook('onRequest', async (request) =>
      Object.assign(request, { caller: { teamId: request.headers['x-team'] } }),
    );
    spaceRefusals(fastify);
    fastify.get('/:status', (request, reply) => reply.status(Number((request.params as any).status)).send('said'));
  });
  afterEach(() => fastify.close());

  const answered: string[] = [];
  const ask = async (team: string, status = 429): Promise<void> => {
    const answer = await fastify.inject({ url: `/${status}`, headers: { 'x-team': team } });
    answered.push(`${team} ${answer.statusCode} ${answer.body}`);
  };

  it('are spaced out, and neither its other answers nor another team wait for them', async () => {
    await Promise.all([...Array.from({ length: 10 }, () => ask('loud')), ask('loud', 200), ask('calm')]);
    expect(answered).toHaveLength(12);
    expect(answered.indexOf('loud 200 said')).toBeLessThan(answered.lastIndexOf('loud 429 said'));
    expect(answered.indexOf('calm 429 said')).toBeLessThan(answered.lastIndexOf('loud 429 said'));
    expect(answered.slice(0, 3).sort()).toEqual(['calm 429 said', 'loud 200 said', 'loud 429 said']);
  });
});
