import { Page, Split } from '../../ui/layout.tsx';
import { ExportKey } from './export-key.tsx';
import { Removal } from './removal.tsx';
import { Sessions } from './sessions.tsx';
import { LoginMethods } from './login-methods.tsx';

/** Who is signed in and how, the keys of one's wallets, and the end of the account. */
export function SecurityPage() {
  return (
    <Page title="Security">
      <Split
        main={
          <>
            <Sessions />
            <LoginMethods />
          </>
        }
        side={
          <>
            <ExportKey />
            <Removal />
          </>
        }
      />
    </Page>
  );
}
