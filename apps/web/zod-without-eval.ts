// zod compiles its schemas with `new Function` where it can. The page's policy forbids that, and each try would be
// reported as a violation. This is the first import of main.tsx.
import { config } from 'zod';

config({ jitless: true });
