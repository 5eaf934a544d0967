import { ask } from '../ask.ts';
import type { Citizen, Environment } from './environment.ts';

/** A market that stays open for the length of a run, and the token of its first outcome. */
export async function standingMarket(
  { port }: Environment,
  { token }: Citizen,
): Promise<{ readonly marketId: string; readonly tokenId: string }> {
  const { status, text } = await ask({
    port,
    method: 'GET',
    path: '/api/venue_a/markets/?limit=200',
    headers: { authorization: `Bearer ${token}` },
  });
  if (status !== 200) throw new Error(`the markets answered ${status}: ${text.slice(0, 300)}`);
  // the interface's own shape, which its tests hold
  const { data } = JSON.parse(text) as {
    readonly data: readonly {
      readonly marketId: string;
      readonly endsAtMs: number | null;
      readonly outcomes: readonly { readonly tokenId: string }[];
    }[];
  };
  const [longest] = [...data].sort((a, b) => (b.endsAtMs ?? 0) - (a.endsAtMs ?? 0));
  const tokenId = longest?.outcomes[0]?.tokenId;
  if (longest === undefined || tokenId === undefined)
    throw new Error('the sandbox lists no market');
  return { marketId: longest.marketId, tokenId };
}
