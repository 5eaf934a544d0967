import { useState } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { type Profile, session } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field } from '../../ui/form.tsx';
import { ProblemNote } from '../../ui/state.tsx';
import styles from './sign-in.module.css';

/** A new user chooses a name, which everything else needs. */
export function WelcomePage({ user }: { readonly user: Profile }) {
  const [username, setUsername] = useState('');
  const { isBusy, problem, make } = useAttempt();
  const choose = () =>
    make(async () =>
      session.updateUser(await call('PUT /api/user/profile', { body: { username } })),
    );
  const fault =
    problem?.faultOf('username') ?? (problem?.code === 'username_taken' ? problem.message : null);
  return (
    <main className={styles['place']}>
      <div className={styles['box']}>
        <div className={styles['brand']}>
          <img src="/icon.svg" alt="" />
          <h1>Welcome</h1>
          <p className="muted">
            Three wallets were made for you: on EVM chains, on Solana, and a Safe on Polygon. Choose
            a name, and you can begin on paper, without money.
          </p>
        </div>
        <Card isPadded>
          <form
            className={styles['form']}
            onSubmit={(event) => {
              event.preventDefault();
              void choose();
            }}
          >
            <Field
              label="Username"
              autoFocus
              required
              value={username}
              refused={fault}
              hint="3 to 20 characters: a to z, 0 to 9 and underscore."
              onChange={(event) => setUsername(event.target.value)}
            />
            <Button variant="primary" type="submit" isWide isBusy={isBusy}>
              Go on
            </Button>
            {problem === null || fault !== null ? null : <ProblemNote problem={problem} />}
          </form>
        </Card>
        <p className="faint" style={{ textAlign: 'center' }}>
          Signed in as {user.phone ?? user.identities[0]?.shown ?? user.userId}.{' '}
          <button type="button" className="link" onClick={() => void session.signOut()}>
            Sign out
          </button>
        </p>
      </div>
    </main>
  );
}
