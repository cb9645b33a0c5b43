import { createContext, Suspense, use, type ReactNode } from 'react';
import type { Facts } from '#lib/contracts/input/problem';

export interface Coded {
  code: string;
  params: Facts;
}

/** What the features offer for a code. The frame of the page provides it, since `ui` knows no feature. */
export const ActContext = createContext<(coded: Coded) => ReactNode>(() => null);

/** A button or a link that does what a problem or a note asks for; nothing where there is none. */
export function WayOut({ code, params = {} }: Partial<Coded>) {
  const actOf = use(ActContext);
  return code && <Suspense>{actOf({ code, params })}</Suspense>;
}
