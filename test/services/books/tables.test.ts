import { expect, it } from 'vitest';
import { ORDERS, paperTable, tableOf } from '../../../src/services/books/tables.ts';

it('paper trading has tables of its own, however often one is asked for, and live trading those there are', () => {
  const paper = paperTable(ORDERS);
  expect([paper.name, paperTable(paper).name]).toEqual(['paper.orders', 'paper.orders']);
  expect([tableOf('paper', ORDERS).name, tableOf('live', ORDERS)]).toEqual([
    'paper.orders',
    ORDERS,
  ]);
});
