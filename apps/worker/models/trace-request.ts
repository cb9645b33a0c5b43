import { writtenTokens } from '#lib/contracts/cost';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { ProviderKind } from '#lib/contracts/provider';
import type { ProviderReply } from '#lib/providers/chat';
import { DIALECTS } from '#lib/providers/formats/formats';
import { traceStep } from '#lib/runtime/tracing/tracing';

const scalar = (value: Json | undefined): string | number | undefined =>
  typeof value === 'string' || typeof value === 'number' ? value : undefined;

/** Makes a request in a span that follows OpenTelemetry's conventions for generative AI. */
export function traceRequest(
  kind: ProviderKind,
  body: JsonObject,
  send: () => Promise<ProviderReply>,
): Promise<ProviderReply> {
  return traceStep(
    `chat ${scalar(body.model)}`,
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': DIALECTS[kind].traceName ?? kind,
      'gen_ai.request.model': scalar(body.model),
      'gen_ai.request.temperature': scalar(body.temperature),
      'gen_ai.request.max_tokens': scalar(body.max_tokens),
    },
    async (note) => {
      const reply = await send();
      note({
        'gen_ai.response.finish_reasons': reply.finishReason === null ? undefined : [reply.finishReason],
        'gen_ai.usage.input_tokens': reply.usage.promptTokens,
        'gen_ai.usage.output_tokens': reply.usage.completionTokens,
        'gen_ai.usage.cache_read.input_tokens': reply.usage.cacheReadTokens,
        'gen_ai.usage.cache_creation.input_tokens': writtenTokens(reply.usage),
        'gen_ai.usage.reasoning.output_tokens': reply.usage.reasoningTokens,
      });
      return reply;
    },
  );
}
