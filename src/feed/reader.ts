import { WebSocket, type RawData } from 'ws';
import { FEED_LINK } from '../../config/limits/feed-link.ts';
import { isProof, proofOf } from '../adapters/feed-link/proof.ts';
import {
  LINK_PROTOCOL,
  failureOf,
  readerMessage,
  type Question,
  type ReaderMessage,
} from '../adapters/feed-link/protocol.ts';
import { AppError } from '../domain/errors.ts';
import { encode, type Channel, type ReaderEnd } from './channel.ts';
import type { Channels } from './channels.ts';

/** Why a reader's socket is closed. */
const CODES = { unproven: 4401, unreadable: 4400 } as const;

/**
 * Serves one reader until its socket ends. It is sent nothing before it has proven that it knows
 * the secret, and is cut off when it is silent, says what cannot be read, or does not take what it
 * is sent.
 */
export function serveReader(
  socket: WebSocket,
  parts: {
    /** Any of them is right: two while one replaces the other. */
    readonly secrets: readonly string[];
    readonly channels: Channels;
    readonly answer: (question: Question) => Promise<unknown>;
    /** Said to this reader alone. */
    readonly nonce: string;
    /** It has proven that it knows the secret. */
    readonly proven: () => void;
  },
): void {
  const { channels, nonce } = parts;
  /** What is followed, by the reader's own numbers. */
  const followed = new Map<number, Channel>();
  let questions = 0;
  let isProven = false;
  let silence = setTimeout(() => socket.terminate(), FEED_LINK.joinMs);

  const end: ReaderEnd = {
    send(text) {
      if (socket.readyState !== WebSocket.OPEN) return;
      if (socket.bufferedAmount > FEED_LINK.backlogMaximumBytes) return socket.terminate();
      socket.send(text);
    },
    ended(channel, text) {
      for (const [id, each] of followed) if (each === channel) followed.delete(id);
      end.send(text);
    },
    isBehind: () => socket.bufferedAmount > FEED_LINK.behindBytes,
  };

  function hear(message: ReaderMessage): void {
    if (message.op === 'prove') return prove(message);
    if (!isProven) return socket.close(CODES.unproven, 'prove first');
    silence.refresh();
    switch (message.op) {
      case 'beat':
        end.send(encode(message));
        for (const channel of new Set(followed.values())) channel.catchUp(end);
        return;
      case 'follow':
        return follow(message);
      case 'leave':
        return leave(message.id);
      case 'whole':
        for (const channel of new Set(followed.values()))
          if (channel.number === message.channel) channel.whole(end, message.tokenId);
        return;
      case 'ask':
        return void ask(message);
    }
  }

  function prove(shown: Extract<ReaderMessage, { op: 'prove' }>): void {
    const nonces = { feed: nonce, reader: shown.nonce };
    const right = parts.secrets.filter((secret) =>
      isProof(shown.proof, proofOf('reader', secret, nonces)),
    );
    const [secret] = right;
    if (isProven || secret === undefined)
      return socket.close(CODES.unproven, 'the secret is another one');
    isProven = true;
    clearTimeout(silence);
    silence = setTimeout(() => socket.terminate(), FEED_LINK.readerSilentMs);
    parts.proven();
    end.send(encode({ op: 'welcome', proof: proofOf('feed', secret, nonces) }));
  }

  function follow({ id, subject }: Extract<ReaderMessage, { op: 'follow' }>): void {
    try {
      if (followed.size >= FEED_LINK.followedMaximum)
        throw new AppError('limit_reached', `${followed.size} subjects are followed already`, {
          retryable: true,
        });
      const channel = channels.of(subject);
      followed.set(id, channel);
      end.send(encode({ op: 'following', id, channel: channel.number }));
      channel.join(end);
    } catch (cause) {
      end.send(encode({ op: 'refused', id, failure: failureOf(cause) }));
    }
  }

  function leave(id: number): void {
    const channel = followed.get(id);
    if (channel === undefined || !followed.delete(id)) return;
    if (![...followed.values()].includes(channel)) channel.leave(end);
  }

  async function ask({ id, question }: Extract<ReaderMessage, { op: 'ask' }>): Promise<void> {
    questions += 1;
    try {
      if (questions > FEED_LINK.questionsMaximum)
        throw new AppError('overloaded', 'too many questions are under way', { retryable: true });
      const text = encode({ op: 'answer', id, value: await parts.answer(question) });
      // A reader would leave the feed for it, and ask the next one the same.
      if (Buffer.byteLength(text) > FEED_LINK.frameMaximumBytes)
        throw new AppError('venue_protocol', 'the answer is longer than links carry');
      end.send(text);
    } catch (cause) {
      end.send(encode({ op: 'failed', id, failure: failureOf(cause) }));
    } finally {
      questions -= 1;
    }
  }

  socket.on('message', (data: RawData, isBinary) => {
    const message = isBinary ? null : read(data);
    if (message === null) socket.close(CODES.unreadable, 'unreadable');
    else hear(message);
  });
  socket.on('error', () => undefined);
  socket.once('close', () => {
    clearTimeout(silence);
    for (const channel of new Set(followed.values())) channel.leave(end);
    followed.clear();
  });
  end.send(encode({ op: 'hello', protocol: LINK_PROTOCOL, nonce }));
}

/** Null for what no reader says. */
function read(data: RawData): ReaderMessage | null {
  try {
    // Messages come whole, as one buffer: `ws` is asked for nothing else.
    const parsed = readerMessage.safeParse(JSON.parse((data as Buffer).toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
