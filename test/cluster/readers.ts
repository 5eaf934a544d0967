import { decodeJwt } from 'jose';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { USER_TOPICS } from '../../src/domain/user-topic.ts';
import { renew, type Reported } from '../chaos/caller.ts';
import type { Person } from '../chaos/users.ts';

/** Sockets of people who follow all that is their own through gateways. */
export interface Readers {
  /**
   * Resolves once the end of each of these orders was heard of; sockets that were cut off hear of
   * nothing more, and nothing is waited for then.
   */
  heard(orders: readonly Reported[]): Promise<void>;
  verdict(): ReaderVerdict;
  close(): void;
}

/** What they heard. Everything but the changes is to be 0. */
export interface ReaderVerdict {
  readonly changes: number;
  /** Changes that came twice. */
  readonly repeated: number;
  /** Messages that came behind a newer one of the same socket, of any topic. */
  readonly disordered: number;
  /** Sockets that were closed before their reader closed them. */
  readonly cut: number;
}

const messageSchema = z.object({
  op: z.string().optional(),
  topic: z.string().optional(),
  kind: z.string().optional(),
  cursor: z.string().optional(),
  data: z
    .object({
      event: z.string().optional(),
      order: z.object({ id: z.string(), state: z.string() }).optional(),
    })
    .optional(),
});
const ENDED: readonly string[] = ['filled', 'cancelled', 'expired', 'rejected', 'failed'];
/** A token is good for minutes, and is shown again as often as its owner has another one. */
const TOKEN_SHOWN_MS = 5_000;
/** An owner closes the socket of a token that has expired. */
const RENEWED_BEFORE_MS = 120_000;
const POLL_MS = 200;

/** Opens a socket for each, at the gateways in turn, and waits until all are subscribed. */
export async function openReaders(
  people: readonly Person[],
  urls: readonly string[],
): Promise<Readers> {
  const seen = new Set<string>();
  const ended = new Set<string>();
  const counts = { repeated: 0, disordered: 0, cut: 0 };
  let isOver = false;
  const sockets = await Promise.all(
    people.map(async (person, index) => {
      const url = urls[index % urls.length] ?? '';
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        if (!isOver) counts.cut += 1;
      });
      let newest = 0;
      const subscribed = new Promise<void>((resolve) => {
        socket.on('message', (data) => {
          const {
            op,
            topic,
            kind,
            cursor,
            data: said,
          } = messageSchema.parse(JSON.parse(String(data)));
          if (op === 'subscribed') resolve();
          const place = Number(cursor?.split('.')[1] ?? newest);
          if (place < newest) counts.disordered += 1;
          newest = Math.max(newest, place);
          if (topic !== 'orders' || kind !== 'change') return;
          const order = said?.order;
          const name = `${index} ${cursor} ${said?.event} ${order?.id}`;
          if (seen.has(name)) counts.repeated += 1;
          seen.add(name);
          if (order !== undefined && ENDED.includes(order.state)) ended.add(order.id);
        });
      });
      await new Promise((resolve) => socket.once('open', resolve));
      let shown = person.token;
      socket.send(JSON.stringify({ op: 'auth', token: shown }));
      socket.send(JSON.stringify({ op: 'subscribe', topics: USER_TOPICS }));
      let renewing: Promise<void> | null = null;
      const showing = setInterval(() => {
        const { exp = 0 } = decodeJwt(person.token);
        if (renewing === null && exp * 1_000 - Date.now() < RENEWED_BEFORE_MS)
          renewing = renew(person, url).finally(() => (renewing = null));
        if (person.token === shown || socket.readyState !== WebSocket.OPEN) return;
        shown = person.token;
        socket.send(JSON.stringify({ op: 'auth', token: shown }));
      }, TOKEN_SHOWN_MS);
      socket.once('close', () => clearInterval(showing));
      await subscribed;
      return socket;
    }),
  );
  return {
    async heard(orders) {
      const ids = orders.flatMap((said) => (said.kind === 'order' ? [said.id] : []));
      while (counts.cut === 0 && !ids.every((id) => ended.has(id)))
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    },
    verdict: () => ({ changes: seen.size, ...counts }),
    close() {
      isOver = true;
      for (const socket of sockets) socket.terminate();
    },
  };
}
