import { z } from 'zod';
import { parseUsdc } from '../../../domain/units.ts';
import type { VenueModel } from '../../engine/exchange.ts';
import { readAddress } from './clob/venue-auth.ts';
import type { ChainVenue } from './settlement/chain-venue.ts';
import {
  failed,
  ok,
  serveHttp,
  readJson,
  type Listening,
  type Reply,
} from '../../wire/http-server.ts';
import { createNamedCalls, type NamedCalls } from '../../wire/named-calls.ts';

const grantSchema = z.object({
  address: z.string(),
  usdc: z.string(),
  tradable: z.boolean().optional(),
  name: z.string().max(200).optional(),
});

/** Where users' money is on the chain. */
type OnChain = Pick<ChainVenue, 'mint' | 'makeTradable'>;

/**
 * Serves the sandbox's own faucet: `POST /faucet {"address":"0x…","usdc":"100"}` gives collateral
 * out of nothing, on the chain where users' money is there; with `"tradable":true` also coins and
 * the allowances that orders need. A call with a `name` pays once, however often it is made. The
 * real venue has no such thing; an account's collateral comes from a deposit there.
 */
export async function startFaucet({
  exchange,
  onChain = null,
  port,
}: {
  readonly exchange: VenueModel;
  readonly onChain?: OnChain | null;
  readonly port?: number;
}): Promise<Listening> {
  const grants = createNamedCalls<Promise<Reply>>();
  return serveHttp({
    clock: exchange.clock,
    ...(port === undefined ? {} : { port }),
    routes: [
      {
        method: 'POST',
        path: '/faucet',
        run: ({ body }) => grant({ exchange, onChain, grants }, body),
      },
    ],
  });
}

async function grant(
  {
    exchange,
    onChain,
    grants,
  }: {
    readonly exchange: VenueModel;
    readonly onChain: OnChain | null;
    readonly grants: NamedCalls<Promise<Reply>>;
  },
  body: string,
): Promise<Reply> {
  const parsed = grantSchema.safeParse(readJson(body));
  const address = parsed.success ? readAddress(parsed.data.address) : null;
  const usdc = parsed.success ? parseUsdc(parsed.data.usdc) : null;
  if (address === null) return failed(400, 'address is not an address');
  if (usdc === null || usdc <= 0)
    return failed(400, 'usdc is not a positive decimal text with at most six decimals');
  return grants(parsed.data?.name, async () => {
    if (onChain === null) exchange.deposit(address, usdc);
    else {
      await onChain.mint(address, usdc);
      if (parsed.data?.tradable === true) await onChain.makeTradable(address);
    }
    return ok({ address, usdc: parsed.data?.usdc ?? '0' });
  });
}
