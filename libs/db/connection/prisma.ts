import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/client.js';
import { CONNECTION_OPTIONS, withSettings } from './pool.js';

export type Prisma = PrismaClient;

/** Reads and writes single rows. Transitions of a run go through the pool (libs/db/engine). */
export const createPrisma = (databaseUrl: string, max: number): Prisma =>
  new PrismaClient({
    adapter: new PrismaPg({ ...CONNECTION_OPTIONS, connectionString: withSettings(databaseUrl), max }),
  });
