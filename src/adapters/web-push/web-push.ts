import { Agent } from 'undici';
import webPush from 'web-push';
import { PUSH } from '../../../config/limits/notification.ts';
import type { PushMessage, PushOutcome, PushService, PushSubscription } from '../../ports/push.ts';
import { isNeverSent, readRetryAfter, readText } from '../wire/http-calls.ts';
import { readEndpoint, type EndpointRules } from './endpoint.ts';
import { keyFaults } from './subscription-keys.ts';
import type { VapidKeys } from './vapid-keys.ts';

/**
 * Sends by web push: the `web-push` package encrypts (RFC 8291) and signs (RFC 8292), and the
 * request leaves over connections of our own, since the package's would follow no limit of size and
 * reach no push service of this machine. Nothing is repeated and no redirect is followed inside.
 */
export function createWebPush({
  keys,
  contact,
  ...rules
}: EndpointRules & {
  readonly keys: VapidKeys;
  /** Whom a push service writes to when we misbehave: mailto: or https: (RFC 8292, section 2.1). */
  readonly contact: string;
}): PushService {
  const agent = new Agent({
    connections: PUSH.sendingPerHostMaximum,
    pipelining: 1,
    maxOrigins: PUSH.hostsMaximum,
    keepAliveTimeout: PUSH.keepAliveMs,
    keepAliveMaxTimeout: PUSH.keepAliveMs,
    connect: { timeout: PUSH.connectTimeoutMs },
  });
  const vapidDetails = { subject: contact, publicKey: keys.publicKey, privateKey: keys.privateKey };
  return {
    publicKey: keys.publicKey,
    faults({ endpoint, keys: own }) {
      const url = readEndpoint(endpoint, rules);
      return [
        ...(typeof url === 'string' ? [{ path: '/endpoint', message: url }] : []),
        ...keyFaults(own),
      ];
    },
    async send(subscription, message, signal) {
      const url = readEndpoint(subscription.endpoint, rules);
      if (typeof url === 'string') return { kind: 'refused', reason: `the endpoint ${url}` };
      const request = requestOf(
        { endpoint: url.href, keys: subscription.keys },
        message,
        vapidDetails,
      );
      try {
        return await post(agent, url, { request, signal });
      } catch (error) {
        return signal.aborted || !isNeverSent(error)
          ? { kind: 'unknown', reason: nameOf(error) }
          : { kind: 'later', retryAfterMs: null, reason: nameOf(error) };
      }
    },
    close: () => agent.destroy(),
  };
}

interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

function requestOf(
  { endpoint, keys }: PushSubscription,
  { payload, topic, lifeMs }: PushMessage,
  vapidDetails: {
    readonly subject: string;
    readonly publicKey: string;
    readonly privateKey: string;
  },
): Request {
  const { headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { ...keys } },
    payload,
    {
      vapidDetails,
      TTL: Math.floor(lifeMs / 1_000),
      topic,
      urgency: 'high',
      contentEncoding: 'aes128gcm',
    },
  );
  return {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    body,
  };
}

async function post(
  agent: Agent,
  url: URL,
  { request, signal }: { readonly request: Request; readonly signal: AbortSignal },
): Promise<PushOutcome> {
  const answer = await agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'POST',
    headers: request.headers,
    body: request.body,
    signal: AbortSignal.any([AbortSignal.timeout(PUSH.sendTimeoutMs), signal]),
    headersTimeout: PUSH.sendTimeoutMs,
    bodyTimeout: PUSH.sendTimeoutMs,
  });
  // What it says is of no use beyond its status; it is read so that the connection can be used
  // again.
  await readText(answer.body, PUSH.answerMaximumBytes).catch(() => null);
  return outcomeOf(answer.statusCode, readRetryAfter(answer.headers['retry-after']));
}

/** RFC 8030, sections 5 and 7.3: 201 takes a message, 404 and 410 end a subscription. */
function outcomeOf(status: number, retryAfterMs: number | null): PushOutcome {
  if (status >= 200 && status < 300) return { kind: 'taken' };
  if (status === 404 || status === 410) return { kind: 'unsubscribed' };
  if (status === 429 || status >= 500)
    return { kind: 'later', retryAfterMs, reason: `answered ${status}` };
  return { kind: 'refused', reason: `answered ${status}` };
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown failure';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
