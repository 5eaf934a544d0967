import { useState } from 'react';
import { Page } from '../../ui/layout.tsx';
import { Segment } from '../../ui/form.tsx';
import { SafeTransferForm, SafeTransfers } from './safe-transfer.tsx';
import { SendForm, SentList } from './send.tsx';
import styles from './wallet.module.css';

type Way = 'send' | 'safe';

/** Money out of one's own wallets: to another person, or into one's Safe. */
export function TransferPage() {
  const [way, setWay] = useState<Way>('send');
  return (
    <Page title="Transfer" sub="From your own wallets: to another person, or into your Safe.">
      <div>
        <Segment<Way>
          label="Where to"
          value={way}
          choices={[
            ['send', 'To another person'],
            ['safe', 'Into my Safe'],
          ]}
          onChange={setWay}
        />
      </div>
      <div className={styles['narrow']}>{way === 'send' ? <SendForm /> : <SafeTransferForm />}</div>
      <SentList />
      <SafeTransfers />
    </Page>
  );
}
