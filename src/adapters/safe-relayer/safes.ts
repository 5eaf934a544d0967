import { RELAYER } from '../../../config/limits/chain.ts';
import type { Address } from '../../domain/ids.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { EvmChain } from '../../ports/evm.ts';
import { hmacBase64Url } from '../wire/hmac.ts';
import { createHttpCalls, type HttpOutcome } from '../wire/http-calls.ts';
import { isSafeDeployed, safeTransactionStatus, safeNonce } from './transaction-status.ts';
import { relayOutcome, relayWord } from './parse.ts';
import type { Safes } from './safe-transaction.ts';
import { signCreate, signExecute, type SafeContracts, type SafeKeys } from './sign.ts';
import { submitBody } from './submit-body.ts';

/** Credentials of a builder at the relayer (venue_a.md section 2.3). */
interface BuilderCredentials {
  readonly key: string;
  readonly secret: string;
  readonly passphrase: string;
}

const SUBMIT = '/submit';

/**
 * Creates Safes: signing by the vault, sending through the relayer, the truth from the chain.
 * Nothing is repeated inside.
 */
export function createSafes(
  parts: Pick<Runtime, 'clock' | 'metrics'> & {
    readonly relayerUrl: string;
    readonly contracts: SafeContracts;
    /** Without them the relayer takes nothing; reading works. */
    readonly builder: BuilderCredentials | null;
    /** The chain the Safes live on. */
    readonly chain: EvmChain;
    readonly vault: SafeKeys;
    /** Real time one submission may take. */
    readonly submitTimeoutMs?: number;
    /** The venue's rule (venue_a.md section 14.1). */
    addressOf(owner: Address): Address;
  },
): Safes & { close(): Promise<void> } {
  const { chain, clock, metrics, contracts, submitTimeoutMs = RELAYER.submitTimeoutMs } = parts;
  const calls = createHttpCalls({
    baseUrl: parts.relayerUrl,
    connectionsMaximum: RELAYER.connectionsMaximum,
    keepAliveMs: RELAYER.keepAliveMs,
    connectTimeoutMs: RELAYER.connectTimeoutMs,
    answerMaximumBytes: RELAYER.answerMaximumBytes,
    headers: { 'user-agent': 'predictd/0.1' },
  });
  const counted = async (
    call: 'submit' | 'lookup',
    outcome: Promise<HttpOutcome>,
  ): Promise<HttpOutcome> => {
    const stopTimer = metrics.startTimer('relayer_call_duration_seconds', { call });
    const known = await outcome;
    stopTimer();
    metrics.count('relayer_calls_total', {
      call,
      outcome: known.kind === 'answered' ? `${Math.floor(known.status / 100)}xx` : known.kind,
    });
    return known;
  };
  return {
    addressOf: (owner) => parts.addressOf(owner),
    isDeployed: (safe) => isSafeDeployed(chain, safe),
    nonce: (safe) => safeNonce(chain, safe),
    signCreate: (userId) => signCreate(parts, userId),
    signExecute: (userId, request) => signExecute(parts, userId, request),
    bodyOf: (signed) => submitBody(signed, contracts.factory),
    async submit(body) {
      const headers =
        parts.builder === null ? {} : builderHeaders(parts.builder, { body, atMs: clock.nowMs() });
      return relayOutcome(
        await counted(
          'submit',
          calls.send({ method: 'POST', path: SUBMIT, body, headers, timeoutMs: submitTimeoutMs }),
        ),
      );
    },
    async lookup(relayId) {
      const path = `/transaction?${new URLSearchParams({ id: relayId }).toString()}`;
      return relayWord(
        relayId,
        await counted(
          'lookup',
          calls.send({ method: 'GET', path, timeoutMs: RELAYER.readTimeoutMs }),
        ),
      );
    },
    status: (name, sinceBlock) => safeTransactionStatus(chain, name, sinceBlock),
    close: () => calls.close(),
  };
}

/**
 * Headers of a submission (venue_a.md section 2.3): the recipe of the order book's own, under the
 * builder's secret.
 */
function builderHeaders(
  { key, secret, passphrase }: BuilderCredentials,
  { body, atMs }: { readonly body: string; readonly atMs: number },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(atMs / 1_000));
  return {
    POLY_BUILDER_API_KEY: key,
    POLY_BUILDER_PASSPHRASE: passphrase,
    POLY_BUILDER_TIMESTAMP: timestamp,
    POLY_BUILDER_SIGNATURE: hmacBase64Url(secret, `${timestamp}POST${SUBMIT}${body}`),
  };
}
