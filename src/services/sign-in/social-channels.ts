import { SOCIAL_RELAY } from '../../../config/limits/identity.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SignedMessage, SocialRelay, SocialTerms } from '../../ports/social.ts';
import type { LoginAttempts } from './login-attempts.ts';

/** A social sign-in that waits for a user's phone. */
export interface SocialChannelStart {
  readonly visit: string;
  /** What opens the request on the phone. */
  readonly link: string;
  readonly expiresAtMs: number;
  /** Ask no sooner than this after the last answer, ms. */
  readonly askAfterMs: number;
}

/** How far the phone is: what it signed goes to `finish` with the visit. */
export type SocialChannelState =
  | { readonly state: 'waiting' }
  | ({ readonly state: 'signed' } & SignedMessage);

/**
 * Requests that wait at the relay for a user's phone. Which channel belongs to a visit lies
 * sealed in the visit's record, so that a restart loses none.
 */
export interface SocialChannels {
  /** Errors: `sign_in_unavailable`. */
  open(): Promise<SocialChannelStart>;
  /**
   * Errors: `code_expired` when the visit or its channel is over, `invalid_request` for a visit
   * that began without a channel, `sign_in_unavailable`.
   */
  state(visit: string): Promise<SocialChannelState>;
}

/** What is kept of a visit: its nonce, and its channel where it has one. */
export interface KeptSocialVisit {
  readonly nonce: string;
  readonly channel: string | null;
}

/** Writes what is kept of a visit. Neither part holds a blank. */
export function writeSocialVisit({ nonce, channel }: KeptSocialVisit): string {
  return channel === null ? nonce : `${nonce} ${channel}`;
}

/** Reads what `writeSocialVisit` wrote. */
export function readSocialVisit(text: string): KeptSocialVisit {
  const [nonce = '', channel = null] = text.split(' ');
  return { nonce, channel };
}

/** Creates the channels. */
export function createSocialChannels({
  relay,
  visits,
  clock,
  terms,
}: {
  readonly relay: SocialRelay;
  readonly visits: Pick<LoginAttempts, 'begin' | 'peek'>;
  readonly clock: Clock;
  /** What the next message must say. */
  readonly terms: () => Omit<SocialTerms, 'nowMs'>;
}): SocialChannels {
  const mayAsk = createPace(clock);
  return {
    async open() {
      const asked = terms();
      const { token, link } = await relay.open(asked);
      const begun = await visits.begin(
        'siwf',
        writeSocialVisit({ nonce: asked.nonce, channel: token }),
      );
      return { ...begun, link, askAfterMs: SOCIAL_RELAY.askEveryMs };
    },
    async state(visit) {
      const { channel } = readSocialVisit(visits.peek('siwf', visit));
      if (channel === null) {
        const message = 'was begun without a request to a phone';
        throw new AppError('invalid_request', `the visit ${message}`, {
          fields: [{ path: '/visit', message }],
        });
      }
      if (!mayAsk(channel)) return { state: 'waiting' };
      const signed = await relay.signed(channel);
      return signed === null ? { state: 'waiting' } : { state: 'signed', ...signed };
    },
  };
}

/**
 * Reports whether the relay may be asked about a channel now, and counts the question: of one
 * channel now and then, of all of them up to a rate.
 */
function createPace(clock: Clock): (channel: string) => boolean {
  const askedAtMs = new Map<string, number>();
  let second = { atMs: 0, asked: 0 };
  return (channel) => {
    const nowMs = clock.nowMs();
    const lastMs = askedAtMs.get(channel);
    if (lastMs !== undefined && nowMs - lastMs < SOCIAL_RELAY.askEveryMs) return false;
    if (nowMs - second.atMs >= 1_000) second = { atMs: nowMs, asked: 0 };
    if (second.asked >= SOCIAL_RELAY.asksPerSecond) return false;
    second.asked += 1;
    askedAtMs.delete(channel);
    askedAtMs.set(channel, nowMs);
    const [oldest] = askedAtMs.keys();
    if (askedAtMs.size > SOCIAL_RELAY.askedRemembered && oldest !== undefined)
      askedAtMs.delete(oldest);
    return true;
  };
}
