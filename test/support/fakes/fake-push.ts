import type {
  PushMessage,
  PushOutcome,
  PushService,
  PushSubscription,
} from '../../../src/ports/push.ts';

/**
 * A small working push service: browsers subscribe, messages reach them in the clear, and those of
 * one topic replace each other.
 */
export interface FakePush extends PushService {
  /**
   * What the coming sends come to instead, first come first served; 'hangs' never answers, 'lost'
   * takes the message without saying so.
   */
  readonly armed: ('hangs' | 'lost' | PushOutcome)[];
  /** Every message that was taken, in order. */
  readonly taken: { readonly endpoint: string; readonly message: PushMessage }[];
  /** Sends begun, answered or not. */
  readonly begun: string[];
  subscribe(host?: string): PushSubscription;
  unsubscribe(endpoint: string): void;
  shown(endpoint: string): readonly string[];
}

/** Points and secrets that pass for real ones. */
const P256DH =
  'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4';
const AUTH = 'BTBZMqHH6r4Tts7J_aSIgg';

export function createFakePush(publicKey = P256DH): FakePush {
  const browsers = new Set<string>();
  const armed: FakePush['armed'] = [];
  const taken: FakePush['taken'] = [];
  const begun: string[] = [];
  return {
    publicKey,
    armed,
    taken,
    begun,
    subscribe(host = 'push.example') {
      const endpoint = `https://${host}/${browsers.size + 1}`;
      browsers.add(endpoint);
      return { endpoint, keys: { p256dh: P256DH, auth: AUTH } };
    },
    unsubscribe: (endpoint) => void browsers.delete(endpoint),
    shown: (endpoint) =>
      taken
        .filter(
          (each, index) =>
            each.endpoint === endpoint &&
            !taken
              .slice(index + 1)
              .some(
                (later) =>
                  later.endpoint === endpoint && later.message.topic === each.message.topic,
              ),
        )
        .map(({ message }) => message.payload),
    faults: ({ endpoint, keys }) => [
      ...(endpoint.startsWith('https://push.')
        ? []
        : [{ path: '/endpoint', message: 'is no push service' }]),
      ...(keys.p256dh.length === P256DH.length
        ? []
        : [{ path: '/keys/p256dh', message: 'is no key' }]),
      ...(keys.auth.length === AUTH.length
        ? []
        : [{ path: '/keys/auth', message: 'is no secret' }]),
    ],
    async send({ endpoint }, message, signal) {
      begun.push(endpoint);
      const fault = armed.shift();
      if (fault === 'hangs')
        return new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve({ kind: 'unknown', reason: 'aborted' })),
        );
      if (typeof fault === 'object') return fault;
      if (!browsers.has(endpoint)) return { kind: 'unsubscribed' };
      taken.push({ endpoint, message });
      return fault === 'lost'
        ? { kind: 'unknown', reason: 'the connection was lost' }
        : { kind: 'taken' };
    },
    close: () => Promise.resolve(),
  };
}
