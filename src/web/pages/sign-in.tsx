import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { CatalogueError, type SignIn } from '../../protocol/index.ts';
import { place, replaceBy } from '../app/router.ts';
import { client, connectFleet } from '../server/fleet.ts';

/** By the link of `cbos open`, which does it by itself, or by the token. */
export function SignInPage() {
  const token = useSignal('');
  const isBusy = useSignal(false);
  const problem = useSignal<CatalogueError | null>(null);
  const { value: at } = place;
  const code = at.page === 'sign-in' ? at.code : '';

  const signIn = async (shown: SignIn): Promise<void> => {
    isBusy.value = true;
    problem.value = null;
    try {
      await client.call('signIn', { body: shown });
      if (place.value.page === 'sign-in') replaceBy({ page: 'home' });
      connectFleet();
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      problem.value = error;
    } finally {
      isBusy.value = false;
    }
  };

  useEffect(() => {
    if (code === '') return;
    // The code is good for one time: it must not stay in the address, nor be tried again by a reload.
    replaceBy({ page: 'sign-in', code: '' });
    void signIn({ code });
  }, [code]);

  return (
    <main class="sign-in">
      <form
        class="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn({ token: token.value.trim() });
        }}
      >
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
        <p>
          Type <code>cbos open</code> in a terminal on that machine: it opens this page signed in, and{' '}
          <code>cbos open --qr</code> shows the link as a picture for your phone.
        </p>
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
            value={token.value}
            onInput={({ currentTarget }) => {
              token.value = currentTarget.value;
            }}
          />
        </div>
        <button type="submit" class="button primary" disabled={isBusy.value}>
          {isBusy.value ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
