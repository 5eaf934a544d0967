import type { Endpoints } from '../../config/profiles/profile.ts';
import { SANDBOX_COMMAND } from '../../config/limits/sandbox.ts';
import type { WalletAddresses } from '../adapters/safe-relayer/derive.ts';
import { AppError } from '../domain/errors.ts';
import { asId, type Address } from '../domain/ids.ts';
import { sandboxAddresses } from './sandbox-addresses.ts';

/** A wallet with play money. */
export interface FundedWallet {
  readonly address: string;
  /** The venue's Safe of an EVM key; null for a wallet on Solana. */
  readonly safe: string | null;
  /** What it has now, in words. */
  readonly holds: string;
}

const { usdc, lamports } = SANDBOX_COMMAND;

/** Which chain an address is of. Errors: `config_invalid` for anything else. */
export function walletKind(text: string): 'evm' | 'solana' {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return 'evm';
  if (/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return 'solana';
  throw new AppError(
    'config_invalid',
    `--fund ${text} is neither an EVM address (0x and 40 hex digits) nor one of Solana (base58).`,
  );
}

/**
 * Gives a wallet of the caller's what it trades with, at each start once more: an EVM address gets
 * coins, collateral and every allowance of the exchanges, and its Safe collateral; a Solana address
 * coins, USDC and the proof of a person. Errors: `config_invalid` for anything else,
 * `venue_unavailable` when the sandbox refuses.
 */
export async function fundWallet(
  text: string,
  { endpoints, safeOf }: Pick<WalletAddresses, 'safeOf'> & { readonly endpoints: Endpoints },
): Promise<FundedWallet> {
  const known = sandboxAddresses(endpoints);
  const at = (name: string): string => known.get(name) ?? '';
  if (walletKind(text) === 'evm') {
    const safe = safeOf(asId<Address>(text));
    await post(`${at('faucet')}/faucet`, { address: text, usdc, tradable: true });
    await post(`${at('faucet')}/faucet`, { address: safe, usdc });
    await post(at('poolEndowmentUrl'), { address: text, usdc });
    return {
      address: text,
      safe,
      holds: `has ${usdc} USD of collateral and coins on chain 137, and the allowances of the exchanges; its Safe ${safe} has ${usdc} USD; it has ${usdc} USDC and coins on chain 8453`,
    };
  }
  await post(at('endowmentUrl'), { address: text, usdc, lamports, verified: true });
  return {
    address: text,
    safe: null,
    holds: `has ${usdc} USDC and ${Number(lamports) / 1e9} SOL, and the proof of its person`,
  };
}

async function post(url: string, body: unknown): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(SANDBOX_COMMAND.fundTimeoutMs),
  }).catch((cause: unknown) => {
    throw new AppError('venue_unavailable', `the sandbox did not answer at ${url}.`, { cause });
  });
  if (!answer.ok)
    throw new AppError(
      'venue_unavailable',
      `the sandbox did not fund a wallet: ${answer.status} ${(await answer.text()).slice(0, 200)}`,
    );
}
