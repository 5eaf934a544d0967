import { Connection, Keypair, PublicKey, VersionedTransaction } from '@solana/web3.js';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScaledClock } from '../../../../src/adapters/clock/scaled-clock.ts';
import { TOKEN_2022_PROGRAM, USDC_MINT } from '../../../../src/sandbox/chains/solana/addresses.ts';
import type { Clock } from '../../../../src/ports/clock.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../../src/sandbox/feeds/prices/price-process.ts';
import { createSharedModel } from '../../../../src/sandbox/shared-model.ts';
import type { WorldOptions } from '../../../../src/sandbox/world-settings.ts';
import { venueB, type OpenVenueB } from '../../../../src/sandbox/venues/venue-b/venue.ts';
import type { Listing } from '../../../../src/sandbox/venues/venue-b/model/listing.ts';
import { eventually } from '../../../support/eventually.ts';
import { startSolanaNode, type SolanaNode } from '../../../support/fixtures/solana-node.ts';
import { marketsIn } from './a-model.ts';
import type { Wire } from './a-venue.ts';

/** A clock whose hands can be moved on. */
interface JumpingClock extends Clock {
  jump(ms: number): void;
}

function createJumpingClock(clock: Clock): JumpingClock {
  let ahead = 0;
  return {
    nowMs: () => clock.nowMs() + ahead,
    after: (delayMs, run) => clock.after(delayMs, run),
    jump(ms) {
      ahead += ms;
    },
  };
}

/** What the venue reads of its world's settings; what it does without is left out. */
function aWorld(clock: Clock): WorldOptions {
  const read: Partial<WorldOptions> = { seed: 5, dataDir: null, clock, wallClock: clock };
  return read as WorldOptions;
}

