import type { WebSocket } from 'ws';
import { z } from 'zod';
import { SOLANA_SANDBOX } from '../../../../config/limits/sandbox-chains.ts';
import type { Clock, Timer } from '../../../ports/clock.ts';
import type { SolanaChain } from './chain.ts';
import type { Commitment } from './chain-time.ts';
import type { SocketMethod } from './rpc-envelope.ts';
import { invalidParams, RpcFailure } from './rpc-failure.ts';
import { commitmentParam, readParams, signatureParam } from './rpc-params.ts';
import { isAsSure } from './rpc-transactions.ts';

/** Subscriptions of all sockets, looked at once in each slot while there are any. */
export interface Subscriptions {
  /** Serves a socket until it closes; `answer` answers everything that is no subscription. */
  attend(
    socket: WebSocket,
    answer: (text: string, socketMethod: SocketMethod) => string | null,
  ): void;
  stop(): void;
}

type Subscription =
  | {
      readonly kind: 'signature';
      readonly socket: WebSocket;
      readonly signature: string;
      readonly commitment: Commitment;
    }
  | { readonly kind: 'slot'; readonly socket: WebSocket };

const subscribeParams = z.tuple([
  signatureParam,
  z
    .object({
      commitment: commitmentParam.optional(),
      enableReceivedNotification: z.boolean().optional(),
    })
    .nullish()
    .optional(),
]);

/** Makes the subscriptions of a chain: `signatureSubscribe` and `slotSubscribe` with their ends. */
export function createSubscriptions(chain: SolanaChain, clock: Clock): Subscriptions {
  const all = new Map<number, Subscription>();
  let lastId = 0;
  let timer: Timer | null = null;

  const notifyAll = (): void => {
    timer = null;
    for (const [id, subscription] of all) notify(id, subscription);
    watch();
  };
  const watch = (): void => {
    if (all.size > 0) timer ??= clock.after(chain.time.untilNextSlotMs(), notifyAll);
  };
  const notify = (id: number, subscription: Subscription): void => {
    const slot = chain.time.slot();
    if (subscription.kind === 'slot') {
      tell(subscription.socket, 'slotNotification', id, {
        parent: slot - 1,
        root: slot - SOLANA_SANDBOX.finalAfterSlots,
        slot,
      });
      return;
    }
    const transaction = chain.transaction(subscription.signature);
    if (transaction === null || !isAsSure(chain.commitmentOf(transaction), subscription.commitment))
      return;
    all.delete(id);
    tell(subscription.socket, 'signatureNotification', id, {
      context: { slot },
      value: { err: transaction.error },
    });
  };
  const subscribe = (subscription: Subscription): { readonly result: number } => {
    let held = 0;
    for (const { socket } of all.values()) if (socket === subscription.socket) held += 1;
    if (held >= SOLANA_SANDBOX.subscriptionsPerSocketMaximum)
      throw new RpcFailure(-32603, 'Too many subscriptions');
    lastId += 1;
    all.set(lastId, subscription);
    watch();
    return { result: lastId };
  };
  const unsubscribe = (
    socket: WebSocket,
    params: readonly unknown[],
  ): { readonly result: boolean } => {
    const [id] = readParams(z.tuple([z.int()]), params);
    if (all.get(id)?.socket !== socket) throw invalidParams('Invalid subscription id.');
    return { result: all.delete(id) };
  };
  return {
    attend(socket, answer) {
      const methods: SocketMethod = (method, params) => {
        if (method === 'slotSubscribe') return subscribe({ kind: 'slot', socket });
        if (method === 'slotUnsubscribe' || method === 'signatureUnsubscribe')
          return unsubscribe(socket, params);
        if (method !== 'signatureSubscribe') return null;
        const [signature, config] = readParams(subscribeParams, params);
        return subscribe({
          kind: 'signature',
          socket,
          signature,
          commitment: config?.commitment ?? 'finalized',
        });
      };
      socket.on('message', (data) => {
        const reply = answer(Buffer.isBuffer(data) ? data.toString('utf8') : '', methods);
        if (reply !== null) socket.send(reply);
      });
      socket.on('close', () => {
        for (const [id, subscription] of all) if (subscription.socket === socket) all.delete(id);
      });
    },
    stop: () => timer?.cancel(),
  };
}

function tell(socket: WebSocket, method: string, subscription: number, result: unknown): void {
  if (socket.readyState !== socket.OPEN) return;
  if (socket.bufferedAmount > SOLANA_SANDBOX.requestBodyMaximumBytes) socket.terminate();
  else socket.send(JSON.stringify({ jsonrpc: '2.0', method, params: { result, subscription } }));
}
