import type { FieldError } from '../domain/errors.ts';

/**
 * A browser's subscription, as its `PushSubscription.toJSON()` gives it. The endpoint is a
 * capability: who knows it can send to it.
 */
export interface PushSubscription {
  readonly endpoint: string;
  readonly keys: {
    /** The browser's public key on P-256, uncompressed, base64url. */
    readonly p256dh: string;
    /** The secret of 16 bytes it shares with us, base64url. */
    readonly auth: string;
  };
}

/** What is sent to one browser. */
export interface PushMessage {
  /** Text for the browser alone: the push service sees ciphertext. */
  readonly payload: string;
  /**
   * An undelivered message of the same topic is replaced by this one: at most 32 characters of
   * base64url.
   */
  readonly topic: string;
  /** How long the push service may keep it. */
  readonly lifeMs: number;
}

/**
 * What became of a message. `taken` by the push service, which may still lose it. `later`: surely
 * not taken, and worth another try. `unknown`: whether it was taken is not known (L2).
 * `refused`: surely not taken, and it never will be. `unsubscribed`: the browser no longer listens.
 */
export type PushOutcome =
  | { readonly kind: 'taken' }
  | { readonly kind: 'unsubscribed' }
  | { readonly kind: 'later'; readonly retryAfterMs: number | null; readonly reason: string }
  | { readonly kind: 'refused' | 'unknown'; readonly reason: string };

/** Sends messages to browsers through their push services. */
export interface PushService {
  /**
   * What browsers subscribe with, base64url of an uncompressed point: they take messages signed by
   * its private half only.
   */
  readonly publicKey: string;
  /** What is wrong with a subscription; nothing for one that may be sent to. */
  faults(subscription: PushSubscription): readonly FieldError[];
  /** Sends once; never throws for what the network does. Bounded in time. */
  send(
    subscription: PushSubscription,
    message: PushMessage,
    signal: AbortSignal,
  ): Promise<PushOutcome>;
  close(): Promise<void>;
}
