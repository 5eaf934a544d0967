import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  isAddressEqual,
  padHex,
  parseAbiParameters,
  stringToHex,
  zeroAddress,
  type Hex,
} from 'viem';
import { SWAP_CHAIN } from '../../../config/limits/sandbox-chains.ts';
import { TOKEN_ABI } from '../chains/evm/contract-abis.ts';
import { setNativeBalance, type LocalChain } from '../chains/evm/local-chain.ts';
import { placeContract } from '../chains/evm/place-code.ts';
import type { TokenMarket } from '../tokens/token-market.ts';
import type { SandboxToken, TokenChain } from '../tokens/token-table.ts';
import diamond from './contracts/RouterDiamond.json' with { type: 'json' };
import routedToken from './contracts/RoutedToken.json' with { type: 'json' };
import { pairCode, PAIR_ABI } from './pair-code.ts';

/** The router's contract: at the same address on every chain (web3.md section 12). */
export const DIAMOND = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE';

/**
 * Where the pairs are: PancakeSwap's addresses on BSC (web3.md section 9), Uniswap's of the first
 * chain elsewhere.
 */
export function pairAddresses(chain: TokenChain): { readonly factory: Hex; readonly router: Hex } {
  return chain === 'BSC'
    ? {
        factory: '0xcA143Ce32Fe78f1f7019d7d551a6402fC5350c73',
        router: '0x10ED43C718714eb63d5aA57B78B54704E256024E',
      }
    : {
        factory: '0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f',
        router: '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D',
      };
}

/** Tickers of the wrapped coins. */
const WRAPPED: Readonly<Record<TokenChain, string>> = {
  ETHEREUM: 'WETH',
  BASE: 'WETH',
  POLYGON: 'WPOL',
  BSC: 'WBNB',
  ARBITRUM: 'WETH',
  SOLANA: 'wSOL',
};

/** A local chain with tokens, pools of pairs, and the router's contract. */
export interface SwapChain {
  readonly chain: TokenChain;
  readonly local: LocalChain;
  readonly wrapped: SandboxToken;
  readonly dollar: SandboxToken;
  /**
   * Moves the pools of tokens back to the prices of the moment where they are off by more than a
   * little. Errors: `chain_unavailable`.
   */
  repeg(tokens: readonly SandboxToken[]): Promise<void>;
  /**
   * Makes tokens, or sends coins with the zero address, out of nothing. Errors:
   * `chain_unavailable`.
   */
  give(token: Hex, to: Hex, units: bigint): Promise<void>;
}

/**
 * Puts the tokens that are routed there on a local chain: wallets are asked for them before anybody
 * swaps. What is there stays. Errors: `chain_unavailable`.
 */
export async function placeTokens(
  local: LocalChain,
  { chain, tokens }: { readonly chain: TokenChain; readonly tokens: readonly SandboxToken[] },
): Promise<void> {
  const deployer = local.sender('deployer');
  for (const token of tokens) {
    if (token.chain !== chain || token.coinKey === null) continue;
    const isWrapped = token.symbol === WRAPPED[chain];
    await placeContract(local.node, deployer, {
      address: hex(token),
      initCode: isWrapped ? pairCode('wrappedCoin') : tokenCode(token, deployer.address),
    });
    if (isWrapped) await nameWrapped(local, token);
  }
}

/** The compiled code of the wrapped coin calls itself as on chain 1: its slots 0 and 1 say how. */
async function nameWrapped({ node }: LocalChain, token: SandboxToken): Promise<void> {
  for (const [slot, text] of [token.name, token.symbol].entries()) {
    const bytes = stringToHex(text, { size: 32 });
    const length = (Buffer.byteLength(text) * 2).toString(16).padStart(2, '0');
    await node.client.setStorageAt({
      address: hex(token),
      index: slot,
      value: `${bytes.slice(0, -2)}${length}` as Hex, // a text of under 32 bytes and twice its length
    });
  }
}

/**
 * Puts tokens, pools and the router's contract on a local chain; what is there stays. Errors:
 * `chain_unavailable`, `chain_reverted`.
 */
