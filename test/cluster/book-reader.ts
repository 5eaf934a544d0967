import { WebSocket } from 'ws';
import { z } from 'zod';
import type { Person } from '../chaos/users.ts';

/** A socket of one who watches a book through a gateway. */
export interface BookReader {
  /** Whether the newest message says that the book is trusted. */
  isTrusted(): boolean;
  /** The newest epoch of it. */
  epoch(): number;
  close(): void;
}

const messageSchema = z.object({
  topic: z.string().optional(),
  epoch: z.number().optional(),
  trusted: z.boolean().optional(),
});

/** Watches a book of venue_a as a person. */
export function readBook(url: string, { token }: Person, tokenId: string): BookReader {
  const topic = `orderbook:venue_a:${tokenId}`;
  const newest = { isTrusted: false, epoch: 0 };
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  socket.on('error', () => undefined);
  socket.once('open', () => {
    socket.send(JSON.stringify({ op: 'auth', token }));
    socket.send(JSON.stringify({ op: 'subscribe', topics: [topic] }));
  });
  socket.on('message', (data) => {
    const message = messageSchema.parse(JSON.parse(String(data)));
    if (message.topic !== topic || message.trusted === undefined) return;
    newest.isTrusted = message.trusted;
    newest.epoch = message.epoch ?? newest.epoch;
  });
  return {
    isTrusted: () => newest.isTrusted,
    epoch: () => newest.epoch,
    close: () => socket.terminate(),
  };
}
