import { AppError, type ErrorCode } from '../../../src/domain/errors.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { USERS } from '../../../src/services/sign-in/tables.ts';
import { transferCall } from '../../../src/services/wallets/contract-calls.ts';
import { hashOf } from '../../support/fakes/fake-chain-logs.ts';
import { buy, MARKET } from '../../support/worlds/money-world.ts';
import { openMoneyStage, type MoneyLife, type MoneyStage } from './money-stage.ts';
import { scenario, type CrashScenario, type Step } from './scenario.ts';

const STRANGER = asId<Address>(`0x${'57'.repeat(20)}`);
/** ExecutionSuccess(bytes32,uint256) of a Safe. */
const EXECUTION_SUCCESS = '0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e';
const AGAIN_MS = 500;
const [UP, DOWN] = MARKET.outcomes;

/** What people, chain and bridge do on a stage. */
export interface MoneySteps {
  /** The user exists from now on, with a Safe to be made. */
  signUp(): Step<MoneyLife>;
  wait(ms: number): Step<MoneyLife>;
  once(name: string, happen: () => void): Step<MoneyLife>;
  /** Collateral arrives in the Safe, from wherever. */
  arrive(name: string, micros: number): Step<MoneyLife>;
  /** Twenty shares are bought for ten dollars and settled. */
  buyShares(): Step<MoneyLife>;
  /**
   * The market ends with these payouts in ticks, on chain and by the venue's word, and is paid out.
   */
  resolve(payoutTicks: readonly [number, number]): Step<MoneyLife>;
  withdraw(key: string, micros: number, refused?: readonly ErrorCode[]): Step<MoneyLife>;
  /** Takes dollars out of the owner's wallet into the Safe. */
  transfer(key: string, token: string, micros: number): Step<MoneyLife>;
  /** Plain dollars arrive in the Safe. */
  orphanedUsdc(name: string, micros: number): Step<MoneyLife>;
  /** The owner moves money out of the Safe with an exported key. */
  moveManually(name: string, micros: number): Step<MoneyLife>;
  /** Ledger and chain are compared, and what differs is looked up. */
  reconcile(): Step<MoneyLife>;
  /** Asks for the deposit address and pays to it once. */
  payToBridge(
    name: string,
    amount: string,
    options?: Parameters<MoneyStage['bridge']['pay']>[2],
  ): Step<MoneyLife>;
}

/** What happens in a scenario of money. */
export type MoneyPlot = (steps: MoneySteps, stage: MoneyStage) => readonly Step<MoneyLife>[];

/** Gives what makes scenarios of a family that play around a Safe. */
export function moneyScenario(family: string): (name: string, plot: MoneyPlot) => CrashScenario {
  return (name, plot) =>
    scenario<MoneyLife, MoneyStage>(name, {
      family,
      open: openMoneyStage,
      steps: (stage) => plot(stepsOn(stage), stage),
    });
}

function stepsOn(stage: MoneyStage): MoneySteps {
  const { clock, chain, safe, user, owner, happened, bridge } = stage;
  const pass = (ms: number): Promise<void> =>
    new Promise((resolve) => void clock.after(ms, resolve));
  const once = (name: string, happen: () => void): void => {
    if (happened.has(name)) return;
    happened.add(name);
    happen();
  };

  async function insisted(
    call: () => Promise<unknown>,
    refused: readonly ErrorCode[] = [],
  ): Promise<void> {
    for (;;) {
      try {
        await call();
        return;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (refused.includes(error.code)) return;
        if (!error.retryable) throw error;
        await pass(AGAIN_MS);
      }
    }
  }

  return {
    signUp:
      () =>
      async ({ store, commit }) => {
        if (store.get(USERS, [user]) !== null) return;
        await commit((tx) => {
          // Of a user's record the money services read the id and the Safe alone.
          tx.put({ name: USERS.name }, [user], { userId: user, safe });
          tx.append({ type: 'user.created', userId: user, atMs: 0, address: owner });
        });
      },
    wait: (ms) => () => pass(ms),
    once: (name, happen) => async () => once(name, happen),
    arrive: (name, micros) => async () =>
      once(name, () => void chain.mint(chain.contracts.collateral, safe, BigInt(micros))),
    buyShares: () => (life) => buy(stage, life),
    resolve:
      (payoutTicks) =>
      async ({ portfolio }) => {
        once('result', () =>
          chain.report(
            MARKET.marketId,
            [BigInt(payoutTicks[0]), BigInt(payoutTicks[1])],
            [UP.tokenId, DOWN.tokenId],
          ),
        );
        await portfolio.recordResolution({
          marketId: MARKET.marketId,
          payoutTicks,
          resolvedAtMs: clock.nowMs(),
        });
        while (!(await portfolio.payOut(MARKET.marketId))) await pass(5_000);
      },
    withdraw:
      (key, micros, refused = []) =>
      ({ withdrawals }) =>
        insisted(() => withdrawals.withdraw(user, { usdc: usdcMicros(micros), key }), refused),
    transfer:
      (key, token, micros) =>
      ({ safeTransfers }) =>
        insisted(() => safeTransfers.transfer(user, { token, amount: usdcMicros(micros), key })),
    orphanedUsdc: (name, micros) => async () =>
      once(
        name,
        () => void chain.mint(chain.contracts.withdrawalToken.address, safe, BigInt(micros)),
      ),
    moveManually: (name, micros) => async () =>
      once(
        name,
        () =>
          void chain.send((state, emit) => {
            state.nonces.set(safe.toLowerCase(), (state.nonces.get(safe.toLowerCase()) ?? 0) + 1);
            state.run(
              safe,
              transferCall(chain.contracts.collateral, STRANGER, BigInt(micros)),
              emit,
            );
            emit({ address: safe, topics: [EXECUTION_SUCCESS, hashOf(name)], data: '0x' });
          }),
      ),
    reconcile:
      () =>
      async ({ reconciler }) =>
        void (await reconciler.round()),
    payToBridge:
      (name, amount, options) =>
      ({ deposits }) =>
        insisted(async () => {
          const { addresses } = await deposits.addresses(user);
          once(name, () => bridge.pay(addresses.evm, amount, options));
        }),
  };
}
