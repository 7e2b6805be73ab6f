import { useEffect } from 'preact/hooks';
import { ChangesPage } from '../changes/page.tsx';
import { link, lostAt, sessions } from '../connection/fleet.ts';
import { ageText, now } from '../display/clock.ts';
import { SessionList } from '../list/list.tsx';
import { addressOf, type Place, place } from '../navigation/router.ts';
import { ArchivedPage } from '../pages/archived.tsx';
import { AuditPage } from '../pages/audit.tsx';
import { BudgetsPage } from '../pages/budgets.tsx';
import { CatchupPage } from '../pages/catchup.tsx';
import { ComparePage } from '../pages/compare.tsx';
import { HistoryPage } from '../pages/history.tsx';
import { HomePage } from '../pages/home.tsx';
import { InboxPage } from '../pages/inbox.tsx';
import { LostPage } from '../pages/lost.tsx';
import { NewSessionPage } from '../pages/new-session.tsx';
import { ResourcesPage } from '../pages/resources.tsx';
import { RulesPage } from '../pages/rules.tsx';
import { SearchPage } from '../pages/search.tsx';
import { SettingsPage } from '../pages/settings.tsx';
import { SignInPage } from '../pages/sign-in.tsx';
import { StashPage } from '../pages/stash.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { ReplayPage } from '../replay/page.tsx';
import { SchedulesPage } from '../schedules/page.tsx';
import { SessionPage } from '../session/page.tsx';
import { startKeys } from './keys.ts';
import { Overlays } from './overlays.tsx';

export function App() {
  useEffect(() => startKeys(), []);
  const { page } = place.value;
  if (page === 'sign-in' || link.value === 'signed-out' || link.value === 'unproven') {
    return (
      <>
        <SignInPage />
        <Toasts />
      </>
    );
  }
  return (
    <div
      class={`shell ${link.value === 'stale' ? 'is-stale' : ''}`}
      data-showing={page === 'home' ? 'list' : page === 'inbox' ? 'alone' : 'main'}
    >
      {link.value === 'stale' && <Stale />}
      <aside class="sidebar">
        <div class="brand">
          <img class="mark" src="./icon.svg" alt="" width="22" height="22" />
          <strong class="grow">CBOS</strong>
          <a class="button primary" href={addressOf({ page: 'new' })}>
            <Icon name="plus" />
            New
          </a>
        </div>
        <SessionList />
        <Navigation current={page} />
      </aside>
      <main class="main">
        <CurrentPage />
      </main>
      <Overlays />
      <Toasts />
    </div>
  );
}

function CurrentPage() {
  const { value } = place;
  switch (value.page) {
    case 'session':
      return <SessionPage key={value.slug} slug={value.slug} seq={value.seq ?? null} />;
    case 'new':
      return <NewSessionPage />;
    case 'replay':
      return <ReplayPage key={`${value.slug} ${value.recording}`} at={value} />;
    case 'changes':
      return <ChangesPage key={value.slug} slug={value.slug} file={value.file} turn={value.turn ?? null} />;
    case 'compare':
      return <ComparePage slugs={value.slugs} />;
    case 'search':
      return <SearchPage query={value.query} />;
    case 'history':
      return <HistoryPage />;
    case 'inbox':
      return <InboxPage />;
    case 'archived':
      return <ArchivedPage />;
    case 'lost':
      return <LostPage />;
    case 'budgets':
      return <BudgetsPage />;
    case 'catchup':
      return <CatchupPage />;
    case 'resources':
      return <ResourcesPage />;
    case 'schedules':
      return <SchedulesPage />;
    case 'rules':
      return <RulesPage />;
    case 'audit':
      return <AuditPage key={value.session} session={value.session} />;
    case 'stash':
      return <StashPage />;
    case 'settings':
      return <SettingsPage />;
    default:
      return <HomePage />;
  }
}

const LINKS: readonly {
  page: Extract<Place['page'], 'inbox' | 'search' | 'stash' | 'history' | 'settings'>;
  icon: IconName;
  title: string;
}[] = [
  { page: 'inbox', icon: 'inbox', title: 'Inbox' },
  { page: 'search', icon: 'search', title: 'Search' },
  { page: 'stash', icon: 'copy', title: 'Drafts' },
  { page: 'history', icon: 'clock', title: 'History' },
  { page: 'settings', icon: 'settings', title: 'Settings' },
];

function Navigation({ current }: { current: Place['page'] }) {
  return (
    <nav class="nav" aria-label="Pages">
      {LINKS.map(({ page, icon, title }) => (
        <a
          key={page}
          href={addressOf(page === 'search' ? { page, query: '' } : { page })}
          aria-current={current === page ? 'page' : undefined}
        >
          <Icon name={icon} />
          {title}
        </a>
      ))}
    </nav>
  );
}

/** Warns the user that the page may not be up to date. */
function Stale() {
  const age = lostAt.value === null ? 'now' : ageText(lostAt.value, now.value);
  return (
    <div class="stale" role="status">
      Connection lost {age === 'now' ? 'just now' : `${age} ago`}. The page shows how{' '}
      {sessions.value.size === 1 ? 'the session was' : 'the sessions were'} at that time, and reconnects automatically.
    </div>
  );
}
