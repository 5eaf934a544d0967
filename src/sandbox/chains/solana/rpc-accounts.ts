import { getBase58Decoder, type EncodedAccount } from '@solana/kit';
import { z } from 'zod';
import { SOLANA_SANDBOX } from '../../../../config/limits/sandbox-chains.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './addresses.ts';
import type { SolanaChain } from './chain.ts';
import { invalidParams, RpcFailure } from './rpc-failure.ts';
import {
  accountFields,
  addressParam,
  contextConfig,
  contextOf,
  readParams,
  type AccountForm,
} from './rpc-params.ts';
import type { RpcMethod } from './rpc-method.ts';
import {
  isTokenProgram,
  readTokenData,
  uiTokenAmount,
  type TokenAccount,
  type TokenMint,
} from './token-layout.ts';

const accountConfig = z.object(accountFields).nullish();
const tokenFilter = z.union([
  z.object({ mint: addressParam }),
  z.object({ programId: addressParam }),
]);

/** What accounts hold. Every commitment sees the newest state: this chain has no forks. */
export const accountMethods: Readonly<Record<string, RpcMethod>> = {
  getBalance({ chain }, params) {
    const [key, config] = readParams(z.tuple([addressParam, contextConfig.optional()]), params);
    return { context: contextOf(chain, config), value: Number(chain.account(key)?.lamports ?? 0n) };
  },
  getAccountInfo({ chain }, params) {
    const [key, config] = readParams(z.tuple([addressParam, accountConfig.optional()]), params);
    return {
      context: contextOf(chain, config),
      value: accountView(chain, chain.account(key), config ?? {}),
    };
  },
  getMultipleAccounts({ chain }, params) {
    const [keys, config] = readParams(
      z.tuple([
        z.array(addressParam).max(SOLANA_SANDBOX.accountsPerCallMaximum),
        accountConfig.optional(),
      ]),
      params,
    );
    return {
      context: contextOf(chain, config),
      value: keys.map((key) =>
        accountView(chain, chain.account(key), { encoding: 'base64', ...config }),
      ),
    };
  },
  getTokenAccountsByOwner({ chain }, params) {
    const [owner, filter, config] = readParams(
      z.tuple([addressParam, tokenFilter, accountConfig.optional()]),
      params,
    );
    const programs = 'mint' in filter ? [TOKEN_PROGRAM, TOKEN_2022_PROGRAM] : [filter.programId];
    if (!programs.every(isTokenProgram)) throw invalidParams('unrecognized Token program id');
    if ('mint' in filter && tokenOf(chain.account(filter.mint))?.kind !== 'mint')
      throw invalidParams('could not find mint');
    const value = programs
      .flatMap((program) => chain.accountsOf(program))
      .flatMap((account) => {
        const token = tokenOf(account);
        if (
          token?.kind !== 'account' ||
          token.owner !== owner ||
          ('mint' in filter && token.mint !== filter.mint)
        )
          return [];
        return [{ pubkey: account.address, account: accountView(chain, account, config ?? {}) }];
      });
    return { context: contextOf(chain, config), value };
  },
  getTokenAccountBalance({ chain }, params) {
    const [key, config] = readParams(z.tuple([addressParam, contextConfig.optional()]), params);
    const token = tokenOf(chain.account(key));
    if (token?.kind !== 'account')
      throw invalidParams(token === null ? 'could not find account' : 'not a Token account');
    return {
      context: contextOf(chain, config),
      value: uiTokenAmount(token.amount, decimalsOf(chain, token.mint)),
    };
  },
  getTokenSupply({ chain }, params) {
    const [key, config] = readParams(z.tuple([addressParam, contextConfig.optional()]), params);
    const token = tokenOf(chain.account(key));
    if (token?.kind !== 'mint') throw invalidParams('not a Token mint');
    return {
      context: contextOf(chain, config),
      value: uiTokenAmount(token.supply, token.decimals),
    };
  },
  getMinimumBalanceForRentExemption({ chain }, params) {
    const [bytes] = readParams(
      z.tuple([z.int().nonnegative().max(10_485_760), contextConfig.optional()]),
      params,
    );
    return chain.minimumBalance(bytes);
  },
};

/** An account in the network's JSON; null without one. */
export function accountView(
  chain: SolanaChain,
  account: EncodedAccount | null,
  form: AccountForm,
): unknown {
  if (account === null || account.lamports === 0n) return null;
  const { lamports, programAddress, executable, space } = account;
  return {
    lamports: Number(lamports),
    owner: programAddress,
    executable,
    rentEpoch: 0,
    space: Number(space),
    data: dataView(chain, account, form),
  };
}

function dataView(
  chain: SolanaChain,
  account: EncodedAccount,
  { encoding, dataSlice }: AccountForm,
): unknown {
  const token = encoding === 'jsonParsed' ? tokenOf(account) : null;
  if (token !== null)
    return {
      program: account.programAddress === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022',
      space: Number(account.space),
      parsed: { type: token.kind, info: parsedInfo(chain, token) },
    };
  const data =
    dataSlice === null || dataSlice === undefined
      ? account.data
      : account.data.subarray(dataSlice.offset, dataSlice.offset + dataSlice.length);
  if (encoding === 'base64' || encoding === 'jsonParsed')
    return [Buffer.from(data).toString('base64'), 'base64'];
  if (data.length > BASE58_MAXIMUM_BYTES)
    throw new RpcFailure(
      -32600,
      `Encoded binary (base 58) data should be less than ${BASE58_MAXIMUM_BYTES} bytes, please use Base64 encoding.`,
    );
  const text = getBase58Decoder().decode(data);
  return encoding === 'base58' ? [text, 'base58'] : text;
}

/** The node's own limit: base58 is slow. */
const BASE58_MAXIMUM_BYTES = 128;

function parsedInfo(chain: SolanaChain, token: TokenAccount | TokenMint): unknown {
  if (token.kind === 'mint') {
    const { decimals, freezeAuthority, isInitialized, mintAuthority, supply } = token;
    return { decimals, freezeAuthority, isInitialized, mintAuthority, supply: supply.toString() };
  }
  const { mint, owner, state, isNative, amount, delegate, delegatedAmount, closeAuthority } = token;
  const decimals = decimalsOf(chain, mint);
  return {
    isNative,
    mint,
    owner,
    state,
    tokenAmount: uiTokenAmount(amount, decimals),
    ...(delegate === null
      ? {}
      : { delegate, delegatedAmount: uiTokenAmount(delegatedAmount, decimals) }),
    ...(closeAuthority === null ? {} : { closeAuthority }),
  };
}

function decimalsOf(chain: SolanaChain, mint: string): number {
  const token = tokenOf(chain.account(mint));
  return token?.kind === 'mint' ? token.decimals : 0;
}

/** What accounts were read as: those of a program are given again and again. */
const read = new WeakMap<EncodedAccount, TokenAccount | TokenMint | null>();

function tokenOf(account: EncodedAccount | null): TokenAccount | TokenMint | null {
  if (account === null || !isTokenProgram(account.programAddress)) return null;
  const known = read.get(account);
  if (known !== undefined) return known;
  const token = readTokenData(account.data);
  read.set(account, token);
  return token;
}