export async function openSwapChain(
  local: LocalChain,
  {
    chain,
    market,
    second,
  }: {
    readonly chain: TokenChain;
    readonly market: TokenMarket;
    readonly second: () => number;
  },
): Promise<SwapChain> {
  const tokens = market.tokens.filter((token) => token.chain === chain && token.coinKey !== null);
  const wrapped = named(tokens, WRAPPED[chain]);
  const dollar = named(tokens, 'USDC');
  const { factory, router } = pairAddresses(chain);
  const deployer = local.sender('deployer');
  const { client } = local.node;
  await setNativeBalance(local.node, deployer.address, SWAP_CHAIN.deployerWei);
  await placeTokens(local, { chain, tokens });
  const place = (address: Hex, code: Hex, ...parameters: readonly Hex[]) =>
    placeContract(local.node, deployer, {
      address,
      initCode: concatHex([code, ...parameters.map((word) => padHex(word, { size: 32 }))]),
    });
  await place(factory, pairCode('factory'), deployer.address);
  await place(router, pairCode('router'), factory, hex(wrapped));
  await place(DIAMOND, diamond.bytecode as Hex, deployer.address, router); // artifacts hold hex

  const send = (
    to: Hex,
    functionName: 'mint' | 'sync' | 'deposit' | 'createPair' | 'transfer',
    args: readonly unknown[],
    valueWei = 0n,
  ) =>
    deployer.send({
      to,
      valueWei,
      data: encodeFunctionData({ abi: PAIR_ABI, functionName, args } as Parameters<
        typeof encodeFunctionData
      >[0]), // each call below fits its line of the list
    });

  async function give(token: Hex, to: Hex, units: bigint): Promise<void> {
    if (units <= 0n) return;
    if (isAddressEqual(token, zeroAddress)) {
      await deployer.send({ to, valueWei: units });
    } else if (isAddressEqual(token, hex(wrapped))) {
      await send(token, 'deposit', [], units);
      await send(token, 'transfer', [to, units]);
    } else {
      await deployer.send({
        to: token,
        data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [to, units] }),
      });
    }
  }

  const pairOf = (token: SandboxToken): Promise<Hex> =>
    client.readContract({
      address: factory,
      abi: PAIR_ABI,
      functionName: 'getPair',
      args: [hex(token), hex(dollar)],
    });

  async function seed(token: SandboxToken): Promise<void> {
    if (!isAddressEqual(await pairOf(token), zeroAddress)) return;
    await send(factory, 'createPair', [hex(token), hex(dollar)]);
    const pair = await pairOf(token);
    const dollars = token.liquidityUsd / 2;
    await give(hex(dollar), pair, unitsOf(dollars, dollar));
    await give(hex(token), pair, unitsOf(dollars / market.priceOf(token, second()), token));
    await send(pair, 'mint', [deployer.address]);
  }

  async function repegOne(token: SandboxToken): Promise<void> {
    const pair = await pairOf(token);
    const [first, [reserve0, reserve1]] = await Promise.all([
      client.readContract({ address: pair, abi: PAIR_ABI, functionName: 'token0' }),
      client.readContract({ address: pair, abi: PAIR_ABI, functionName: 'getReserves' }),
    ]);
    const [tokens_, dollars] = isAddressEqual(first, hex(token))
      ? [reserve0, reserve1]
      : [reserve1, reserve0];
    const wanted = market.priceOf(token, second());
    const shown = wholeOf(dollars, dollar) / wholeOf(tokens_, token);
    if (Math.abs(shown / wanted - 1) < SWAP_CHAIN.pegTolerance) return;
    // the side that is short is filled up: the pool only ever deepens, and no trade is undone
    if (shown < wanted)
      await give(hex(dollar), pair, unitsOf(wholeOf(tokens_, token) * wanted, dollar) - dollars);
    else await give(hex(token), pair, unitsOf(wholeOf(dollars, dollar) / wanted, token) - tokens_);
    await send(pair, 'sync', []);
  }

  for (const token of tokens) if (token !== dollar) await seed(token);
  let pegging: Promise<void> = Promise.resolve();
  return {
    chain,
    local,
    wrapped,
    dollar,
    give,
    repeg(some) {
      const pegged = pegging.then(async () => {
        for (const token of some) if (token !== dollar) await repegOne(token);
      });
      pegging = pegged.catch(() => undefined);
      return pegged;
    },
  };
}

/** The wrapped form of a chain's own coin. */
export function wrappedCoin({ tokens }: TokenMarket, chain: TokenChain): SandboxToken {
  return named(
    tokens.filter((token) => token.chain === chain),
    WRAPPED[chain],
  );
}

function named(tokens: readonly SandboxToken[], ticker: string): SandboxToken {
  const found = tokens.find(({ symbol }) => symbol === ticker);
  if (found === undefined) throw new Error(`invariant broken: the table has ${ticker}`);
  return found;
}

/** The address of a token on an EVM chain. */
export function hex({ address }: SandboxToken): Hex {
  return address as Hex; // EVM rows of the table are addresses in hex
}

function tokenCode({ name, symbol, decimals }: SandboxToken, minter: Hex): Hex {
  const packed = (text: string) => padHex(stringToHex(text), { dir: 'right', size: 32 });
  return concatHex([
    routedToken.bytecode as Hex, // artifacts hold hex
    encodeAbiParameters(parseAbiParameters('bytes32, bytes32, uint8, address'), [
      packed(name),
      packed(symbol),
      decimals,
      minter,
    ]),
  ]);
}

/**
 * Units of a number of whole tokens: nine digits of it count, as a float has no more to give over
 * decimals this far apart.
 */
export function unitsOf(whole: number, { decimals }: Pick<SandboxToken, 'decimals'>): bigint {
  return (BigInt(Math.round(whole * 1e9)) * 10n ** BigInt(decimals)) / 1_000_000_000n;
}

/** Whole tokens of a number of units, for reckoning in floats. */
export function wholeOf(units: bigint, { decimals }: Pick<SandboxToken, 'decimals'>): number {
  return Number(units) / 10 ** decimals;
}
