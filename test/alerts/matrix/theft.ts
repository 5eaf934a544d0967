import { encodeFunctionData, parseAbi, type Hex } from 'viem';
import { POLYGON_MONEY } from '../../../config/profiles/venue-a-contracts.ts';
import type { Sandbox } from './sandbox.ts';

/** More than the few transactions of it cost, wei. */
const GAS_WEI = 10n ** 18n;
const NOWHERE = '0x000000000000000000000000000000000000dEaD';

/**
 * Moves collateral, micros, out of the demo user's Safe on its chain, as another holder of its key
 * could.
 */
export async function moveFromSafe(sandbox: Sandbox, micros: bigint): Promise<void> {
  const { body } = await sandbox.call('GET', '/api/user/profile/');
  const safe: Hex = Object(body['wallets']).safe;
  const rpc = async (method: string, ...params: readonly unknown[]): Promise<void> => {
    const answer = await fetch(sandbox.addresses()['polygonRpc'] ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { error } = Object(await answer.json());
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  };
  await rpc('anvil_setBalance', safe, `0x${GAS_WEI.toString(16)}`);
  await rpc('anvil_impersonateAccount', safe);
  await rpc('eth_sendTransaction', {
    from: safe,
    to: POLYGON_MONEY.collateral,
    data: encodeFunctionData({
      abi: parseAbi(['function transfer(address to, uint256 amount) returns (bool)']),
      args: [NOWHERE, micros],
    }),
  });
  await rpc('anvil_stopImpersonatingAccount', safe);
}
