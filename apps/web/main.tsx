import './styles/tokens.css';
import './styles/base.css';
import './styles/layout.css';
import './styles/forms.css';
import './styles/figures.css';
import './styles/shell.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isNoAnswer, statusOf } from './api/client';
import { queryClient } from './api/query-client';
import { takeSecretsFromAddress } from './api/session';
import { ActContext, type Coded } from './ui/problem-words';
import { applyTheme } from './ui/theme';
import { createAppRouter } from './router';

const ProblemAct = lazy(async () => ({ default: (await import('./problem-acts')).ProblemAct }));
const actOf = (coded: Coded) => <ProblemAct {...coded} />;

const root = document.getElementById('root')!;
applyTheme();
// JSON.rawJSON keeps the text of numbers (5.0, large integers); without it, saving a case would change them.
if ('rawJSON' in JSON) await start();
else
  root.replaceChildren(
    Object.assign(document.createElement('p'), {
      className: 'starting',
      textContent: 'This browser is too old for Toolmark. It needs Chrome 114, Firefox 135, Safari 18.4, or later.',
    }),
  );

async function start(): Promise<void> {
  await takeSecretsFromAddress();
  const router = createAppRouter(queryClient);
  createRoot(root, { onCaughtError: reportBug }).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <ActContext value={actOf}>
          <RouterProvider router={router} />
        </ActContext>
      </QueryClientProvider>
    </StrictMode>,
  );
}

/** A boundary shows every error that it catches. Only those that are not about the API are bugs of the page. */
function reportBug(error: unknown): void {
  if (statusOf(error) === undefined && !isNoAnswer(error)) console.error(error);
}
