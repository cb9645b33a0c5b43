import { fileURLToPath } from 'node:url';

/** The prisma/ folder: next to libs/ for the sources, one level further up for dist/. */
export const prismaFolder = (): string =>
  fileURLToPath(
    new URL(import.meta.url.includes('/dist/') ? '../../../../prisma' : '../../../prisma', import.meta.url),
  );
