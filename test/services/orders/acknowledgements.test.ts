import { describe, expect, it } from 'vitest';
import { asId } from '../../../src/domain/ids.ts';
import type { OrderRecord, OrderState } from '../../../src/domain/order.ts';
import { createAcknowledgements } from '../../../src/services/orders/acknowledgements.ts';
import { createKeptLog } from '../../support/quiet.ts';
import { aSignedOrder } from '../../support/worlds/folded-orders.ts';

/** Orders that are read as last reported, and what each wait came to. */
function orders() {
  const reported = new Map<string, OrderRecord>();
  const log = createKeptLog();
  const tell = (intentId: string, state: OrderState) => {
    const record = aSignedOrder({ state }, { intentId: asId(intentId) });
    reported.set(intentId, record);
    return record;
  };
  const read = ({ intentId }: { readonly intentId: string }) =>
    reported.get(intentId) ?? expect.unreachable();
  const acknowledgements = createAcknowledgements({ updates: { read }, log });
  const answers: string[] = [];
  const wait = (intentId: string) =>
    void acknowledgements
      .wait(read({ intentId }).intent)
      .then(({ state }) => answers.push(`${intentId} ${state}`));
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { ...acknowledgements, log, tell, wait, answers, settled };
}

describe('a caller that waits for the first answer about an order', () => {
  it('gets it at once where it is there', async () => {
    const { tell, wait, answers, settled } = orders();
    tell('int_1', 'live');
    wait('int_1');
    await settled();
    expect(answers).toEqual(['int_1 live']);
  });

  it('gets it when it comes, with all others that wait for the same, and not before', async () => {
    const { tell, wait, answers, settled, hear } = orders();
    tell('int_1', 'signed');
    tell('int_2', 'signed');
    ['int_1', 'int_1', 'int_2'].forEach(wait);
    hear(tell('int_1', 'signed'));
    hear(tell('int_3', 'live'));
    await settled();
    expect(answers).toEqual([]);
    hear(tell('int_1', 'unknown'));
    await settled();
    expect(answers).toEqual(['int_1 unknown', 'int_1 unknown']);
  });

  it('gets the order in its present state when the process ends, and from then on; the log names it', async () => {
    const { tell, wait, answers, settled, hear, leave, log } = orders();
    tell('int_1', 'signed');
    tell('int_2', 'signed');
    wait('int_1');
    wait('int_2');
    hear(tell('int_1', 'live'));
    leave();
    leave();
    wait('int_2');
    await settled();
    expect(answers).toEqual(['int_1 live', 'int_2 signed', 'int_2 signed']);
    expect(log.lines).toEqual([
      { level: 'warn', event: 'order.left_undecided', fields: { intentId: 'int_2' } },
    ]);
  });
});
