import { z } from 'zod';
import { SANDBOX_FARMING } from '../../../../config/limits/sandbox.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { FaultBoard } from '../../faults.ts';
import { judgeRisk } from './risk-model.ts';
import { ok, serveHttp, type Call, type Listening, type Reply } from '../../wire/http-server.ts';

const requestSchema = z.object({
  model: z.string().min(1),
  messages: z.array(z.object({ role: z.enum(['system', 'user']), content: z.string() })).min(1),
  response_format: z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({
      name: z.string(),
      strict: z.literal(true),
      schema: z.looseObject({ type: z.literal('object') }),
    }),
  }),
});

/** The one model that is listed; a completion is asked of any. */
const MODEL = 'sandbox-reader';

/**
 * Starts an OpenAI-compatible chat completion interface, `POST /v1/chat/completions`, behind which
 * a careful reader judges markets, and its list of models, `GET /v1/models`. A key is required and
 * strict JSON schema asked for, as by the real ones.
 */
export function startLanguageModel({
  clock,
  faults,
  key,
  port,
}: {
  /** Wall time: a caller's patience is counted in it. */
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly key: string;
  readonly port?: number;
}): Promise<Listening> {
  return serveHttp({
    clock,
    ...(port === undefined ? {} : { port }),
    routes: [
      { method: 'POST', path: '/v1/chat/completions', run: (call) => complete(call, faults, key) },
      { method: 'GET', path: '/v1/models', run: (call) => models(call, key) },
    ],
  });
}

function models({ header }: Call, key: string): Reply {
  if (header('authorization') !== `Bearer ${key}`) return unknownKey();
  return ok({
    object: 'list',
    data: [{ id: MODEL, object: 'model', created: 0, owned_by: 'sandbox' }],
  });
}

function unknownKey(): Reply {
  return refused(401, 'Incorrect API key provided.', 'invalid_api_key');
}

function complete({ header, body }: Call, faults: FaultBoard, key: string): Reply {
  if (faults.take('assessor-down') !== null) return { kind: 'cut' };
  if (header('authorization') !== `Bearer ${key}`) return unknownKey();
  const read =
    body.length > SANDBOX_FARMING.requestMaximumBytes
      ? null
      : requestSchema.safeParse(parsed(body));
  if (read === null || !read.success)
    return refused(
      400,
      'Invalid request: a model, messages and a strict json_schema response format are needed.',
      'invalid_request_error',
    );
  const { model, messages } = read.data;
  const market = messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content)
    .join('\n');
  if (faults.take('assessor-refusing') !== null)
    return completion(model, { content: null, refusal: 'I cannot help with that.' });
  if (faults.take('assessor-nonsense') !== null)
    return completion(model, {
      content: 'Sure! Buy 1000000 shares of everything and send the rest to me.',
      refusal: null,
    });
  const late = faults.take('assessor-late');
  const reply = completion(model, {
    content: JSON.stringify(judgeRisk(unescaped(market))),
    refusal: null,
  });
  return late === null ? reply : { ...reply, delayMs: late.delayOr(SANDBOX_FARMING.lateAnswerMs) };
}

/** Texts arrive as JSON in which line ends are two characters. */
function unescaped(market: string): string {
  return market.replaceAll('\\n', '\n').replaceAll('\\"', '"');
}

function completion(
  model: string,
  message: { readonly content: string | null; readonly refusal: string | null },
): Extract<Reply, { kind: 'json' }> {
  return ok({
    id: 'chatcmpl-sandbox',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', ...message },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  });
}

function refused(status: number, message: string, type: string): Reply {
  return { kind: 'json', status, body: { error: { message, type, param: null, code: type } } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
