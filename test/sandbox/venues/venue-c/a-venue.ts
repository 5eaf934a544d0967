import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  createScaledClock,
  scaledMarketTime,
} from '../../../../src/adapters/clock/scaled-clock.ts';
import { createWallClock } from '../../../../src/adapters/clock/wall-clock.ts';
import type { Clock } from '../../../../src/ports/clock.ts';
import { ONE_TIME } from '../../../../src/ports/market-time.ts';
import { createSharedModel, type SharedModel } from '../../../../src/sandbox/shared-model.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../../src/sandbox/feeds/prices/price-process.ts';
import type { VenueParts } from '../../../../src/sandbox/venues/contract.ts';
import { venueC, type OpenVenueC } from '../../../../src/sandbox/venues/venue-c/venue.ts';
import type { WorldOptions } from '../../../../src/sandbox/world-settings.ts';

/** Answers as they come, whose shapes tests check field by field. */
type Wire = any; // oxlint-disable-line typescript/no-explicit-any

/** A user of the venue: key, account, and a scoped token. */
export interface PoolUser {
  readonly key: Hex;
  readonly account: Hex;
  readonly identityToken: string;
  readonly tokenId: string;
  readonly secret: string;
}

/** Of the chains of fixtures as well: a market's names follow from it. */
const SEED = 7;

/** The venue behind its servers, on a clock ten times as fast as life. */
export interface PoolWorld {
  readonly open: OpenVenueC;
  readonly shared: SharedModel;
  /** A fresh user with so many dollars. */
  user(usdc?: string): Promise<PoolUser>;
  /** Calls the REST interface. */
  call(
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<{ readonly status: number; readonly body: Wire }>;
  close(): Promise<void>;
}

/** Starts it; `dataDir` keeps what it has over a stop. */
export async function startPoolWorld(
  options: {
    readonly dataDir?: string | null;
    readonly foundedAtMs?: number;
    /** False leaves the books to users. */
    readonly makers?: boolean;
    readonly parts?: Partial<VenueParts>;
    /** Of the world and of its wall; absent: ten times as fast as life. */
    readonly clock?: Clock;
  } = {},
): Promise<PoolWorld> {
  const nowMs = options.clock?.nowMs() ?? Date.now();
  const anchor = { anchorWallMs: nowMs, anchorMs: nowMs, scale: 10 };
  const clock = options.clock ?? createScaledClock(anchor);
  const prices = createPriceProcess(SEED, startingPrices(Math.floor(nowMs / 1_000) - 36_000));
  const shared = createSharedModel({ clock, seed: SEED, prices });
  const read: Partial<WorldOptions> = {
    seed: SEED,
    dataDir: options.dataDir ?? null,
    makers: options.makers ?? true,
    settlement: 'chain',
    clock,
    wallClock: options.clock ?? createWallClock(),
    marketTime: options.clock === undefined ? scaledMarketTime(anchor) : ONE_TIME,
  };
  const parts: Partial<VenueParts> = {
    options: read as WorldOptions, // what the venue reads of them
    shared,
    foundedAtMs: options.foundedAtMs ?? nowMs,
    store: null,
    chains: null,
    ...options.parts,
  };
  const open = await venueC.open(parts as VenueParts); // the rest is Solana's
  const { poolRest, poolIdentityUrl, poolEndowmentUrl } = open.urls;
  const post = async (url: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers });
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
    const read: Record<string, string> = JSON.parse(await answer.text());
    return read;
  };
  return {
    open,
    shared,
    async user(usdc = '1000') {
      const key = generatePrivateKey();
      const signer = privateKeyToAccount(key);
      const message = await (await fetch(`${poolRest}/auth/signing-message`)).text();
      const { identityToken = '' } = await post(poolIdentityUrl, {
        account: signer.address,
        message,
        signature: await signer.signMessage({ message }),
      });
      const derived = await post(
        `${poolRest}/auth/api-tokens/derive`,
        { scopes: ['trading'] },
        { identity: `Bearer ${identityToken}` },
      );
      if (usdc !== '0') await post(poolEndowmentUrl, { address: signer.address, usdc });
      const { tokenId = '', secret = '' } = derived;
      return { key, account: signer.address, identityToken, tokenId, secret };
    },
    async call(method, path, { body, headers = {} } = {}) {
      const answer = await fetch(`${poolRest}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.json() };
    },
    close: () => open.close(),
  };
}
