import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useCodeAttempt } from '../../api/code-attempt.ts';
import { keepSentCode, sentCode } from '../../api/sent-code.ts';
import { useNow } from '../../app/now.ts';
import { countdown } from '../../format/time.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field } from '../../ui/form.tsx';
import { ProblemNote } from '../../ui/state.tsx';
import styles from './sign-in.module.css';

/** Proof that its holder received a code. */
export interface PhoneProof {
  readonly challengeId: string;
  readonly code: string;
}

/** A phone number, then the code that was sent to it; `onCode` does what it is for. */
export function PhoneForm({
  action,
  onCode,
}: {
  /** What the last button says. */
  readonly action: string;
  onCode(proof: PhoneProof): Promise<void>;
}) {
  const nowMs = useNow();
  const [sent, setSent] = useState(() => sentCode(nowMs));
  const [phone, setPhone] = useState(sent?.phone ?? '');
  const [code, setCode] = useState('');
  const { isBusy, problem, make, makeWith } = useCodeAttempt();
  const keep = (next: typeof sent): void => {
    keepSentCode(next);
    setSent(next);
  };
  const request = () =>
    make(async () => {
      const challenge = await call('POST /api/auth/otp/request', { body: { phone } });
      keep({ ...challenge, phone });
    });
  const verify = async (digits: string): Promise<void> => {
    if (sent === null) return;
    const { challengeId } = sent;
    await makeWith(challengeId, digits, async () => {
      await onCode({ challengeId, code: digits });
      keepSentCode(null);
    });
  };
  return (
    <Card isPadded>
      {sent === null ? (
        <form
          key="phone"
          className={styles['form']}
          onSubmit={(event) => {
            event.preventDefault();
            void request();
          }}
        >
          <Field
            label="Phone number"
            type="tel"
            autoComplete="tel"
            autoFocus
            required
            placeholder="+1 415 555 2671"
            value={phone}
            refused={problem?.faultOf('phone')}
            onChange={(event) => setPhone(event.target.value)}
          />
          <Button variant="primary" type="submit" isWide isBusy={isBusy}>
            Send me a code
          </Button>
        </form>
      ) : (
        // a form of its own: the field of the code is a new one, and gets the focus
        <form
          key="code"
          className={styles['form']}
          onSubmit={(event) => {
            event.preventDefault();
            void verify(code);
          }}
        >
          <Field
            label={`Code sent to ${phone}`}
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            required
            maxLength={6}
            placeholder="123456"
            value={code}
            refused={problem?.faultOf('code')}
            hint="In the sandbox the code is in the terminal of the daemon."
            onChange={(event) => {
              const digits = event.target.value.replace(/\D/g, '').slice(0, 6);
              setCode(digits);
              if (digits.length === 6) void verify(digits);
            }}
          />
          <Button variant="primary" type="submit" isWide isBusy={isBusy}>
            {action}
          </Button>
          <Button variant="plain" disabled={nowMs < sent.resendAtMs} onClick={() => void request()}>
            {nowMs < sent.resendAtMs
              ? `Send another code in ${countdown(sent.resendAtMs - nowMs)}`
              : 'Send another code'}
          </Button>
          <Button variant="plain" onClick={() => keep(null)}>
            Use another number
          </Button>
        </form>
      )}
      {problem === null || problem.faults.length > 0 ? null : <ProblemNote problem={problem} />}
    </Card>
  );
}
