import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClobClient, OrderType, Side } from '../peers/clob-client-v2.ts';
import { peerSigner } from '../peers/signer.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSandboxTime, type ClockAnchor } from '../../src/app/sandbox-time.ts';
import { asId, type OrderId } from '../../src/domain/ids.ts';
import { startFixture, TEST_ADDRESS, TEST_KEY, UP, type Fixture } from './venue-a-fixture.ts';

const MINUTE_MS = 60_000;
const signer = peerSigner(TEST_KEY);

describe.each([1, 10])(
  '@polymarket/clob-client-v2 1.1.0 against a sandbox at speed %i',
  (speed) => {
    let folder: string;
    let fixture: Fixture;
    let anchor: ClockAnchor;
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'predictd-clock-'));
      const wallMs = Date.now();
      // A faster one has run before and is hours ahead.
      if (speed > 1) openSandboxTime(folder, speed, wallMs).stop(wallMs + 9 * 60 * MINUTE_MS);
      ({ anchor } = openSandboxTime(folder, speed, wallMs));
      fixture = await startFixture({ endsAtMs: wallMs + 48 * 60 * MINUTE_MS }, anchor);
      await fetch(`${fixture.faucet}/faucet`, {
        method: 'POST',
        body: JSON.stringify({ address: TEST_ADDRESS, usdc: '1000' }),
      });
    });
    afterEach(async () => {
      await fixture.close();
      rmSync(folder, { recursive: true });
    });

    it.each([
      ['its default options', {}],
      ["the server's time", { useServerTime: true }],
    ] as const)('makes a key, trades and cancels with %s', async (_options, options) => {
      const common = {
        host: fixture.rest,
        chain: 137,
        signer,
        throwOnError: true,
        ...options,
      } as const;
      const creds = await new ClobClient(common).createOrDeriveApiKey();
      const client = new ClobClient({ ...common, creds });
      fixture.quote({ tokenId: UP, side: 'sell', price: 5100, shares: 30 });
      expect(
        await client.createAndPostOrder(
          { tokenID: UP, price: 0.51, size: 10, side: Side.BUY },
          {},
          OrderType.GTC,
        ),
      ).toMatchObject({ success: true, status: 'matched' });
      const resting = await client.createAndPostOrder(
        { tokenID: UP, price: 0.4, size: 10, side: Side.BUY },
        {},
        OrderType.GTC,
      );
      expect(await client.getOpenOrders()).toMatchObject([{ id: resting.orderID }]);
      expect(await client.cancelOrder({ orderID: resting.orderID })).toMatchObject({
        canceled: [resting.orderID],
      });
    });

    it("ends a GTD order a minute before the time its owner stated by the owner's own clock", async () => {
      const common = { host: fixture.rest, chain: 137, signer, throwOnError: true } as const;
      const client = new ClobClient({
        ...common,
        creds: await new ClobClient(common).createOrDeriveApiKey(),
      });
      const place = (expiration: number) =>
        client.createAndPostOrder(
          { tokenID: UP, price: 0.4, size: 10, side: Side.BUY, expiration },
          {},
          OrderType.GTD,
        );
      await expect(place(Math.floor(Date.now() / 1_000) + 30)).rejects.toThrow(
        'invalid expiration',
      );
      const expiration = Math.floor(Date.now() / 1_000) + 3_600;
      const { orderID } = await place(expiration);
      expect(await client.getOrder(orderID)).toMatchObject({
        order_type: 'GTD',
        expiration: String(expiration),
      });
      const { anchorMs, anchorWallMs } = anchor;
      const endsAtMs = anchorMs + (expiration * 1_000 - MINUTE_MS - anchorWallMs) * speed;
      expect(fixture.exchange.order(asId<OrderId>(orderID))?.order.expiresAtMs).toBe(
        endsAtMs + MINUTE_MS,
      );
    });
  },
);
