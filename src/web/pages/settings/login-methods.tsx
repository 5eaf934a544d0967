import { useState } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import { goToGoogle } from '../../api/google.ts';
import { useRead } from '../../api/query.ts';
import { Refusal } from '../../app/refusal.tsx';
import { PAGES } from '../../routes.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Read } from '../../ui/state.tsx';
import { SocialRequest } from '../sign-in/social-request.tsx';
import styles from '../wallet/wallet.module.css';
import { AddPhone, link } from './add-phone.tsx';

const PROVIDERS = { google: 'Google', siwf: 'Farcaster' } as const;

/** By what one signs in, and how to add another way. */
export function LoginMethods() {
  const profile = useRead('GET /api/user/profile', {});
  const [isAddingSocial, setAddingSocial] = useState(false);
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
                {phone === null ? <AddPhone /> : null}
                <Button
                  isBusy={isBusy}
                  onClick={() => void make(() => goToGoogle('link', PAGES.security))}
                >
                  Add a Google account
                </Button>
                <Button onClick={() => setAddingSocial(true)}>Add a Farcaster account</Button>
              </div>
              <Refusal problem={problem} what="account" />
            </div>
          </>
        )}
      </Read>
      {isAddingSocial ? (
        <Dialog
          title="Add a Farcaster account"
          onClose={() => setAddingSocial(false)}
          actions={<Button onClick={() => setAddingSocial(false)}>Close</Button>}
        >
          <SocialRequest
            done="It is added."
            onProof={(proof) => link({ kind: 'siwf', ...proof })}
          />
        </Dialog>
      ) : null}
    </Card>
  );
}
