import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { PUSH_MODEL } from '../../../../config/limits/sandbox.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { FaultBoard } from '../../faults.ts';
import { freshBrowserKeys, openMessage, type BrowserKeys } from './browser-keys.ts';
import { isSenderKey, signatureFault } from './sender-signature.ts';
import { type Listening, readJson } from '../../wire/http-server.ts';

/** What a browser shows: the text it was sent, and what the push service knew of it. */
export interface ShownMessage {
  /**
   * Null where the browser's keys do not open it: the push service cannot tell, and the browser
   * drops it.
   */
  readonly text: string | null;
  readonly topic: string | null;
  readonly ttlSeconds: number;
  readonly urgency: string;
  readonly atMs: number;
}

interface Browser {
  readonly senderKey: string;
  readonly keys: BrowserKeys;
  /** Every message taken, in order. */
  readonly taken: ShownMessage[];
}

/** An answer; null leaves the caller waiting, 'cut' ends the connection. */
type Answer =
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | 'cut'
  | null;

const subscribeSchema = z.strictObject({ applicationServerKey: z.string().max(200) });

/**
 * Serves a push service on 127.0.0.1 (RFC 8030): `POST /push/:browser` takes messages, each checked
 * for its signature (RFC 8292), TTL, topic and size. It plays browsers too: `POST /browsers
 * {"applicationServerKey"}` subscribes one and answers what it would hand to its site, `GET
 * /browsers/:browser/messages` shows what it was sent, opened with its keys (RFC 8291), `?every`
 * with those replaced by a later one of their topic; `DELETE /browsers/:browser` unsubscribes it.
 */
export async function startPush({
  clock,
  faults,
  port = 0,
}: {
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly port?: number;
}): Promise<Listening> {
  const browsers = new Map<string, Browser>();
  let origin = '';
  const server = createServer((request, response) => {
    void readBody(request).then((body) => reply(response, route(body, request)));
  });

  function route(body: Buffer | null, request: IncomingMessage): Answer {
    const url = new URL(request.url ?? '/', origin);
    const [, room = '', name = '', rest = ''] = url.pathname.split('/');
    const call = `${request.method ?? ''} ${room}${name === '' ? '' : '/:browser'}${rest === '' ? '' : `/${rest}`}`;
    if (call === 'POST push/:browser') return take(request, name, body);
    if (call === 'POST browsers') return subscribe(body);
    const browser = browsers.get(name);
    if (browser === undefined) return { status: 404, body: { error: 'no such browser' } };
    if (call === 'GET browsers/:browser/messages')
      return {
        status: 200,
        body: { messages: url.searchParams.has('every') ? browser.taken : shown(browser.taken) },
      };
    if (call !== 'DELETE browsers/:browser')
      return { status: 404, body: { error: 'no such path' } };
    browsers.delete(name);
    return { status: 204 };
  }

  function subscribe(body: Buffer | null): Answer {
    const asked = subscribeSchema.safeParse(readJson(body?.toString('utf8') ?? ''));
    if (!asked.success || !isSenderKey(asked.data.applicationServerKey))
      return { status: 400, body: { error: 'applicationServerKey is a point of P-256' } };
    const name = randomBytes(16).toString('base64url');
    const keys = freshBrowserKeys();
    browsers.set(name, {
      senderKey: asked.data.applicationServerKey.replace(/=+$/, ''),
      keys,
      taken: [],
    });
    const [oldest] = browsers.keys();
    if (browsers.size > PUSH_MODEL.browsersMaximum && oldest !== undefined) browsers.delete(oldest);
    const subscription = {
      endpoint: `${origin}/push/${name}`,
      expirationTime: null,
      keys: { p256dh: keys.publicKey.toString('base64url'), auth: keys.auth.toString('base64url') },
    };
    return { status: 201, body: { browser: name, subscription } };
  }

  function take(request: IncomingMessage, name: string, body: Buffer | null): Answer {
    const subject = { path: `/push/${name}` };
    if (faults.take('push-hangs', subject) !== null) return null;
    if (faults.take('push-unavailable', subject) !== null) return { status: 503 };
    if (faults.take('push-busy', subject) !== null)
      return { status: 429, headers: { 'retry-after': String(PUSH_MODEL.retryAfterSeconds) } };
    if (faults.take('push-gone', subject) !== null) browsers.delete(name);
    const browser = browsers.get(name);
    if (browser === undefined)
      return { status: 410, body: { error: 'the browser has unsubscribed' } };
    const refused = refusalOf(request, body, browser);
    if (refused !== null) return refused;
    browser.taken.push(messageOf(request, body ?? Buffer.alloc(0), browser.keys));
    if (browser.taken.length > PUSH_MODEL.messagesMaximum) browser.taken.shift();
    if (faults.take('push-lost', subject) !== null) return 'cut';
    return {
      status: 201,
      headers: { location: `${origin}/message/${randomBytes(8).toString('hex')}` },
    };
  }

  function refusalOf(
    { headers }: IncomingMessage,
    body: Buffer | null,
    { senderKey }: Browser,
  ): Answer {
    if (body === null)
      return { status: 413, body: { error: `at most ${PUSH_MODEL.bodyMaximumBytes} bytes` } };
    const fault = signatureFault(headers.authorization ?? '', {
      audience: origin,
      senderKey,
      nowMs: clock.nowMs(),
    });
    if (fault !== null) return { status: 403, body: { error: fault } };
    if (!/^\d{1,10}$/.test(single(headers['ttl'])))
      return { status: 400, body: { error: 'TTL is missing' } };
    if (headers['content-encoding'] !== 'aes128gcm')
      return { status: 415, body: { error: 'messages are aes128gcm' } };
    if (headers['topic'] !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(single(headers['topic'])))
      return { status: 400, body: { error: 'a topic is 1 to 32 characters of base64url' } };
    return null;
  }

  function messageOf({ headers }: IncomingMessage, body: Buffer, keys: BrowserKeys): ShownMessage {
    return {
      text: opened(keys, body),
      topic: headers['topic'] === undefined ? null : single(headers['topic']),
      ttlSeconds: Number(headers['ttl']),
      urgency: single(headers['urgency']) || 'normal',
      atMs: clock.nowMs(),
    };
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  // A listening TCP server has an address and a port.
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: origin,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function opened(keys: BrowserKeys, body: Buffer): string | null {
  try {
    return openMessage(keys, body);
  } catch {
    return null;
  }
}

/** What is left of the messages when those of one topic replace each other. */
function shown(taken: readonly ShownMessage[]): readonly ShownMessage[] {
  return taken.filter(
    ({ topic }, index) =>
      topic === null || !taken.slice(index + 1).some((later) => later.topic === topic),
  );
}

/** The body; null when it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request) {
      // A request without an encoding yields buffers.
      const bytes = part as Buffer;
      size += bytes.length;
      if (size <= PUSH_MODEL.bodyMaximumBytes) parts.push(bytes);
    }
  } catch {
    return null;
  }
  return size > PUSH_MODEL.bodyMaximumBytes ? null : Buffer.concat(parts);
}

function single(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}

function reply(response: ServerResponse, answer: Answer): void {
  if (answer === null) return;
  if (answer === 'cut') {
    response.socket?.resetAndDestroy();
    return;
  }
  const body = answer.body === undefined ? '' : JSON.stringify(answer.body);
  response.writeHead(answer.status, {
    'content-length': Buffer.byteLength(body),
    ...(body === '' ? {} : { 'content-type': 'application/json' }),
    ...answer.headers,
  });
  response.end(body);
}
