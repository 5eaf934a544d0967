import type { z } from 'zod';
import { BRIDGE } from '../../../config/limits/bridge.ts';
import { AppError } from '../../domain/errors.ts';
import type { Bridge } from '../../ports/bridge.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { createHttpCalls, type HttpCall } from '../wire/http-calls.ts';
import { createRateLimit } from '../wire/rate-limit.ts';
import { readAnswer } from '../wire/read-answer.ts';
import { readAssets, readDeposit, readStatus } from './parse.ts';
import { assetsSchema, depositSchema, statusSchema } from './schema.ts';

/**
 * Speaks to the venue's bridge (venue_a.md section 13). Every call may be repeated: none of them
 * moves money.
 */
export function createBridge({
  baseUrl,
  clock,
  metrics,
  timeoutMs = BRIDGE.callTimeoutMs,
}: Pick<Runtime, 'clock' | 'metrics'> & {
  readonly baseUrl: string;
  /** Real time one call may take. */
  readonly timeoutMs?: number;
}): Bridge & { close(): Promise<void> } {
  const {
    answerMaximumBytes,
    connectionsMaximum,
    connectTimeoutMs,
    keepAliveMs,
    callsPerSecond,
    burst,
    waitingMaximum,
  } = BRIDGE;
  const calls = createHttpCalls({
    baseUrl,
    answerMaximumBytes,
    connectionsMaximum,
    connectTimeoutMs,
    keepAliveMs,
  });
  const rate = createRateLimit({
    name: 'bridge',
    clock,
    perSecond: callsPerSecond,
    burst,
    waitingMaximum,
  });

  async function ask<Schema extends z.ZodType>(
    name: string,
    call: Pick<HttpCall, 'method' | 'path' | 'body'>,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    await rate.take();
    const stopTimer = metrics.startTimer('bridge_call_duration_seconds', { call: name });
    const outcome = await calls.send({ ...call, timeoutMs });
    stopTimer();
    const read = readAnswer(outcome, schema);
    metrics.count('bridge_calls_total', {
      call: name,
      outcome: read.kind === 'read' ? 'answered' : 'failed',
    });
    if (read.kind === 'read') return read.value;
    const why = read.kind === 'absent' ? 'answered 404' : read.why;
    throw new AppError('bridge_unavailable', `the bridge ${why}`, { retryable: true });
  }

  return {
    supportedAssets: async () =>
      readAssets(await ask('assets', { method: 'GET', path: '/supported-assets' }, assetsSchema)),
    depositAddresses: async (wallet) =>
      readDeposit(
        await ask(
          'deposit',
          { method: 'POST', path: '/deposit', body: JSON.stringify({ address: wallet }) },
          depositSchema,
        ),
      ),
    status: async (depositAddress) =>
      readStatus(
        await ask(
          'status',
          { method: 'GET', path: `/status/${encodeURIComponent(depositAddress)}` },
          statusSchema,
        ),
      ).slice(-BRIDGE.transfersMaximum),
    close: () => calls.close(),
  };
}
