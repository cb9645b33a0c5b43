import type { z } from 'zod';
import type { SignInOptions } from '#lib/contracts/people';
import { readQuery } from '../../api/client';
import { keys } from '../../api/keys';

/** Where people sign in, besides with a token. */
export const waysQuery = readQuery<z.infer<typeof SignInOptions>>(keys.signIn, '/api/sign-in');
