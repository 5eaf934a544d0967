import { useState } from 'react';
import { call } from '../../api/client.ts';
import { usePages } from '../../api/paged.ts';
import { shortHash, words } from '../../format/text.ts';
import { Card } from '../../ui/card.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Segment } from '../../ui/form.tsx';
import { Page } from '../../ui/layout.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { Empty } from '../../ui/state.tsx';
import { entryProgress } from './progress.ts';
import { COST, progressBelow, stateColumn, WHEN } from './record-columns.tsx';
import { FeedbackForm, RegisterForm } from './registry-forms.tsx';
import styles from './wallet.module.css';

type What = 'register' | 'feedback';

/** Entries of one's agents in the registry of agents on Solana, and feedback on others'. */
export function RegistryPage() {
  const [what, setWhat] = useState<What>('register');
  return (
    <Page
      title="Agent registry"
      sub="A public list of agents on Solana. What is written there stays, for everybody to read."
    >
      <div>
        <Segment<What>
          label="What to write"
          value={what}
          choices={[
            ['register', 'Register an agent'],
            ['feedback', 'Feedback on another’s'],
          ]}
          onChange={setWhat}
        />
      </div>
      <div className={styles['narrow']}>
        {what === 'register' ? <RegisterForm /> : <FeedbackForm />}
      </div>
      <Records />
    </Page>
  );
}

function Records() {
  const list = usePages('GET /api/web3/registry/', (query, options) =>
    call('GET /api/web3/registry/', { query }, options),
  );
  return (
    <Card title="What you wrote">
      <PagedTable
        of={list}
        caption="What you wrote"
        empty={<Empty>You have registered no agent and left no feedback yet.</Empty>}
        keyOf={({ entryId }) => entryId}
        below={progressBelow(entryProgress)}
        columns={[
          {
            head: 'What',
            cell: ({ kind, agent, asset, skills, domains }) => (
              <>
                {kind === 'agent' ? `Entry of ${words(agent ?? 'an agent')}` : 'Feedback'}
                <div className="faint">
                  <span className="mono" title={asset}>
                    {shortHash(asset)}
                  </span>{' '}
                  <Copy text={asset} what="address" />
                </div>
                <Slugs head="Skills" slugs={skills} />
                <Slugs head="Domains" slugs={domains} />
              </>
            ),
          },
          stateColumn(entryProgress),
          COST,
          WHEN,
        ]}
      />
    </Card>
  );
}

function Slugs({ head, slugs }: { readonly head: string; readonly slugs: readonly string[] }) {
  if (slugs.length === 0) return null;
  return (
    <div className="faint" style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
      {head}: {slugs.join(', ')}
    </div>
  );
}
