import { decodeFunctionResult, domainSeparator, encodeFunctionData, parseAbi } from 'viem';
import { OUTSIDE_TEST } from '../../../config/limits/doctor.ts';
import type { Profile } from '../../../config/profiles/profile.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address } from '../../domain/ids.ts';
import { WEB3_CHAINS, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { EvmChain } from '../../ports/evm.ts';
import type { Solana, SolanaNode } from '../../ports/solana.ts';
import { check, fail, ok, skipped, warn, type Check, type Finding } from './check.ts';

/** Nodes of chains. */
export interface ChainParts {
  readonly evm: Readonly<Partial<Record<Web3ChainId, Pick<EvmChain, 'head' | 'chainId'>>>>;
  readonly solana: Pick<Solana, 'latestBlockhash'>;
  readonly node: SolanaNode;
  /** False where chains rest while nothing happens on them. */
  readonly makesBlocks: boolean;
  /** Wall time. */
  readonly nowMs: () => number;
}

/**
 * Checks of the node of each chain: its client refuses one of another chain before anything is
 * asked of it, and the newest block has to be young, which says more than two heights that differ.
 */
export function chainChecks({
  evm,
  solana,
  node,
  makesBlocks,
  nowMs,
}: ChainParts): readonly Check[] {
  return WEB3_CHAINS.map(({ chain, name, chainId }) => {
    const remedy = `set PREDICTD_${chain}_RPC_URL to a node of ${name} that follows its chain`;
    return check(`node of ${name}`, { level: 'fail', remedy }, async () => {
      if (chainId === null) return solanaFinding(solana, node, remedy);
      const evmNode = evm[chain];
      if (evmNode === undefined)
        return skipped(`PREDICTD_${chain}_RPC_URL is not set; wallets there are not read`);
      const { blockNumber, atMs } = await evmNode.head();
      const ageMs = nowMs() - atMs;
      const text = `serves chain ${evmNode.chainId}; block ${blockNumber} is ${(ageMs / 1_000).toFixed(1)} s old`;
      return makesBlocks && ageMs > OUTSIDE_TEST.headAgeMaximumMs ? fail(text, remedy) : ok(text);
    });
  });
}

async function solanaFinding(
  solana: ChainParts['solana'],
  node: SolanaNode,
  remedy: string,
): Promise<Finding> {
  const health = await node.ask('getHealth', []);
  if (health.kind === 'error') return fail(`it is not well: ${health.message}`, remedy);
  const slot = await node.ask('getSlot', []);
  const { lastValidBlockHeight } = await solana.latestBlockhash();
  return ok(
    `is well, at slot ${slot.kind === 'result' ? String(slot.result) : 'unknown'}; what is built now holds to height ${lastValidBlockHeight}`,
  );
}

const DOMAIN_ABI = parseAbi(['function domainSeparator() view returns (bytes32)']);

/**
 * Checks that there is code at each address of the profile, that of the contracts that orders are
 * settled by is what was recorded, and what exchanges sign by.
 */
export function contractChecks({
  chain,
  money,
  polygon,
}: Pick<Profile, 'chain' | 'money'> & {
  readonly polygon: Pick<EvmChain, 'codeHash' | 'call'>;
}): readonly Check[] {
  const remedy =
    'see whether PREDICTD_POLYGON_RPC_URL is of Polygon, and the venue of a new contract';
  const lost = { level: 'fail', remedy } as const;
  const contracts = contractsOf(chain, money);
  return [
    check('contracts', lost, async () => {
      const there = await Promise.all(
        contracts.map(([, at]) => polygon.codeHash(asId<Address>(at))),
      );
      const missing = contracts.filter((_, index) => there[index] === null);
      return missing.length === 0
        ? ok(`there is code at each of the ${contracts.length} addresses that money is moved by`)
        : fail(`no code is at ${missing.map(([name, at]) => `${name} ${at}`).join(', ')}`, remedy);
    }),
    ...contracts
      .filter(([name]) => SETTLED_BY.has(name))
      .map(([name, at]) =>
        check(`code of ${name}`, lost, async () => {
          const hash = await polygon.codeHash(asId<Address>(at));
          const known = chain.codeHashes?.[at];
          if (hash === null) return fail(`no code is at ${at}`, remedy);
          const shown = `its hash is ${shortHash(hash)}`;
          if (known === undefined) return ok(`${shown}; none is recorded to compare it with`);
          return hash === known
            ? ok(`${shown}, as recorded`)
            : fail(
                `${shown}, and ${shortHash(known)} is recorded`,
                'start no trading before the venue has said that it changed this contract',
              );
        }),
      ),
    check('signing domain', lost, async () => domainFinding(chain, polygon)),
    check('signing domain, neg-risk', lost, async () =>
      domainFinding({ ...chain, exchange: chain.negRiskExchange }, polygon),
    ),
  ];
}

/** First and last digits of a hash: a whole one has the form of a private key, and is redacted. */
function shortHash(hash: string): string {
  return `${hash.slice(0, 10)}…${hash.slice(-8)}`;
}

/** What orders are matched by, and hold shares and money. */
const SETTLED_BY: ReadonlySet<string> = new Set([
  'exchange',
  'negRiskExchange',
  'conditionalTokens',
  'collateral',
]);

/**
 * Contracts that are called, or hold what is moved. The Safe factory is the relayer's to call, and
 * the classic adapter is given an allowance and never called.
 */
function contractsOf(
  { exchange, negRiskExchange }: Profile['chain'],
  { dollars, withdrawalToken: _symbol, negRiskAdapter: _named, ...money }: Profile['money'],
): readonly (readonly [string, `0x${string}`])[] {
  const named: Readonly<Record<string, `0x${string}`>> = {
    exchange,
    negRiskExchange,
    ...money,
    ...dollars,
  };
  return Object.entries(named);
}

async function domainFinding(
  { exchange, chainId, domainName: name, domainVersion: version }: Profile['chain'],
  polygon: Pick<EvmChain, 'call'>,
): Promise<Finding> {
  const ours = domainSeparator({
    domain: { name, version, chainId, verifyingContract: exchange },
  });
  const data = encodeFunctionData({ abi: DOMAIN_ABI, functionName: 'domainSeparator' });
  const answer = await polygon.call(asId<Address>(exchange), data).catch((cause: unknown) => {
    if (cause instanceof AppError && cause.code === 'chain_reverted') return null;
    throw cause;
  });
  if (answer === null || answer.length !== 66)
    return warn(
      `the exchange at ${exchange} does not tell its signing domain`,
      'compare name, version and address with the documents of the venue',
    );
  const theirs = decodeFunctionResult({
    abi: DOMAIN_ABI,
    functionName: 'domainSeparator',
    data: answer,
  });
  return theirs === ours
    ? ok(`the exchange at ${exchange} takes what is signed for "${name}" version ${version}`)
    : fail(
        `the exchange at ${exchange} has another signing domain than "${name}" version ${version}`,
        'start no trading: every order would be refused; install a version that signs for it',
      );
}
