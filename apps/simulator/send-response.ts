import type { ServerResponse } from 'node:http';
import { Counter } from 'prom-client';
import { registry } from '#lib/runtime/metrics';
import { countReply } from './ledger.js';
import type { ResponsePlan } from './formats/chat-completions.js';
import type { ModelState } from './models/model-state.js';

const ended = new Counter({
  name: 'toolmark_simulator_answers_total',
  help: 'Chat completions by how they ended: a status, reset, half, or abandoned by the client.',
  labelNames: ['end'],
  registers: [registry],
});

/** Sends a response as planned, now or after its delay, and counts its outcome. */
export function sendResponse(response: ServerResponse, plan: ResponsePlan, state?: ModelState): void {
  const countEnd = (end: string) => {
    if (!state) return;
    state.inFlight--;
    if (end === 'abandoned') state.abandoned++;
    else state.answers[end] = (state.answers[end] ?? 0) + 1;
    ended.inc({ end });
  };
  switch (plan.do) {
    case 'reset':
      countEnd('reset');
      response.socket?.resetAndDestroy();
      return;
    case 'half':
      countEnd('half');
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': plan.body.length + 500 });
      response.write(plan.body, () => response.socket?.destroy());
      return;
    case 'hang':
      response.once('close', () => countEnd('abandoned'));
      return;
    case 'send': {
      const { delayMs = 0 } = plan;
      const sendNow = () => {
        countEnd(String(plan.status));
        if (state && plan.usage && plan.status === 200 && !response.destroyed) countReply(state.ledger, plan.usage);
        write(response, plan);
      };
      if (delayMs <= 0) return sendNow();
      const abandon = () => {
        clearTimeout(timer);
        countEnd('abandoned');
      };
      const timer = setTimeout(() => {
        response.off('close', abandon);
        sendNow();
      }, delayMs);
      response.once('close', abandon);
    }
  }
}

function write(response: ServerResponse, { status, headers, body }: ResponsePlan & { do: 'send' }): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...headers,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
