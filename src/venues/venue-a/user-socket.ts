import { z } from 'zod';
import { VENUE_A } from '../../../config/limits/venue-a.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { OrderGateway, UserEvent } from '../../ports/order-gateway.ts';
import { openSocket, type SocketHandle } from '../../adapters/wire/socket-frames.ts';
import type { Accounts } from './accounts.ts';
import { jsonOf } from './client.ts';
import { parseFills, parseOrder, type Party } from './parse.ts';
import { orderSchema, tradeSchema } from './schema.ts';

/**
 * Events say what they are by `event_type`, and where it is left out by `type` (venue_a.md section
 * 9.4).
 */
const kindSchema = z.object({ event_type: z.string().optional(), type: z.string().optional() });
const ORDER_TYPES: ReadonlySet<string> = new Set(['PLACEMENT', 'UPDATE', 'CANCELLATION']);
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);

/**
 * Watches a user's own channel: one socket a user. There is no snapshot and no replay, so
 * `connected` asks the reader to read orders and fills again; it comes as well after an event that
 * could not be read, since that may have been a fill.
 */
export function createUserSocket(
  parts: Pick<Runtime, 'clock' | 'metrics'> & {
    readonly url: string;
    readonly accounts: Accounts;
    funderOf(userId: UserId): Address;
    /** Takes the place of a real socket: a venue within the process. */
    readonly open?: typeof openSocket;
  },
): OrderGateway['watch'] {
  return (userId, listener) => {
    let socket: SocketHandle | null = null;
    let isStopped = false;
    const fail = (cause: unknown): void => {
      if (!isStopped) listener.error(cause);
    };
    parts.accounts
      .accountOf(userId)
      .then((account) => {
        if (isStopped) return;
        const { key, secret, passphrase } = account.credentials;
        const party: Party = { key, address: parts.funderOf(userId) };
        const subscription = JSON.stringify({
          auth: { apiKey: key, secret, passphrase },
          type: 'user',
        });
        socket = (parts.open ?? openSocket)(
          {
            url: parts.url,
            clock: parts.clock,
            maximumBytes: VENUE_A.frameMaximumBytes,
            handshakeTimeoutMs: VENUE_A.handshakeTimeoutMs,
            // A user may do nothing for hours: only the answers to our pings tell life from death.
            idleMs: null,
            ping: {
              text: 'PING',
              everyMs: VENUE_A.pingEveryMs,
              answer: 'PONG',
              answerWithinMs: VENUE_A.pongWithinMs,
            },
            opened(opened) {
              opened.send(subscription);
              listener.next({ kind: 'connected' });
            },
          },
          {
            next: (frame) =>
              takeFrame(frame, party, {
                listener,
                dropped: (reason) =>
                  parts.metrics.count('venue_dropped_total', {
                    venue: 'venue_a',
                    channel: 'user',
                    reason,
                  }),
              }),
            error: fail,
          },
        );
      })
      .catch(fail);
    return () => {
      isStopped = true;
      socket?.close();
    };
  };
}

interface FrameReader {
  readonly listener: { next(event: UserEvent): void };
  readonly dropped: (reason: string) => void;
}

function takeFrame(frame: Buffer, party: Party, { listener, dropped }: FrameReader): void {
  const value = jsonOf(frame.toString('utf8'));
  if (value === undefined) {
    dropped('not_json');
    if (OPENING.has(frame[0] ?? 0)) listener.next({ kind: 'connected' });
    return;
  }
  for (const part of Array.isArray(value) ? value : [value]) {
    const events = readEvent(part, party);
    if (events === null) {
      dropped('schema');
      listener.next({ kind: 'connected' });
    } else {
      for (const event of events) listener.next(event);
    }
  }
}

/** What one message says to us; null when it cannot be read. */
function readEvent(value: unknown, party: Party): readonly UserEvent[] | null {
  const kind = kindSchema.safeParse(value);
  if (!kind.success) return null;
  try {
    if (kind.data.event_type === 'trade' || kind.data.type === 'TRADE') {
      return parseFills(tradeSchema.parse(value), party).map((fill) => ({ kind: 'fill', fill }));
    }
    if (kind.data.event_type === 'order' || ORDER_TYPES.has(kind.data.type ?? '')) {
      return [{ kind: 'order', order: parseOrder(orderSchema.parse(value)) }];
    }
    return null;
  } catch (error) {
    if (
      error instanceof z.ZodError ||
      (error instanceof AppError && error.code === 'venue_protocol')
    )
      return null;
    throw error;
  }
}
