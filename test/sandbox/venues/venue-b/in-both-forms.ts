import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../../src/adapters/clock/virtual-clock.ts';
import type { Transport } from '../../../../src/adapters/wire/transport.ts';
import type { Clock } from '../../../../src/ports/clock.ts';
import type { FaultBoard } from '../../../../src/sandbox/faults.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../../src/sandbox/feeds/prices/price-process.ts';
import { createSharedModel } from '../../../../src/sandbox/shared-model.ts';
import type { ContractVenue } from '../../../../src/sandbox/venues/venue-b/contract-venue.ts';
import {
  createDirectVenue,
  type DirectVenue,
} from '../../../../src/sandbox/venues/venue-b/direct/direct-venue.ts';
import type { Listing } from '../../../../src/sandbox/venues/venue-b/model/listing.ts';
import { pump } from '../../../support/clocks/pumped-clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { serveVenueB } from '../../../support/fixtures/served-venue-b.ts';
import { marketsIn, NOON_MS } from './a-model.ts';
import { aWallet, signedBy, type Wire } from './a-venue.ts';

const SEED = 5;
const BOUNDS = {
  connectionsMaximum: 4,
  keepAliveMs: 1_000,
  connectTimeoutMs: 60_000,
  answerMaximumBytes: 4 << 20,
};

/** The venue in one of its forms, on a clock in motion that can be moved on at once. */
export interface VenueForm {
  readonly urls: DirectVenue['urls'];
  readonly transport: Transport;
  readonly venue: ContractVenue;
  readonly faults: FaultBoard;
  jump(ms: number): void;
  close(): Promise<void>;
}

/** Behind its servers, on real sockets. */
export async function behindServers(): Promise<VenueForm> {
  const { jump, stop, shared } = moving();
  const served = await serveVenueB(SEED, shared);
  return {
    ...served,
    faults: shared.faults,
    jump,
    async close() {
      await served.close();
      await stop();
    },
  };
}

/** Within the process, without any. */
export async function withinProcess(): Promise<VenueForm> {
  const { jump, stop, shared } = moving();
  const direct = createDirectVenue({ seed: SEED, shared, latencyMs: 1 });
  return {
    urls: direct.urls,
    transport: direct.transport,
    venue: direct.venue,
    faults: shared.faults,
    jump,
    async close() {
      await stop();
      direct.close();
    },
  };
}

function moving() {
  const virtual = createVirtualClock(NOON_MS);
  let ahead = 0;
  const clock: Clock = {
    nowMs: () => virtual.nowMs() + ahead,
    after: (delayMs, run) => virtual.after(delayMs, run),
  };
  const prices = createPriceProcess(SEED, startingPrices(NOON_MS / 1_000 - 36_000));
  const motion = pump(virtual, 20);
  return {
    shared: createSharedModel({ clock, seed: SEED, prices }),
    jump: (ms: number) => {
      ahead += ms;
    },
    stop: () => motion.stop(),
  };
}