describe('the contract venue behind its servers, under @solana/web3.js', () => {
  let clock: JumpingClock;
  let node: SolanaNode;
  let open: OpenVenueB;
  let connection: Connection;
  let listing: Listing;
  let frames: Wire[];
  let socket: WebSocket;
  const user = Keypair.generate();

  const get = async (base: string, path: string): Promise<Wire> =>
    (await fetch(base + path)).json();
  const mint = (side: 'yes' | 'no') => open.venue.rails.of(listing).mints[side].address;
  const ask = (from: string, to: string, amount: number): Promise<Wire> =>
    get(
      open.urls.tradeUrl,
      `/order?inputMint=${from}&outputMint=${to}&amount=${amount}&userPublicKey=${user.publicKey.toBase58()}&predictionMarketSlippageBps=0&slippageBps=0`,
    );
  const signed = ({ transaction }: Wire): VersionedTransaction => {
    const made = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
    made.sign([user]);
    return made;
  };
  const closed = async (signature: string): Promise<Wire> =>
    eventually(async () => {
      const status = await get(open.urls.tradeUrl, `/order-status?signature=${signature}`);
      expect(status.status).toBe('closed');
      return status;
    });
  /** Sends what `/order` gave, as the vendor's scripts do, and waits for its end. */
  const trade = async (order: Wire): Promise<Wire> => {
    const transaction = signed(order);
    const signature = await connection.sendRawTransaction(transaction.serialize());
    const { value } = await connection.confirmTransaction({
      signature,
      blockhash: transaction.message.recentBlockhash,
      lastValidBlockHeight: order.lastValidBlockHeight,
    });
    expect(value.err).toBeNull();
    return closed(signature);
  };
  const tokens = async (): Promise<readonly string[]> =>
    (
      await connection.getParsedTokenAccountsByOwner(user.publicKey, {
        programId: new PublicKey(TOKEN_2022_PROGRAM),
      })
    ).value
      .map(({ account }) => account.data.parsed.info.tokenAmount.uiAmountString)
      .filter((amount) => amount !== '0');

  beforeAll(async () => {
    const nowMs = Date.now();
    clock = createJumpingClock(
      createScaledClock({ anchorWallMs: nowMs, anchorMs: nowMs, scale: 4 }),
    );
    node = await startSolanaNode({ clock, seed: 5 });
    const prices = createPriceProcess(5, startingPrices(Math.floor(nowMs / 1_000) - 36_000));
    const shared = { ...createSharedModel({ clock, seed: 5, prices }), faults: node.faults };
    open = await venueB.open({
      options: aWorld(clock),
      shared,
      foundedAtMs: nowMs,
      store: null,
      chains: null,
      solanaRpcUrl: node.url,
      solana: node,
    });
    // The socket is expected one port above, as clients do without an address of it.
    connection = new Connection(node.url, 'confirmed');
    const [first] = marketsIn(open.venue.model, 'active').filter(
      (each) => each.isInitialized && each.seriesTicker === 'KXHIGHNY',
    );
    if (first === undefined) throw new Error('nothing is listed');
    listing = first;
    open.venue.model.script(listing, { book: { yes: { 9_500: 100 }, no: { 400: 10 } } });
    await fetch(open.urls.endowmentUrl, {
      method: 'POST',
      body: JSON.stringify({
        address: user.publicKey.toBase58(),
        usdc: '100',
        lamports: '1000000000',
        verified: true,
      }),
    });
    frames = [];
    socket = new WebSocket(open.urls.metadataSocketUrl);
    await new Promise((resolve) => socket.once('open', resolve));
    socket.on('message', (data) => frames.push(JSON.parse(String(data))));
    socket.send(
      JSON.stringify({ type: 'subscribe', channel: 'orderbook', tickers: [listing.ticker] }),
    );
    socket.send(
      JSON.stringify({ type: 'subscribe', channel: 'trades', tickers: [listing.ticker] }),
    );
  });
  afterAll(async () => {
    socket.terminate();
    // The client cannot be informed that it is over: its socket would try to reach the node for
    // ever.
    (connection as unknown as { _rpcWebSocket: { close(): void } })._rpcWebSocket.close();
    await open.close();
    await node.close();
  });

  it('buys for what the book asks, and its book and its tape tell of it', async () => {
    expect(await get(open.urls.proofUrl, `/verify/${user.publicKey.toBase58()}`)).toEqual({
      verified: true,
    });
    const bought = await trade(await ask(USDC_MINT, mint('yes'), 5_000_000));
    expect(bought.outAmount).toBe('5000000');
    expect(Number(bought.fills[0].inAmount) + Number(bought.reverts[0].amount)).toBe(5_000_000);
    expect(await tokens()).toEqual(['5']);
    await eventually(() =>
      expect(frames).toContainEqual(
        expect.objectContaining({ channel: 'orderbook', no_bids: { '0.0400': 5 } }),
      ),
    );
    await eventually(() =>
      expect(frames).toContainEqual(
        expect.objectContaining({ channel: 'trades', count: 5, yes_price: 9_600 }),
      ),
    );
    const fill = await connection.getParsedTransaction(bought.fills[0].signature, {
      maxSupportedTransactionVersion: 0,
      commitment: 'confirmed',
    });
    expect(fill?.meta?.err).toBeNull();
  });

  it('fills in part what the book cannot give whole, reverts by name, sells, and redeems at a dollar', async () => {
    const partial = await trade(await ask(USDC_MINT, mint('yes'), 20_000_000));
    expect([partial.outAmount, partial.reverts.length]).toEqual(['5000000', 1]);
    open.venue.model.script(listing, { book: { yes: { 9_500: 100 }, no: { 400: 10 } } });
    node.faults.arm('reverted-fill', { times: 1 });
    expect(await trade(await ask(USDC_MINT, mint('yes'), 2_000_000))).toMatchObject({
      fills: [],
      reverts: [{ amount: '2000000' }],
    });
    const sold = await trade(await ask(mint('yes'), USDC_MINT, 4_000_000));
    expect(Number(sold.outAmount)).toBeGreaterThan(3_700_000);
    expect(await tokens()).toEqual(['6']);
    open.venue.model.script(listing, { result: 'yes' });
    expect((await trade(await ask(mint('yes'), USDC_MINT, 6_000_000))).outAmount).toBe('6000000');
    expect(await tokens()).toEqual([]);
    expect(open.venue.settlement.backing(listing)).toMatchObject({ vault: 0, yes: 0 });
  });

  it('never lands once its height has passed', async () => {
    const [other] = marketsIn(open.venue.model, 'active').filter(
      (each) => each.isInitialized && each.ticker !== listing.ticker,
    );
    if (other === undefined) throw new Error('nothing else is listed');
    open.venue.model.script(other, { book: { yes: { 9_500: 100 }, no: { 400: 10 } } });
    const order = await ask(USDC_MINT, open.venue.rails.of(other).mints.yes.address, 2_000_000);
    const bytes = signed(order);
    clock.jump(61_000);
    await expect(connection.sendRawTransaction(bytes.serialize())).rejects.toThrow(
      /Blockhash not found/,
    );
    const signature = await connection.sendRawTransaction(bytes.serialize(), {
      skipPreflight: true,
    });
    expect(
      await get(
        open.urls.tradeUrl,
        `/order-status?signature=${signature}&lastValidBlockHeight=${order.lastValidBlockHeight}`,
      ),
    ).toMatchObject({ status: 'expired', fills: [], reverts: [] });
  });
});
