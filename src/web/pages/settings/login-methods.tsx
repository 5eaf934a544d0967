import { useState } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { goToGoogle } from '../../api/google.ts';
import { readAgain, useRead } from '../../api/query.ts';
import type { Input } from '../../api/routes.ts';
import { session } from '../../api/session.ts';
import { Refusal } from '../../app/refusal.tsx';
import { PAGES } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Read } from '../../ui/state.tsx';
import { PhoneForm } from '../sign-in/phone-form.tsx';
import { SocialRequest } from '../sign-in/social-request.tsx';
import styles from '../wallet/wallet.module.css';

const PROVIDERS = { google: 'Google', siwf: 'Farcaster' } as const;

/** By what one signs in, and how to add another way. */
export function LoginMethods() {
  const profile = useRead('GET /api/user/profile', {});
  const [adding, setAdding] = useState<'phone' | 'social' | null>(null);
  const add = async (proof: Input<'POST /api/auth/link'>['body']): Promise<void> => {
    session.updateUser(await call('POST /api/auth/link', { body: proof }));
    await readAgain(['GET /api/user/profile']);
  };
  const { isBusy, problem, make } = useAttempt();
  return (
    <Card title="How you sign in">
      <Read of={profile}>
        {({ phone, identities }) => (
          <>
            <Facts
              rows={[
                ['Phone', phone ?? 'none'],
                ...identities.map(({ provider, shown }): readonly [string, string] => [
                  PROVIDERS[provider],
                  shown,
                ]),
              ]}
            />
            <div className={styles['form']} style={{ padding: '0 16px 16px' }}>
              <p className="muted">
                Each way leads to this same account. Adding one wants a sign-in of the last few
                minutes.
              </p>
              <div className={styles['actions']}>
                {phone === null ? (
                  <Button onClick={() => setAdding('phone')}>Add a phone</Button>
                ) : null}
                <Button
                  isBusy={isBusy}
                  onClick={() => void make(() => goToGoogle('link', PAGES.security))}
                >
                  Add a Google account
                </Button>
                <Button onClick={() => setAdding('social')}>Add a Farcaster account</Button>
              </div>
              <Refusal problem={problem} what="account" />
            </div>
          </>
        )}
      </Read>
      {adding === 'phone' ? (
        <Dialog
          title="Add a phone"
          onClose={() => setAdding(null)}
          actions={<Button onClick={() => setAdding(null)}>Not now</Button>}
        >
          <PhoneForm
            action="Add this phone"
            onCode={async (proof) => {
              await add({ kind: 'phone', ...proof });
              setAdding(null);
            }}
          />
        </Dialog>
      ) : null}
      {adding === 'social' ? (
        <Dialog
          title="Add a Farcaster account"
          onClose={() => setAdding(null)}
          actions={<Button onClick={() => setAdding(null)}>Close</Button>}
        >
          <SocialRequest done="It is added." onProof={(proof) => add({ kind: 'siwf', ...proof })} />
        </Dialog>
      ) : null}
    </Card>
  );
}