/** What a client of the venue sees, whichever way it is reached. */
export function sameInBothForms(name: string, start: () => Promise<VenueForm>): void {
  describe(`the contract venue ${name}`, () => {
    let form: VenueForm;
    let listing: Listing;
    const user = aWallet('in both forms');

    const call = async (
      baseUrl: string,
      path: string,
      body?: unknown,
    ): Promise<{ status: number; body: Wire }> => {
      const calls = form.transport.calls({ ...BOUNDS, baseUrl });
      const outcome = await calls.send({
        method: body === undefined ? 'GET' : 'POST',
        path,
        timeoutMs: 60_000,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      await calls.close();
      if (outcome.kind !== 'answered') throw new Error(outcome.cause);
      return { status: outcome.status, body: JSON.parse(outcome.text) };
    };
    const rpc = async (method: string, ...params: unknown[]): Promise<Wire> =>
      (await call(form.urls.rpcUrl, '/', { jsonrpc: '2.0', id: 1, method, params })).body;
    const usdc = async (): Promise<string> =>
      (
        await rpc(
          'getTokenAccountsByOwner',
          user.address,
          { mint: USDC },
          { encoding: 'jsonParsed' },
        )
      ).result.value[0].account.data.parsed.info.tokenAmount.uiAmountString;
    const mint = (): string => form.venue.rails.of(listing).mints.yes.address;
    const ask = async (from: string, to: string, amount: number) =>
      call(
        form.urls.tradeUrl,
        `/order?inputMint=${from}&outputMint=${to}&amount=${amount}&userPublicKey=${user.address}`,
      );
    const send = async (order: Wire): Promise<string> => {
      const { signature, bytes } = signedBy(user, order.transaction);
      const answer = await rpc('sendTransaction', Buffer.from(bytes).toString('base64'), {
        encoding: 'base64',
      });
      expect(answer.result).toBe(signature);
      return signature;
    };
    const statusOf = (signature: string, height = '') =>
      call(
        form.urls.tradeUrl,
        `/order-status?signature=${signature}&lastValidBlockHeight=${height}`,
      );
    const trade = async (order: { body: Wire }): Promise<Wire> => {
      const signature = await send(order.body);
      return eventually(async () => {
        const { body } = await statusOf(signature);
        expect(body.status).toBe('closed');
        return body;
      });
    };

    beforeAll(async () => {
      form = await start();
      const [first] = marketsIn(form.venue.model, 'active').filter(
        ({ isInitialized }) => isInitialized,
      );
      if (first === undefined) throw new Error('nothing is listed');
      listing = first;
      form.venue.model.script(listing, { book: { yes: { 9_500: 100 }, no: { 400: 10 } } });
      const given = await call(form.urls.endowmentUrl.replace('/endowment', ''), '/endowment', {
        address: user.address,
        usdc: '100',
        lamports: '1000000000',
      });
      expect(given.body).toMatchObject({ verified: false });
    });
    afterAll(() => form.close());

    it('shows its markets and books', async () => {
      const { body } = await call(`${form.urls.metadataUrl}/api/v1`, `/market/${listing.ticker}`);
      expect(body).toMatchObject({
        ticker: listing.ticker,
        status: 'active',
        yesBid: '0.9500',
        yesAsk: '0.9600',
      });
      expect((await call(`${form.urls.metadataUrl}/api/v1`, '/markets?limit=256')).status).toBe(
        400,
      );
    });

    it('sells to people it knows, and gives back what it did not need', async () => {
      expect((await ask(USDC, mint(), 5_000_000)).body).toMatchObject({
        code: 'unverified_wallet_not_allowed',
      });
      form.venue.verified.add(user.address);
      expect((await call(form.urls.proofUrl, `/verify/${user.address}`)).body).toEqual({
        verified: true,
      });
      const bought = await trade(await ask(USDC, mint(), 5_000_000));
      // Five at 0.96 and the fee of them.
      expect([bought.outAmount, bought.fills[0].inAmount, bought.reverts[0].amount]).toEqual([
        '5000000',
        '4821920',
        '178080',
      ]);
      expect(await usdc()).toBe('95.17808');
    });

    it('fills in part what its book cannot give whole', async () => {
      const partial = await trade(await ask(USDC, mint(), 20_000_000));
      expect([partial.outAmount, partial.reverts.length]).toEqual(['5000000', 1]);
      form.venue.model.script(listing, { book: { yes: { 9_500: 100 }, no: { 400: 10 } } });
    });

    it('reverts by name, and then moves nothing', async () => {
      const before = await usdc();
      form.faults.arm('reverted-fill', { times: 1 });
      expect(await trade(await ask(USDC, mint(), 2_000_000))).toMatchObject({
        fills: [],
        reverts: [{ amount: '2000000' }],
      });
      expect(await usdc()).toBe(before);
    });

    it('lands the same bytes once', async () => {
      const { body } = await ask(USDC, mint(), 1_000_000);
      await send(body);
      const { bytes } = signedBy(user, body.transaction);
      const again = await rpc('sendTransaction', Buffer.from(bytes).toString('base64'), {
        encoding: 'base64',
      });
      expect(again.error.message).toContain('already been processed');
    });

    it('never lands what is sent too late', async () => {
      const { body } = await ask(USDC, mint(), 2_000_000);
      form.jump(61_000);
      const { signature, bytes } = signedBy(user, body.transaction);
      const late = await rpc('sendTransaction', Buffer.from(bytes).toString('base64'), {
        encoding: 'base64',
        skipPreflight: true,
      });
      expect(late.result).toBe(signature);
      expect((await statusOf(signature, String(body.lastValidBlockHeight))).body).toMatchObject({
        status: 'expired',
      });
    });

    it('buys back, and redeems winners at a dollar until nothing is left', async () => {
      expect(await trade(await ask(mint(), USDC, 4_000_000))).toMatchObject({
        fills: [{ inAmount: '4000000' }],
      });
      const held = form.venue.settlement.backing(listing);
      expect([held.vault, held.yes]).toEqual([held.yes, held.no]);
      form.venue.model.script(listing, { result: 'yes' });
      const redeemed = await trade(await ask(mint(), USDC, held.yes));
      expect(redeemed.outAmount).toBe(String(held.yes));
      expect(form.venue.settlement.backing(listing)).toMatchObject({ vault: 0, yes: 0 });
      expect((await ask(USDC, mint(), 5_000_000)).body).toMatchObject({ code: 'route_not_found' });
    });
  });
}

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
