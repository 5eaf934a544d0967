import {
  createWalletClient,
  http,
  type Account,
  type Hex,
  type HttpTransport,
  type WalletClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { polygon } from 'viem/chains';

/**
 * Creates a signer as the published clients take it, by the viem they bring; it reaches no chain.
 */
export function peerSigner(key: Hex): WalletClient<HttpTransport, typeof polygon, Account> {
  return createWalletClient({
    account: privateKeyToAccount(key),
    chain: polygon,
    transport: http('http://127.0.0.1:9'),
  });
}
