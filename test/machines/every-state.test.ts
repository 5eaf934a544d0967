import { describe, expect, it } from 'vitest';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { agentMachine } from '../../machines/agent.ts';
import { depositMachine } from '../../machines/deposit.ts';
import { farmingMachine } from '../../machines/farming.ts';
import { orderMachine } from '../../machines/order.ts';
import { positionMachine } from '../../machines/position.ts';
import { transactionMachine } from '../../machines/transaction.ts';
import { cashLockMachine } from '../../machines/cash-lock.ts';
import { swapMachine } from '../../machines/swap.ts';
import { unwindMachine } from '../../machines/unwind.ts';

/**
 * Every machine, and the state in which one without an end comes to rest; such a one ends when its
 * owner lets it go.
 */
const MACHINES: readonly (readonly [
  name: string,
  machine: AnyStateMachine,
  rests: string | null,
])[] = [
  ['agent', agentMachine, null],
  ['farming', farmingMachine, null],
  ['unwind', unwindMachine, null],
  ['order', orderMachine, null],
  ['position', positionMachine, null],
  ['transaction', transactionMachine, null],
  ['deposit', depositMachine, null],
  ['swap', swapMachine, null],
  ['cash lock', cashLockMachine, 'free'],
];

function statesBelow(node: AnyStateNode): readonly AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(statesBelow)];
}

/**
 * Where a state may go: by an event to it or to one it lies in, by itself, and on being entered.
 */
function nextOf(node: AnyStateNode): readonly AnyStateNode[] {
  return [...movesOf(node), ...(node.initial?.target ?? [])];
}

function movesOf(node: AnyStateNode): readonly AnyStateNode[] {
  const own = [...node.transitions.values()]
    .flat()
    .concat(node.always ?? [])
    .flatMap(({ target }) => target ?? []);
  return node.parent === undefined ? own : [...own, ...movesOf(node.parent)];
}

function reachedFrom(start: AnyStateNode): ReadonlySet<AnyStateNode> {
  const reached = new Set([start]);
  for (const node of reached) for (const next of nextOf(node)) reached.add(next);
  return reached;
}

describe.each(MACHINES)('the states of the %s machine', (_name, machine, rests) => {
  const states = statesBelow(machine.root);

  it('are all reached from its first one', () => {
    const reached = reachedFrom(machine.root);
    expect(states.filter((node) => !reached.has(node)).map(({ id }) => id)).toEqual([]);
    expect(states.length).toBeGreaterThan(2);
  });

  it('can all come to an end, or to rest', () => {
    const isEnd = (node: AnyStateNode): boolean =>
      rests === null ? node.type === 'final' : node.key === rests;
    expect(states.some(isEnd)).toBe(true);
    expect(
      states.filter((node) => ![...reachedFrom(node)].some(isEnd)).map(({ id }) => id),
    ).toEqual([]);
  });
});
