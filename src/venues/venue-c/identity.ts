import { z } from 'zod';
import { VENUE_C } from '../../../config/limits/venue-c.ts';
import type { HttpOutcome } from '../../adapters/wire/http-calls.ts';
import type { Transport } from '../../adapters/wire/transport.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address } from '../../domain/ids.ts';
import type { AccountToken } from './auth.ts';
import { jsonOf, type VenueClient } from './client.ts';

/** Signs a text as a wallet's `personal_sign` does; 0x hex. */
type SignText = (text: string) => string;

/** Tokens of users' accounts, from who they are. */
export interface AccountTokens {
  /**
   * Derives a token for trading of the account with this address. Errors: `venue_unavailable`
   * (retryable), `venue_restricted`, `venue_protocol`.
   */
  derive(address: Address, sign: SignText): Promise<AccountToken>;
  close(): Promise<void>;
}

const identified = z.object({ identityToken: z.string().min(1) });
const derived = z.object({ tokenId: z.string().min(1), secret: z.base64() });

/**
 * What the venue has signed is one of its greetings (venue_c.md section 2), and nothing that could
 * mean something elsewhere.
 */
const MESSAGE = /^[\x20-\x7e\n]{0,400}\n\nNonce: [0-9a-zA-Z]{8,128}$/;

/**
 * Makes tokens as a person in a browser does: a message of the venue's, signed by the wallet, is
 * shown to the login provider for an identity token, and with that the venue derives a token for
 * trading alone (venue_c.md section 2).
 */
export function createAccountTokens(
  client: VenueClient,
  { url, transport }: { readonly url: string; readonly transport: Transport },
): AccountTokens {
  const { origin, pathname } = new URL(url);
  const provider = transport.calls({
    baseUrl: origin,
    connectionsMaximum: 1,
    keepAliveMs: VENUE_C.keepAliveMs,
    connectTimeoutMs: VENUE_C.handshakeTimeoutMs,
    answerMaximumBytes: VENUE_C.answerMaximumBytes,
  });
  return {
    async derive(address, sign) {
      const greeting = await client.send({ method: 'GET', path: '/auth/signing-message' });
      const message = textOf('the message to sign', greeting);
      if (!MESSAGE.test(message))
        throw new AppError('venue_protocol', 'venue_c wants signed what is no greeting of its own');
      const identity = await provider.send({
        method: 'POST',
        path: pathname,
        body: JSON.stringify({ account: address, message, signature: sign(message) }),
        timeoutMs: VENUE_C.writeTimeoutMs,
      });
      const { identityToken } = readAs(identified, 'the identity token', identity);
      const answer = await client.send({
        method: 'POST',
        path: '/auth/api-tokens/derive',
        headers: { identity: `Bearer ${identityToken}` },
        body: JSON.stringify({ label: 'predictd', scopes: ['trading'] }),
      });
      return readAs(derived, 'a token of an account', answer);
    },
    close: () => provider.close(),
  };
}

function readAs<T>(schema: z.ZodType<T>, what: string, outcome: HttpOutcome): T {
  const read = schema.safeParse(jsonOf(textOf(what, outcome)));
  if (read.success) return read.data;
  // Without the answer: it may hold a secret.
  throw new AppError('venue_protocol', `venue_c gave ${what} in another format`);
}

function textOf(what: string, outcome: HttpOutcome): string {
  if (outcome.kind !== 'answered')
    throw new AppError('venue_unavailable', `venue_c did not give ${what}: ${outcome.cause}`, {
      retryable: true,
    });
  const { status, text } = outcome;
  if (status < 300) return text;
  if (status === 403) throw new AppError('venue_restricted', `venue_c refused ${what} with 403`);
  throw new AppError('venue_unavailable', `venue_c answered ${status} instead of ${what}`, {
    retryable: true,
  });
}
