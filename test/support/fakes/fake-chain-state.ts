import type { Address, TokenId } from '../../../src/domain/ids.ts';
import type { EvmCall, EvmLog, Hex } from '../../../src/ports/evm.ts';
import { addressIn, hashOf, numberOf, transferLog, wordsOf, ZERO } from './fake-chain-logs.ts';

/** Tells of something that happened in a transaction. */
export type Emit = (log: Pick<EvmLog, 'address' | 'topics' | 'data'>) => void;

/** Who holds what, which Safes stand, how markets ended. */
export class ChainState {
  readonly tokens = new Map<string, bigint>();
  readonly shares = new Map<string, bigint>();
  readonly allowances = new Map<string, bigint>();
  /** Next nonce of each deployed Safe. */
  readonly nonces = new Map<string, number>();
  readonly permitNonces = new Map<string, bigint>();
  readonly payouts = new Map<
    string,
    { readonly payouts: readonly [bigint, bigint]; readonly tokens: readonly [TokenId, TokenId] }
  >();

  readonly #collateral: Address | null;

  /** With a collateral, dollars can be turned into it and back. */
  constructor(collateral: Address | null = null) {
    this.#collateral = collateral;
  }

  copy(): ChainState {
    const other = new ChainState(this.#collateral);
    for (const name of [
      'tokens',
      'shares',
      'allowances',
      'nonces',
      'permitNonces',
      'payouts',
    ] as const) {
      // The same map of the same class, so key and value fit.
      for (const [key, value] of this[name]) (other[name] as Map<unknown, unknown>).set(key, value);
    }
    return other;
  }

  tokenOf(token: Address, owner: Address): bigint {
    return this.tokens.get(keyOf(token, owner)) ?? 0n;
  }

  sharesOf(owner: Address, tokenId: TokenId): bigint {
    return this.shares.get(keyOf(owner, tokenId)) ?? 0n;
  }

  addToken(token: Address, owner: Address, amount: bigint): void {
    const after = this.tokenOf(token, owner) + amount;
    if (after < 0n) throw new Error('transfer amount exceeds balance');
    this.tokens.set(keyOf(token, owner), after);
  }

  addShares(owner: Address, tokenId: TokenId, amount: bigint): void {
    const after = this.sharesOf(owner, tokenId) + amount;
    if (after < 0n) throw new Error('not so many shares');
    this.shares.set(keyOf(owner, tokenId), after);
  }

  /** Answers a question: allowances, approvals, permit nonces, payouts. */
  answer(to: Address, data: Hex): bigint {
    const [first, second] = wordsOf({ data });
    switch (data.slice(2, 10)) {
      case 'dd62ed3e':
      case 'e985e9c5':
        return this.allowances.get(keyOf(to, addressIn(first), addressIn(second))) ?? 0n;
      case '7ecebe00':
        return this.permitNonces.get(keyOf(to, addressIn(first))) ?? 0n;
      case 'dd34de67': {
        const found = this.payouts.get(first ?? '');
        return found === undefined ? 0n : found.payouts[0] + found.payouts[1];
      }
      default:
        throw new Error(`the fake chain knows no question ${data.slice(0, 10)}`);
    }
  }

  /** Runs one call of a Safe; throws, as a contract reverts, when it cannot be. */
  run(safe: Address, call: EvmCall, emit: Emit): void {
    const words = wordsOf(call);
    const [first, second, third] = words;
    switch (call.data.slice(2, 10)) {
      case '':
        return;
      case 'a9059cbb':
        return this.#move(
          call.to,
          { from: safe, to: addressIn(first), amount: numberOf(second) },
          emit,
        );
      case '23b872dd': {
        const key = keyOf(call.to, addressIn(first), safe);
        const left = (this.allowances.get(key) ?? 0n) - numberOf(third);
        if (left < 0n) throw new Error('insufficient allowance');
        this.allowances.set(key, left);
        return this.#move(
          call.to,
          { from: addressIn(first), to: addressIn(second), amount: numberOf(third) },
          emit,
        );
      }
      case '095ea7b3':
      case 'a22cb465':
        return void this.allowances.set(keyOf(call.to, safe, addressIn(first)), numberOf(second));
      case 'd505accf': {
        const key = keyOf(call.to, addressIn(first));
        this.permitNonces.set(key, (this.permitNonces.get(key) ?? 0n) + 1n);
        return void this.allowances.set(
          keyOf(call.to, addressIn(first), addressIn(second)),
          numberOf(third),
        );
      }
      case '62355638':
        return this.#convert(
          safe,
          {
            from: addressIn(first),
            into: this.#collateral,
            to: addressIn(second),
            amount: numberOf(third),
            ramp: call.to,
          },
          emit,
        );
      case '8cc7104f':
        return this.#convert(
          safe,
          {
            from: this.#collateral,
            into: addressIn(first),
            to: addressIn(second),
            amount: numberOf(third),
            ramp: call.to,
          },
          emit,
        );
      case '01b7037c':
        return this.#redeem(
          safe,
          { collateral: addressIn(first), conditionId: third ?? '0x', redeemer: call.to },
          emit,
        );
      default:
        throw new Error(`the fake chain knows no call ${call.data.slice(0, 10)}`);
    }
  }

  #move(
    token: Address,
    { from, to, amount }: { readonly from: Address; readonly to: Address; readonly amount: bigint },
    emit: Emit,
  ): void {
    this.addToken(token, from, -amount);
    this.addToken(token, to, amount);
    emit(transferLog(token, from, { to, amount }));
  }

  /**
   * One dollar for another, by a ramp that was allowed to take so many; what is given out comes
   * from a vault without end.
   */
  #convert(
    safe: Address,
    {
      from,
      into,
      to,
      amount,
      ramp,
    }: {
      readonly from: Address | null;
      readonly into: Address | null;
      readonly to: Address;
      readonly amount: bigint;
      readonly ramp: Address;
    },
    emit: Emit,
  ): void {
    if (from === null || into === null) throw new Error('there is no ramp here');
    const key = keyOf(from, safe, ramp);
    const left = (this.allowances.get(key) ?? 0n) - amount;
    if (left < 0n) throw new Error('insufficient allowance');
    if (left === 0n) this.allowances.delete(key);
    else this.allowances.set(key, left);
    this.addToken(from, safe, -amount);
    emit(transferLog(from, safe, { to: ZERO, amount }));
    this.addToken(into, to, amount);
    emit(transferLog(into, ZERO, { to, amount }));
  }

  #redeem(
    safe: Address,
    {
      collateral,
      conditionId,
      redeemer,
    }: { readonly collateral: Address; readonly conditionId: Hex; readonly redeemer: Address },
    emit: Emit,
  ): void {
    const market = this.payouts.get(conditionId);
    if (market === undefined) throw new Error('result for condition not received yet');
    const whole = market.payouts[0] + market.payouts[1];
    let paid = 0n;
    for (const outcome of [0, 1] as const) {
      const held = this.sharesOf(safe, market.tokens[outcome]);
      this.addShares(safe, market.tokens[outcome], -held);
      paid += (held * market.payouts[outcome]) / whole;
    }
    this.addToken(collateral, safe, paid);
    if (paid > 0n) emit(transferLog(collateral, redeemer, { to: safe, amount: paid }));
    emit({ address: redeemer, topics: [hashOf('PayoutRedemption')], data: '0x' });
  }
}

function keyOf(...parts: readonly string[]): string {
  return parts.join(' ').toLowerCase();
}
