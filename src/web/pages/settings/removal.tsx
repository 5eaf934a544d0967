import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useCodeAttempt } from '../../api/code-attempt.ts';
import type { Problem } from '../../api/problem.ts';
import { useRead } from '../../api/query.ts';
import { session } from '../../api/session.ts';
import { words } from '../../format/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeField, whyNoCode } from '../../ui/code-field.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ProblemNote } from '../../ui/state.tsx';
import styles from '../wallet/wallet.module.css';
import { PhoneNeeded } from './add-phone.tsx';

/** The end of the account, against a code on the phone; says what prevents it. */
export function Removal() {
  const profile = useRead('GET /api/user/profile', {});
  const [challengeId, setChallengeId] = useState<string | null>(null);
  const [code, setCode] = useState('');
  const { isBusy, problem, make, makeWith, clear } = useCodeAttempt();
  const request = () =>
    make(async () => {
      const answer = await call('POST /api/user/profile/removal-code', {});
      setCode('');
      setChallengeId(answer.challengeId);
    });
  const remove = (id: string) =>
    makeWith(id, code, async () => {
      await call(
        'DELETE /api/user/profile',
        {},
        { headers: { 'X-Challenge-Id': id, 'X-One-Time-Code': code } },
      );
      await session.signOut();
    });
  const close = (): void => {
    setChallengeId(null);
    clear();
  };
  return (
    <Card title="Remove this account" isPadded>
      <div className={styles['form']}>
        <p className="muted">
          For good, once nothing is held: no position or order, and less than a dollar of cash and
          in each wallet, which stays behind. Less than 0.01 of a share counts as nothing and stays
          behind: a cent at most. What was traded stays in the journal, without your phone.
        </p>
        {profile.data?.phone === null ? (
          <PhoneNeeded />
        ) : (
          <Button variant="danger" isBusy={isBusy} onClick={() => void request()}>
            Remove this account
          </Button>
        )}
        {problem === null || challengeId !== null ? null : <Standing problem={problem} />}
      </div>
      {challengeId === null ? null : (
        <Confirm
          title="Remove this account for good?"
          action="Remove it"
          keep="Keep it"
          isDanger
          isBusy={isBusy}
          blocked={whyNoCode(code)}
          onConfirm={() => void remove(challengeId)}
          onClose={close}
        >
          <p>
            Agents stop; sessions, API keys and your username end. The keys of the wallets cannot be
            taken out afterwards: export them first if anything may still arrive there.
          </p>
          <CodeField value={code} onChange={setCode} />
          {problem === null ? null : <Standing problem={problem} />}
        </Confirm>
      )}
    </Card>
  );
}

/** Why not, with every place where something is held. */
function Standing({ problem }: { readonly problem: Problem }) {
  if (problem.code !== 'account_not_empty') return <ProblemNote problem={problem} />;
  return (
    <div role="alert">
      <p className="warn">The account is not empty:</p>
      <ul>
        {problem.faults.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            {placeOf(path)}: <bdi>{message}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** `/wallets/EVM/POLYGON` as people read it. */
function placeOf(path: string): string {
  const [what = '', ...where] = path.split('/').filter((part) => part !== '');
  return [words(what), ...where.map((part) => words(part.replace('usdc:', '')).toLowerCase())].join(
    ', ',
  );
}
