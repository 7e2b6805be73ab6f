import { useSignal } from '@preact/signals';
import { renderSVG } from 'uqr';
import { type SignedIn, signInUrl } from '../../protocol/index.ts';
import { becomeSignedOut, client } from '../connection/fleet.ts';
import { forgetSignInKey } from '../connection/sign-in-key.ts';
import { useRead } from '../connection/use-read.ts';
import { type DensityChoice, densityChoice } from '../display/density.ts';
import { type ThemeChoice, themeChoice } from '../display/theme.ts';
import { addressOf } from '../navigation/router.ts';
import { canNotify, notifying, pushProblem, turnOff, turnOn } from '../notify/notifications.ts';
import { Sinks } from '../notify/sinks.tsx';
import { Radio } from '../parts/field.tsx';
import { Icon } from '../parts/icons.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { attempt, tellError } from '../parts/toasts.tsx';
import { clearAttached } from '../session/attached.ts';
import { drafts } from '../session/drafts.ts';

const THEMES: readonly { choice: ThemeChoice; title: string }[] = [
  { choice: 'system', title: 'Same as the system' },
  { choice: 'light', title: 'Light' },
  { choice: 'dark', title: 'Dark' },
];

const DENSITIES: readonly { choice: DensityChoice; title: string }[] = [
  { choice: 'roomy', title: 'Roomy rows' },
  { choice: 'dense', title: 'Dense rows' },
];

/** Shows the settings of this browser. The server's own settings are shown on the command line (`cbos config`). */
export function SettingsPage() {
  const signedIn = useSignal<SignedIn | null>(null);
  useRead(
    () => client.call('signedIn'),
    {
      onRead: (answer) => {
        signedIn.value = answer;
      },
      onError: tellError,
    },
    [],
  );
  return (
    <>
      <PageHead title="Settings" />
      <div class="page stack settings">
        <section class="card">
          <h2>Appearance</h2>
          <fieldset class="row wrap">
            <legend class="hidden-text">Colours</legend>
            {THEMES.map(({ choice, title }) => (
              <Radio key={choice} name="theme" choice={choice} chosen={themeChoice}>
                {title}
              </Radio>
            ))}
          </fieldset>
          <fieldset class="row wrap">
            <legend class="hidden-text">The list</legend>
            {DENSITIES.map(({ choice, title }) => (
              <Radio key={choice} name="density" choice={choice} chosen={densityChoice}>
                {title}
              </Radio>
            ))}
          </fieldset>
        </section>
        <section class="card">
          <h2>Rules and budgets</h2>
          <p class="faint">
            <a href={addressOf({ page: 'rules' })}>Rules</a> answer permission requests for you, and{' '}
            <a href={addressOf({ page: 'audit', session: null })}>the audit</a> lists their decisions.{' '}
            <a href={addressOf({ page: 'budgets' })}>Budgets</a> limit what sessions spend.
          </p>
        </section>
        <Notifications />
        <Sinks />
        <PhoneLink publicUrl={signedIn.value?.public_url ?? null} />
        <section class="card">
          <h2>This browser</h2>
          <p class="faint">
            {signedIn.value?.expires_at == null
              ? 'Signed in.'
              : `Signed in until ${new Date(signedIn.value.expires_at).toLocaleDateString()}.`}{' '}
            {signedIn.value === null ? '' : `CBOS ${signedIn.value.version} on ${location.host}.`}
          </p>
          <button
            type="button"
            class="button"
            onClick={async () => {
              if (!(await attempt(() => client.call('signOut')))) return;
              await forgetSignInKey();
              drafts.clear();
              clearAttached();
              becomeSignedOut();
            }}
          >
            Sign out
          </button>
        </section>
      </div>
    </>
  );
}

/**
 * The setting for notifications when a session needs attention. None are shown while the user is looking at the page.
 */
function Notifications() {
  const isOn = notifying.value !== 'off';
  return (
    <section class="card">
      <h2>Notifications</h2>
      <p class="faint">
        The browser notifies you when a session needs you: when it asks something, its turn ends with an error, or it
        shows no sign of life. No notifications are sent while you look at this page.
      </p>
      {!canNotify && (
        <p class="notice">This browser allows notifications only over HTTPS or on the server’s own machine.</p>
      )}
      {notifying.value === 'page' && (
        <p class="notice">
          You are notified only while this page is open{pushProblem.value === null ? '' : `: ${pushProblem.value}`}.
        </p>
      )}
      <button
        type="button"
        class="button"
        disabled={!canNotify}
        aria-pressed={isOn}
        onClick={() => void attempt(isOn ? turnOff : turnOn)}
      >
        <Icon name="bell" />
        {isOn ? 'Notifications are on' : 'Turn on'}
      </button>
    </section>
  );
}

/** Shows a sign-in link for another device, as a QR code that the device's camera can read. */
function PhoneLink({ publicUrl }: { publicUrl: string | null }) {
  const url = useSignal<string | null>(null);
  return (
    <section class="card">
      <h2>Another device</h2>
      {publicUrl === null && (
        <p class="notice">
          A phone needs an address that it can reach: put an HTTPS proxy in front of the server and set{' '}
          <code>CBOS_PUBLIC_URL</code>.
        </p>
      )}
      {url.value === null ? (
        <button
          type="button"
          class="button"
          onClick={async () => {
            await attempt(async () => {
              const { code } = await client.call('createSignInLink');
              url.value = signInUrl(publicUrl ?? location.origin, code);
            });
          }}
        >
          Show a sign-in code
        </button>
      ) : (
        <>
          <img
            class="qr"
            alt="QR code of the sign-in link"
            src={`data:image/svg+xml,${encodeURIComponent(renderSVG(url.value))}`}
          />
          <p class="faint">The code signs in one device, once, within ten minutes.</p>
        </>
      )}
    </section>
  );
}
