import { z } from 'zod';
import { LOGIN_ATTEMPTS, SOCIAL_RELAY } from '../../../config/limits/identity.ts';
import { AppError } from '../../domain/errors.ts';
import type { SocialRelay } from '../../ports/social.ts';
import { createHttpCalls, type HttpCall, type HttpOutcome } from '../wire/http-calls.ts';

const openedSchema = z.object({
  channelToken: z.string().regex(/^[\w-]{8,200}$/),
  url: z.string().max(SOCIAL_RELAY.linkMaximumChars),
  nonce: z.string(),
});
const completedSchema = z.object({
  state: z.literal('completed'),
  nonce: z.string(),
  message: z.string().min(1).max(LOGIN_ATTEMPTS.messageMaximumChars),
  signature: z
    .string()
    .max(LOGIN_ATTEMPTS.signatureMaximumChars)
    .regex(/^0x([0-9a-fA-F]{2})+$/),
});

/**
 * Speaks to a relay of the social protocol (identity.md section 4). A link is shown to people, so
 * one that could do anything but open a page or the protocol's own app is refused.
 */
export function createSocialRelay({
  baseUrl,
  timeoutMs = SOCIAL_RELAY.callTimeoutMs,
}: {
  /** `https://relay.farcaster.xyz`, without a trailing slash. */
  readonly baseUrl: string;
  /** Real time. */
  readonly timeoutMs?: number;
}): SocialRelay & { close(): Promise<void> } {
  const calls = createHttpCalls({
    baseUrl,
    connectionsMaximum: SOCIAL_RELAY.connectionsMaximum,
    keepAliveMs: SOCIAL_RELAY.keepAliveMs,
    connectTimeoutMs: SOCIAL_RELAY.connectTimeoutMs,
    answerMaximumBytes: SOCIAL_RELAY.answerMaximumBytes,
  });
  const isOnThisMachine = isLoopback(new URL(baseUrl));
  const send = async (
    call: Omit<HttpCall, 'timeoutMs'>,
  ): Promise<Extract<HttpOutcome, { kind: 'answered' }>> => {
    const outcome = await calls.send({ ...call, timeoutMs });
    if (outcome.kind !== 'answered') throw unavailable(`does not answer: ${outcome.cause}`);
    return outcome;
  };
  return {
    close: () => calls.close(),
    async open({ domain, uri, nonce }) {
      const { status, text } = await send({
        method: 'POST',
        path: '/v1/channel',
        body: JSON.stringify({ siweUri: uri, domain, nonce, acceptAuthAddress: true }),
      });
      if (status !== 201) throw unavailable(`answered ${status} instead of a channel`);
      const opened = openedSchema.safeParse(parsed(text));
      if (!opened.success || opened.data.nonce !== nonce)
        throw unavailable('opened another channel than the one asked for');
      const { channelToken: token, url: link } = opened.data;
      if (!mayBeShown(link, isOnThisMachine))
        throw unavailable('gave a link that opens neither a page nor the app');
      return { token, link };
    },
    async signed(token) {
      const { status, text } = await send({
        method: 'GET',
        path: '/v1/channel/status',
        headers: { authorization: `Bearer ${token}` },
      });
      if (status === 202) return null;
      if (status === 401 || status === 404)
        throw new AppError('code_expired', 'the request to the phone is over; begin again');
      if (status !== 200) throw unavailable(`answered ${status} about a channel`);
      const completed = completedSchema.safeParse(parsed(text));
      if (!completed.success)
        throw unavailable('answered with a signature in an unexpected format');
      const { message, signature } = completed.data;
      return { message, signature };
    },
  };
}

/**
 * A page over https, the protocol's app, or a page of the relay's own where both are on loopback.
 */
function mayBeShown(link: string, isOnThisMachine: boolean): boolean {
  if (!URL.canParse(link)) return false;
  const url = new URL(link);
  return (
    url.protocol === 'https:' ||
    url.protocol === 'farcaster:' ||
    (isOnThisMachine && isLoopback(url))
  );
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The relay could not be asked: that says nothing about a person. */
function unavailable(what: string): AppError {
  return new AppError('sign_in_unavailable', `the relay of the social protocol ${what}`, {
    retryable: true,
  });
}
