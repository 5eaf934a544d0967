import { useState } from 'react';
import { call } from '../../api/client.ts';
import { readAgain } from '../../api/query.ts';
import type { Input } from '../../api/routes.ts';
import { session } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { PhoneForm } from '../sign-in/phone-form.tsx';

/** Adds a way to sign in to the account that is signed in. */
export async function link(proof: Input<'POST /api/auth/link'>['body']): Promise<void> {
  session.updateUser(await call('POST /api/auth/link', { body: proof }));
  await readAgain(['GET /api/user/profile']);
}

/** Adds a phone to an account without one. */
export function AddPhone() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Add a phone</Button>
      {isOpen ? (
        <Dialog
          title="Add a phone"
          onClose={() => setOpen(false)}
          actions={<Button onClick={() => setOpen(false)}>Not now</Button>}
        >
          <PhoneForm
            action="Add this phone"
            onCode={async (proof) => {
              await link({ kind: 'phone', ...proof });
              setOpen(false);
            }}
          />
        </Dialog>
      ) : null}
    </>
  );
}

/** Takes the place of the button that sends a code, in an account without a phone. */
export function PhoneNeeded() {
  return (
    <>
      <p className="warn">
        There is no phone in your account to send the code to. Add one first, and come back here.
      </p>
      <AddPhone />
    </>
  );
}
