import { priceTicks } from '../../../src/domain/units.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import {
  contractStepsOn,
  openContractStage,
  type ContractLife,
  type ContractStage,
  type ContractSteps,
} from './contract-stage.ts';
import { scenario, type CrashScenario, type Step } from './scenario.ts';

type Plot = (steps: ContractSteps, stage: ContractStage) => readonly Step<ContractLife>[];

const contract = (name: string, plot: Plot): CrashScenario =>
  scenario<ContractLife, ContractStage>(name, {
    family: 'contracts',
    open: openContractStage,
    steps: (stage) => plot(contractStepsOn(stage), stage),
  });

const at = (price: number): PlaceOrder['type'] => ({
  kind: 'limit',
  price: priceTicks(price),
  expiresAtMs: null,
  untilCancelled: true,
});
const TEN = { unit: 'shares', micros: 10_000_000 } as const;
const REPORTED_MS = 2_000;

/** Orders at venue_b, whose limits this service keeps and whose winners are redeemed by orders. */
export const CONTRACT_SCENARIOS: readonly CrashScenario[] = [
  contract('contract-purchase', ({ quote, pass, place, rest }) => [
    quote('sell', 5_000, 100),
    pass(REPORTED_MS),
    place('buy'),
    rest(),
  ]),
  contract('contract-sale', ({ quote, pass, place, rest }) => [
    quote('sell', 5_000, 100),
    quote('buy', 4_800, 100),
    pass(REPORTED_MS),
    place('buy'),
    rest(),
    place('sell', { side: 'sell', amount: TEN }),
    rest(),
  ]),
  contract('contract-limit-met', ({ quote, place, pass, rest }) => [
    place('limit', { type: at(4_000) }),
    pass(REPORTED_MS),
    quote('sell', 4_000, 20),
    pass(REPORTED_MS),
    rest(),
  ]),
  contract('contract-limit-met-twice', ({ quote, place, pass, rest }) => [
    place('limit', { type: at(4_000) }),
    pass(REPORTED_MS),
    quote('sell', 4_000, 8),
    pass(30_000),
    rest(),
    quote('sell', 3_900, 12),
    pass(30_000),
    rest(),
  ]),
  contract('contract-limit-cancelled', ({ place, pass, cancel, rest }) => [
    place('limit', { type: at(4_000) }),
    pass(REPORTED_MS),
    cancel('limit'),
    rest(),
  ]),
  contract('contract-refund', ({ quote, once, pass, place, rest }, { venue }) => [
    quote('sell', 5_000, 100),
    pass(REPORTED_MS),
    once('reverted', () => venue.faults.arm('reverted-fill', { times: 1 })),
    place('buy'),
    rest(),
  ]),
  contract('contract-redemption', ({ quote, once, pass, place, rest, paid }, { venue }) => [
    quote('sell', 5_000, 100),
    pass(REPORTED_MS),
    place('buy'),
    rest(),
    once('resolved', () => venue.resolve([10_000, 0])),
    paid(),
    rest(),
  ]),
];
