import { describe, expect, it } from 'vitest';
import type { HttpOutcome } from '../../../../src/adapters/wire/http-calls.ts';
import { createDirectVenue } from '../../../../src/sandbox/venues/venue-b/direct/direct-venue.ts';
import { aModel, marketsIn } from './a-model.ts';
import { aWallet, signedBy, type Wire } from './a-venue.ts';

const CALLS = {
  connectionsMaximum: 1,
  keepAliveMs: 1,
  connectTimeoutMs: 1,
  answerMaximumBytes: 1 << 20,
};

function opened() {
  const { clock, shared } = aModel();
  const direct = createDirectVenue({ seed: 7, shared, latencyMs: 5, feeScale: 0 });
  const user = aWallet('direct');
  direct.faucet.giveLamports(user.address, 1_000_000_000n);
  direct.faucet.giveUsdc(user.address, 100_000_000n);
  direct.venue.verified.add(user.address);
  const listing = marketsIn(direct.venue.model, 'active')[0];
  if (listing === undefined) throw new Error('nothing is listed');
  direct.venue.model.script(listing, { book: { yes: { 9_500: 100 }, no: { 400: 10 } } });
  const call = async (
    baseUrl: string,
    path: string,
    body?: unknown,
  ): Promise<{ kind: HttpOutcome['kind']; body: Wire }> => {
    const sending = direct.transport.calls({ ...CALLS, baseUrl }).send({
      method: body === undefined ? 'GET' : 'POST',
      path,
      timeoutMs: 5_000,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await clock.advance(20);
    const outcome = await sending;
    return {
      kind: outcome.kind,
      body: outcome.kind === 'answered' ? JSON.parse(outcome.text) : null,
    };
  };
  const rpc = (method: string, ...params: unknown[]) =>
    call(direct.urls.rpcUrl, '/', { jsonrpc: '2.0', id: 1, method, params });
  const order = async () =>
    (
      await call(
        direct.urls.tradeUrl,
        `/order?inputMint=${direct.urls.usdcMint}&outputMint=${direct.venue.rails.of(listing).mints.yes.address}&amount=4850000&userPublicKey=${user.address}`,
      )
    ).body;
  const send = (transaction: string) => {
    const signed = signedBy(user, transaction);
    return {
      signature: signed.signature,
      sent: rpc('sendTransaction', Buffer.from(signed.bytes).toString('base64'), {
        encoding: 'base64',
      }),
    };
  };
  return { clock, shared, direct, user, listing, call, rpc, order, send };
}

describe('the contract venue within the process', () => {
  it('answers on each of its interfaces, its chain included, by the clock alone', async () => {
    const { direct, listing, call, order, send, clock } = opened();
    const { urls } = direct;
    expect(
      (await call(`${urls.metadataUrl}/api/v1`, `/market/${listing.ticker}`)).body,
    ).toMatchObject({ yesAsk: '0.9600' });
    const { signature, sent } = send((await order()).transaction);
    expect((await sent).body.result).toBe(signature);
    await clock.advance(2_000);
    expect((await call(urls.tradeUrl, `/order-status?signature=${signature}`)).body).toMatchObject({
      status: 'closed',
      outAmount: '5000000',
    });
    direct.close();
  });

  it('tells of books on its socket', async () => {
    const { direct, listing, clock } = opened();
    const frames: Wire[] = [];
    const socket = direct.transport.openSocket(
      { url: direct.urls.metadataSocketUrl, idleMs: null } as Parameters<
        typeof direct.transport.openSocket
      >[0],
      {
        next: (frame) => frames.push(JSON.parse(frame.toString())),
        error: (cause) => frames.push(cause),
      },
    );
    await clock.advance(10);
    socket.send(
      JSON.stringify({ type: 'subscribe', channel: 'orderbook', tickers: [listing.ticker] }),
    );
    await clock.advance(10);
    direct.venue.model.script(listing, { book: { yes: { 9_400: 1 }, no: {} } });
    await clock.advance(10);
    expect(frames).toEqual([expect.objectContaining({ yes_bids: { '0.9400': 1 } })]);
    socket.close();
  });

  it('loses the answer to a transaction that it takes, by name', async () => {
    const { shared, order, send, call, direct, clock } = opened();
    const { transaction } = await order();
    shared.faults.arm('solana-answer-lost', { times: 1 });
    const { signature, sent } = send(transaction);
    expect((await sent).kind).toBe('lost');
    await clock.advance(2_000);
    expect(
      (await call(direct.urls.tradeUrl, `/order-status?signature=${signature}`)).body.status,
    ).toBe('closed');
  });

  it('has a node that falls behind, by name', async () => {
    const { shared, order, send, rpc, clock } = opened();
    const { signature, sent } = send((await order()).transaction);
    await sent;
    await clock.advance(2_000);
    const heightOf = async () => (await rpc('getBlockHeight')).body.result;
    const [height, seen] = [
      await heightOf(),
      (await rpc('getSignatureStatuses', [signature])).body.result.value[0],
    ];
    shared.faults.arm('solana-node-behind');
    expect([
      await heightOf(),
      (await rpc('getSignatureStatuses', [signature])).body.result.value[0],
    ]).toEqual([height - 50, null]);
    shared.faults.clear('solana-node-behind');
    expect((await rpc('getSignatureStatuses', [signature])).body.result.value[0]).toMatchObject({
      slot: seen.slot,
      err: null,
    });
  });

  it('drops a confirmed block for a fork, by name: the order never was, and the same bytes open it again', async () => {
    const { shared, order, send, rpc, call, direct, clock, user } = opened();
    const usdc = async () =>
      (
        await rpc(
          'getTokenAccountsByOwner',
          user.address,
          { mint: direct.urls.usdcMint },
          { encoding: 'jsonParsed' },
        )
      ).body.result.value[0].account.data.parsed.info.tokenAmount.uiAmountString;
    const { transaction } = await order();
    shared.faults.arm('solana-fork', {
      times: 1,
      delayMs: 3_000,
      match: { address: user.address },
    });
    const { signature, sent } = send(transaction);
    await sent;
    const seen = async () => [
      (await call(direct.urls.tradeUrl, `/order-status?signature=${signature}`)).body.status,
      (await rpc('getSignatureStatuses', [signature])).body.result.value[0]?.confirmationStatus,
      await usdc(),
    ];
    await clock.advance(2_000);
    expect(await seen()).toEqual(['closed', 'confirmed', '95.2']);
    await clock.advance(2_000);
    expect(await seen()).toEqual([undefined, undefined, '100']);
    await send(transaction).sent;
    await clock.advance(2_000);
    expect(await seen()).toEqual(['closed', 'confirmed', '95.2']);
  });

  it("gives up the market maker's winners again after a fork has brought them back", async () => {
    const { shared, order, send, direct, clock, listing } = opened();
    await send((await order()).transaction).sent;
    await clock.advance(2_000);
    const { model, settlement } = direct.venue;
    model.script(listing, { result: 'no' });
    const vault = () => settlement.backing(listing).vault;
    expect(vault()).toBe(5_000_000);
    shared.faults.arm('solana-fork', { match: { address: settlement.router.address } });
    const isGivenUp = () => vault() === 0;
    expect(await clock.advanceUntil(isGivenUp, 120_000)).toBe(true);
    shared.faults.clear('solana-fork');
    expect(await clock.advanceUntil(() => !isGivenUp(), 30_000)).toBe(true);
    await clock.advance(120_000);
    expect(vault()).toBe(0);
  });
});
