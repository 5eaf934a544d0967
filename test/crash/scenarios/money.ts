import type { RelayPlan } from '../../support/fakes/fake-relayer.ts';
import type { MoneyLife } from './money-stage.ts';
import { moneyScenario, type MoneySteps } from './money-steps.ts';
import type { CrashScenario, Step } from './scenario.ts';

const signUp = moneyScenario('sign-up');
const deposit = moneyScenario('deposits');
const redeem = moneyScenario('redeem');
const withdraw = moneyScenario('withdraw');

/** A user with a Safe that is ready, and a hundred dollars in it. */
function ready({ signUp: exist, arrive, wait }: MoneySteps): readonly Step<MoneyLife>[] {
  return [exist(), wait(40_000), arrive('first', 100_000_000), wait(20_000)];
}

/** The relayer does wrong with every sending from now on. */
function relayer(
  plan: RelayPlan,
  { once }: MoneySteps,
  safes: { usual: RelayPlan },
): Step<MoneyLife> {
  return once(`relayer ${plan}`, () => void (safes.usual = plan));
}

/** The Safe of a new user, made ready through a relayer's moods. */
const SAFE_SCENARIOS: readonly CrashScenario[] = [
  signUp('safe-made-ready', ({ signUp: exist, wait }) => [exist(), wait(60_000)]),
  signUp('safe-with-answers-lost', (steps, { safes }) => [
    relayer('lost', steps, safes),
    steps.signUp(),
    steps.wait(90_000),
  ]),
  signUp('safe-sent-twice', (steps, { safes }) => [
    relayer('twice', steps, safes),
    steps.signUp(),
    steps.wait(90_000),
  ]),
];

/** Money that comes in, over the chain and over the bridge. */
const DEPOSIT_SCENARIOS: readonly CrashScenario[] = [
  deposit('transfer-on-chain', (steps) => [
    ...ready(steps),
    steps.arrive('second', 25_000_000),
    steps.wait(20_000),
  ]),
  deposit('three-in-one-block', (steps) => [
    steps.signUp(),
    steps.wait(40_000),
    steps.arrive('a', 1_000_000),
    steps.arrive('b', 2_000_000),
    steps.arrive('c', 3_000_000),
    steps.wait(20_000),
  ]),
  deposit('block-taken-back', (steps, { chain }) => [
    ...ready(steps),
    steps.arrive('second', 25_000_000),
    steps.wait(3_000),
    steps.once('reorganised', () => chain.reorganise(2)),
    steps.wait(30_000),
  ]),
  deposit('over-the-bridge', (steps) => [
    ...ready(steps),
    steps.payToBridge('paid', '25000000'),
    steps.wait(120_000),
  ]),
  deposit('refused-by-the-bridge', (steps) => [
    ...ready(steps),
    steps.payToBridge('paid', '25000000', { script: 'refused' }),
    steps.wait(120_000),
  ]),
  deposit('plain-dollars-wrapped', (steps) => [
    ...ready(steps),
    steps.orphanedUsdc('plain', 12_000_000),
    steps.wait(10_000),
    steps.reconcile(),
    steps.wait(60_000),
    steps.reconcile(),
  ]),
  deposit('moved-out-by-hand', (steps) => [
    ...ready(steps),
    steps.moveManually('manually', 40_000_000),
    steps.wait(20_000),
    steps.reconcile(),
    steps.arrive('second', 5_000_000),
    steps.wait(20_000),
  ]),
];

/** Winning shares that become money. */
const REDEEM_SCENARIOS: readonly CrashScenario[] = [
  redeem('a-win', (steps) => [
    ...ready(steps),
    steps.buyShares(),
    steps.wait(5_000),
    steps.resolve([10_000, 0]),
    steps.wait(20_000),
  ]),
  redeem('a-loss', (steps) => [
    ...ready(steps),
    steps.buyShares(),
    steps.wait(5_000),
    steps.resolve([0, 10_000]),
    steps.wait(20_000),
  ]),
  redeem('a-win-with-answers-lost', (steps, { safes }) => [
    ...ready(steps),
    relayer('lost', steps, safes),
    steps.buyShares(),
    steps.wait(5_000),
    steps.resolve([10_000, 0]),
    steps.wait(20_000),
  ]),
];

/** Money that goes out. */
const WITHDRAW_SCENARIOS: readonly CrashScenario[] = [
  withdraw('withdrawal-of-a-part', (steps) => [
    ...ready(steps),
    steps.withdraw('w', 30_000_000),
    steps.wait(60_000),
  ]),
  withdraw('withdrawal-of-all-in-two', (steps) => [
    ...ready(steps),
    steps.withdraw('w1', 30_000_000),
    steps.withdraw('w2', 70_000_000),
    steps.wait(90_000),
  ]),
  withdraw('withdrawal-and-the-same-back', (steps) => [
    ...ready(steps),
    steps.withdraw('w', 30_000_000),
    steps.wait(60_000),
    steps.transfer('t', 'USDC', 30_000_000),
    steps.wait(60_000),
    steps.reconcile(),
  ]),
  withdraw('transfer-answer-lost', (steps, { safes }) => [
    ...ready(steps),
    steps.withdraw('w', 30_000_000),
    steps.wait(60_000),
    relayer('lost', steps, safes),
    steps.transfer('t', 'USDC', 20_000_000),
    steps.wait(90_000),
    steps.reconcile(),
  ]),
  withdraw('withdrawal-answer-lost', (steps, { safes }) => [
    ...ready(steps),
    relayer('lost', steps, safes),
    steps.withdraw('w', 30_000_000),
    steps.wait(90_000),
  ]),
  withdraw('withdrawal-sent-twice', (steps, { safes }) => [
    ...ready(steps),
    relayer('twice', steps, safes),
    steps.withdraw('w', 30_000_000),
    steps.wait(90_000),
  ]),
  withdraw('withdrawal-refused-for-a-while', (steps, { safes }) => [
    ...ready(steps),
    relayer('refused', steps, safes),
    steps.withdraw('w', 30_000_000),
    steps.wait(30_000),
    relayer('ok', steps, safes),
    steps.wait(300_000),
  ]),
];

/** Money into Safes, and out of them. */
export const MONEY_SCENARIOS: readonly CrashScenario[] = [
  ...SAFE_SCENARIOS,
  ...DEPOSIT_SCENARIOS,
  ...REDEEM_SCENARIOS,
  ...WITHDRAW_SCENARIOS,
];
