import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { CatalogueError, ERRORS, type SignIn } from '../../protocol/index.ts';
import { client, connectFleet, link } from '../connection/fleet.ts';
import { takePass } from '../connection/pass.ts';
import { keepSignInKey } from '../connection/sign-in-key.ts';
import { place, replaceBy } from '../navigation/router.ts';
import { bind, submitWith } from '../parts/field.tsx';

/** Signs in with the link from `cbos open`, which needs no input, or with the token. */
export function SignInPage() {
  const token = useSignal('');
  const isBusy = useSignal(false);
  const problem = useSignal<CatalogueError | null>(null);
  const { value: at } = place;
  const code = at.page === 'sign-in' ? at.code : '';
  const isUnproven = link.value === 'unproven';

  const signIn = async (shown: SignIn): Promise<void> => {
    isBusy.value = true;
    problem.value = null;
    try {
      const signedIn = await client.call('signIn', { body: shown });
      takePass(signedIn.pass);
      if (place.value.page === 'sign-in') replaceBy({ page: 'home' });
      connectFleet();
      await keepSignInKey(signedIn);
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      problem.value = error;
    } finally {
      isBusy.value = false;
    }
  };

  useEffect(() => {
    if (code === '') return;
    // The code works only once. Remove it from the address, so that a reload does not try it again.
    replaceBy({ page: 'sign-in', code: '' });
    void signIn({ code });
  }, [code]);

  return (
    <main class="sign-in">
      <form class="card stack" onSubmit={submitWith(() => signIn({ token: token.value.trim() }))}>
        <div class="row">
          <img src="./icon.svg" alt="" width="40" height="40" />
          <div>
            <h1>Sign in to CBOS</h1>
            <p class="faint">on {location.host}</p>
          </div>
        </div>
        {problem.value !== null && (
          <p class="notice bad" role="alert">
            <strong>{problem.value.message}.</strong> {problem.value.hint}
          </p>
        )}
        {isUnproven && (
          <p class="notice bad" role="alert">
            <strong>{ERRORS.unproven_server.meaning}.</strong> Another program may have taken the server’s port, or the
            token was changed. This page sends nothing to that program, and reconnects automatically when the server is
            back.
          </p>
        )}
        <p>
          Type <code>cbos open</code> in a terminal on that machine to open this page signed in;{' '}
          <code>cbos open --qr</code> shows the link as a QR code for your phone.
        </p>
        {!isUnproven && <TokenField token={token} isBusy={isBusy.value} />}
      </form>
    </main>
  );
}

/** The field for the token. It is omitted if it is unknown which program would receive the token. */
function TokenField({ token, isBusy }: { token: Signal<string>; isBusy: boolean }) {
  return (
    <>
      <div class="field">
        <label for="token">
          Or paste the token, which <code>cbos token</code> prints
        </label>
        <input
          id="token"
          class="input mono"
          type="password"
          autocomplete="current-password"
          spellcheck={false}
          required
          {...bind(token)}
        />
      </div>
      <button type="submit" class="button primary" disabled={isBusy}>
        {isBusy ? 'Signing in…' : 'Sign in'}
      </button>
    </>
  );
}
