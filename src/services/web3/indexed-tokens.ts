import { TOKEN_INDEX, TOKEN_WARNINGS } from '../../../config/limits/tokens.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address } from '../../domain/ids.ts';
import { knownTokenAt } from '../../domain/known-tokens.ts';
import { judgeName } from '../../domain/token-listing.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { TokenFacts } from '../../ports/pair-exchange.ts';
import type { TokenIndex } from '../../ports/token-index.ts';
import { within } from '../tokens/within.ts';
import type { OwnToken } from './balances.ts';

/** What an indexer has answered about a wallet. */
interface IndexedWallet {
  readonly tokens: readonly OwnToken[];
  /** Why nothing newer is known, in a sentence; null where it is. */
  readonly error: string | null;
}

/** Tokens that an indexer alone says a wallet holds. */
export interface IndexedTokens {
  /** Never fails: an indexer that does not answer soon leaves what it has answered lately. */
  of(chain: Web3ChainId, owner: Address): Promise<IndexedWallet>;
}

interface Indexed {
  readonly tokens: readonly OwnToken[];
  readonly atMs: number;
}

/**
 * Makes the list of what an indexer has answered, asked for once by all and kept for a while. Of
 * each token the chain is asked itself, and its name is judged as every other.
 */
export function createIndexedTokens({
  index,
  factsOf,
  clock,
  log,
}: Pick<Runtime, 'clock' | 'log'> & {
  readonly index: TokenIndex;
  /** What the token itself says on its chain; null without one. */
  readonly factsOf: (chain: Web3ChainId, token: Address) => Promise<TokenFacts | null>;
}): IndexedTokens {
  const known = new Map<string, Indexed>();
  const running = new Map<string, Promise<string | null>>();
  /** By chain and address; null for what is no token. */
  const facts = new Map<string, OwnToken | null>();

  async function factOf(chain: Web3ChainId, address: Address): Promise<OwnToken | null> {
    const name = `${chain} ${address}`;
    const known = facts.get(name);
    if (known !== undefined) return known;
    const found = await factsOf(chain, address);
    const token = found === null ? null : judged(chain, address, found);
    keep(facts, name, token, TOKEN_INDEX.factsMaximum);
    return token;
  }

  async function read(name: string, chain: Web3ChainId, owner: Address): Promise<string | null> {
    try {
      const addresses = (await index.held(chain, owner))
        .filter((address) => knownTokenAt(chain, address) === null)
        .slice(0, TOKEN_INDEX.shownMaximum);
      const tokens: OwnToken[] = [];
      for (let at = 0; at < addresses.length; at += TOKEN_INDEX.factsAtOnce) {
        const some = addresses.slice(at, at + TOKEN_INDEX.factsAtOnce);
        const found = await Promise.all(some.map((address) => factOf(chain, address)));
        tokens.push(...found.filter((token) => token !== null));
      }
      keep(known, name, { tokens, atMs: clock.nowMs() }, TOKEN_INDEX.walletsMaximum);
      return null;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.debug({ chain, code: error.code }, 'token_index.unread');
      return error.message;
    }
  }

  function asked(name: string, chain: Web3ChainId, owner: Address): Promise<string | null> {
    const known = running.get(name) ?? read(name, chain, owner).finally(() => running.delete(name));
    running.set(name, known);
    return known;
  }

  return {
    async of(chain, owner) {
      if (!index.covers(chain)) return { tokens: [], error: null };
      const name = `${chain} ${owner.toLowerCase()}`;
      const ageMs = (): number =>
        clock.nowMs() - (known.get(name)?.atMs ?? Number.NEGATIVE_INFINITY);
      if (ageMs() < TOKEN_INDEX.freshMs)
        return { tokens: known.get(name)?.tokens ?? [], error: null };
      const work = asked(name, chain, owner).then((error) => ({ error }));
      const outcome = (await within(work, clock, TOKEN_INDEX.waitMs)) ?? {
        error: 'the indexer did not answer in time',
      };
      // what was answered lately is used for a while; older is absent (L8)
      if (ageMs() > TOKEN_INDEX.shownMaximumMs) return { tokens: [], error: outcome.error };
      return { tokens: known.get(name)?.tokens ?? [], error: null };
    },
  };
}

function judged(chain: Web3ChainId, address: Address, found: TokenFacts): OwnToken {
  const { symbol, warnings } = judgeName({ chain, address, ...found }, TOKEN_WARNINGS);
  return {
    address,
    symbol: symbol === '' ? null : symbol,
    decimals: found.decimals,
    origin: 'indexed',
    warnings,
  };
}

/** Puts an entry last; the first goes beyond the bound. */
function keep<T>(map: Map<string, T>, name: string, value: T, maximum: number): void {
  map.delete(name);
  map.set(name, value);
  const [first] = map.keys();
  if (map.size > maximum && first !== undefined) map.delete(first);
}
