import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/client.js';
import { CONNECTION_OPTIONS } from './pool.js';

export type Prisma = PrismaClient;

/** For reading and writing single rows. What takes part in a run's transitions goes through the pool. */
export const createPrisma = (databaseUrl: string, max: number): Prisma =>
  new PrismaClient({ adapter: new PrismaPg({ ...CONNECTION_OPTIONS, connectionString: databaseUrl, max }) });
